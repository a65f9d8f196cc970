package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Hardware writes what was seen of a litmus test: a histogram, beside it what the models allow.
func Hardware(w io.Writer, file string, h *verdict.Hardware, err error) error {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "%s: not run: %v\n", file, err)
		return write(w, &b)
	}
	width := len("state")
	for _, s := range h.States {
		width = max(width, length(s.State))
	}
	fmt.Fprintf(&b, "%s  %d runs in %.1f s\n", h.Name, h.Runs, h.Elapsed.Seconds())
	fmt.Fprintf(&b, "  %s  %10s  sc   tso\n", pad("state", width), "seen")
	for _, s := range h.States {
		mark := " "
		if s.Asked {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s  %10d  %s  %s", mark, pad(s.State, width), s.Seen, allows(s.SC, h), allows(s.TSO, h))
		if s.Seen > 0 && !s.TSO && h.Incomplete == "" {
			b.WriteString("  FORBIDDEN, AND SEEN")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s: %s\n", h.Condition, askedFor(h))
	if h.Incomplete != "" {
		fmt.Fprintf(&b, "Note: %s\n", h.Incomplete)
	}
	return write(w, &b)
}

// allows is whether a model allows a state: that none has found it says no only where all of
// the model was searched.
func allows(found bool, h *verdict.Hardware) string {
	switch {
	case found:
		return "yes"
	case h.Incomplete != "":
		return "?  "
	}
	return "no "
}

func askedFor(h *verdict.Hardware) string {
	seen, allowed := 0, false
	for _, s := range h.States {
		if s.Asked {
			seen += s.Seen
			allowed = allowed || s.TSO
		}
	}
	if !allowed && seen == 0 && h.Incomplete == "" {
		return "not seen, and not allowed under TSO"
	}
	return fmt.Sprintf("seen %d times", seen)
}

// A HardwareTable is about many tests.
type HardwareTable struct {
	Tests, Refused, Failed int
	Weak, WeakSeen         int // states that TSO allows and SC does not
	Allowed, AllowedSeen   int // states that TSO allows
	Forbidden              int // tests of which a state was seen that TSO forbids
}

// Row counts a test, and writes a row for it.
func (t *HardwareTable) Row(w io.Writer, file string, h *verdict.Hardware, err error) error {
	if t.Tests++; t.Tests == 1 {
		if _, err := fmt.Fprintf(w, "%10s  %9s  %9s  %s\n", "runs", "allowed", "weak", "test (states seen of those that TSO allows, and of those that SC does not)"); err != nil {
			return err
		}
	}
	var refused interface{ Refusal() bool }
	switch {
	case err != nil && errors.As(err, &refused):
		t.Refused++
	case err != nil:
		var diag *program.Diagnostic
		if errors.As(err, &diag) {
			t.Refused++
		} else {
			t.Failed++
		}
	}
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		_, err := fmt.Fprintf(w, "%10s  %9s  %9s  %s: %s\n", "-", "-", "-", file, text)
		return err
	}
	allowed, seen := 0, 0
	for _, s := range h.States {
		if s.TSO {
			allowed++
			if s.Seen > 0 {
				seen++
			}
		}
	}
	weak, weakSeen := h.Weak()
	t.Allowed, t.AllowedSeen, t.Weak, t.WeakSeen = t.Allowed+allowed, t.AllowedSeen+seen, t.Weak+weak, t.WeakSeen+weakSeen
	note := ""
	if h.Forbidden() {
		t.Forbidden++
		note = "  FORBIDDEN, AND SEEN"
	}
	_, err = fmt.Fprintf(w, "%10d  %4d/%-4d  %4d/%-4d  %s%s\n", h.Runs, seen, allowed, weakSeen, weak, file, note)
	return err
}

// Print writes the sums.
func (t *HardwareTable) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\n%d tests, %d of them not run, %d without an end; of %d states that TSO allows %d were seen, of %d that SC does not allow, %d; tests with a state that TSO forbids: %d\n",
		t.Tests, t.Refused, t.Failed, t.Allowed, t.AllowedSeen, t.Weak, t.WeakSeen, t.Forbidden)
	return err
}

type jsonHardware struct {
	File       string              `json:"file"`
	Name       string              `json:"name"`
	Runs       int                 `json:"runs"`
	Seconds    float64             `json:"seconds"`
	Forbidden  bool                `json:"forbidden"` // a state that TSO forbids was seen
	Incomplete string              `json:"incomplete,omitempty"`
	States     []jsonHardwareState `json:"states"`
}

type jsonHardwareState struct {
	State map[string]any `json:"state"`
	Seen  int            `json:"seen"`
	SC    bool           `json:"sc"`
	TSO   bool           `json:"tso"`
	Asked bool           `json:"asked"`
}

// HardwareJSON writes the same as one object on one line.
func HardwareJSON(w io.Writer, file string, h *verdict.Hardware, err error) error {
	if err != nil {
		return JSONError(w, file, err)
	}
	o := jsonHardware{File: file, States: []jsonHardwareState{}}
	o.Name, o.Runs, o.Seconds, o.Forbidden, o.Incomplete = h.Name, h.Runs, h.Elapsed.Seconds(), h.Forbidden(), h.Incomplete
	for _, s := range h.States {
		o.States = append(o.States, jsonHardwareState{litmusState(s.State), s.Seen, s.SC, s.TSO, s.Asked})
	}
	return writeObject(w, o)
}
