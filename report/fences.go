package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// FenceOptions say how [Fences] writes.
type FenceOptions struct {
	Options
	Verbose bool // with the whole runs that the fences prevent
	All     bool // with all sets that were found
}

// Fences writes which fences a program needs: the change to its source, what
// each of them is for, and the verification of the result.
func Fences(w io.Writer, r *verdict.FenceResult, opts FenceOptions) error {
	var b strings.Builder
	word, colour := fenceVerdict(r)
	opts.begin(&b, word, colour, r.Program, "for "+r.Goal.Goal()+" under "+modelName(cmp.Or(r.Model, memory.TSO)), duration(r.Elapsed))
	if !opts.Quiet {
		writeFences(&b, r, opts)
	}
	return write(w, &b)
}

// fenceVerdict is the answer in a few words, and its colour.
func fenceVerdict(r *verdict.FenceResult) (word, colour string) {
	switch {
	case r.Wrong != nil || r.Impossible:
		return "NO FENCES HELP", red
	case r.Insufficient:
		return "NOT ENOUGH FENCES", red
	case len(r.Sets) == 0:
		return "UNKNOWN", yellow
	case r.Redundant && len(r.Removed) == 0:
		return "NO FENCE REDUNDANT", green
	case r.Redundant:
		return strings.ToUpper(many(len(r.Removed), "fence")) + " REDUNDANT", green
	case len(r.Sets[0].Fences) == 0:
		return "NO FENCE NEEDED", green
	case r.Means == verdict.Xchg:
		return strings.ToUpper(many(len(r.Sets[0].Fences), "exchange")), green
	case slices.ContainsFunc(r.Sets[0].Fences, func(f verdict.Fence) bool { return f.Instead }):
		return strings.ToUpper(many(len(r.Sets[0].Fences), "change")), green
	}
	return strings.ToUpper(many(len(r.Sets[0].Fences), "fence")), green
}

// fenceWord is the answer without its numbers.
func fenceWord(r *verdict.FenceResult) string {
	word, _ := fenceVerdict(r)
	switch _, rest, counted := strings.Cut(word, " "); {
	case !counted || word[0] < '0' || word[0] > '9':
		return word
	case strings.HasSuffix(rest, "REDUNDANT"):
		return "REDUNDANT"
	default:
		return strings.TrimSuffix(rest, "S") + "S"
	}
}

func many(n int, noun string) string { return fmt.Sprintf("%d %s", n, plural(n, noun)) }

func writeFences(b *strings.Builder, r *verdict.FenceResult, opts FenceOptions) {
	b.WriteByte('\n')
	writeItems(b, fenceClaims(r), opts.Width)
	if len(r.Sets) == 0 {
		if r.Wrong != nil && r.Wrong.Run() != nil {
			b.WriteString("\n")
			writeRun(b, r.Wrong.Run(), opts.Options)
		}
		return
	}
	set := &r.Sets[0]
	if r.Text != r.Program.Source.Text {
		b.WriteByte('\n')
		unified(b, fileName(r.Program), r.Program.Source.Text, r.Text)
	}
	if len(r.Removed) > 0 {
		b.WriteString("\nThese can go together:\n\n")
		for i := range r.Removed {
			fmt.Fprintf(b, "  %s\n", fencePlace(r, &r.Removed[i]))
		}
	}
	if len(set.Fences) > 0 {
		b.WriteString(map[bool]string{false: "\nWhat each is for:\n\n", true: "\nThese stay:\n\n"}[r.Redundant])
		for i := range set.Fences {
			writeReason(b, r, &set.Fences[i], opts)
		}
	}
	if opts.All {
		writeSets(b, r)
	}
}

// fenceClaims is what an answer says of the fences as a whole.
func fenceClaims(r *verdict.FenceResult) (all items) {
	switch {
	case len(r.Sets) > 0:
		if set := &r.Sets[0]; len(set.Fences) > 0 && !r.Redundant {
			all.add("places", places(r, set))
			all.add("cost", grouped(int64(set.Cost)))
		}
		all.add("not written", r.Unwritable)
		if r.Final != nil {
			all.add("verified", verified(r.Final))
		}
	case r.Wrong != nil:
		all.add("because", "the program is wrong under SC as well, where fences do nothing")
		all.add(violationLabel(r.Wrong.Violation()), violationText(r.Wrong.Program(), r.Wrong.Violation()))
	default:
		all.add("reason", r.Reason)
		all.add("next", r.Next())
	}
	return all
}

// places counts the fences for every thread where that is not the number of
// lines.
func places(r *verdict.FenceResult, s *verdict.FenceSet) string {
	lines, n := len(s.Fences), s.Places()
	text := many(lines, "line")
	if n != lines {
		text += fmt.Sprintf(" of source, %d fences counted for every thread", n)
		if r.Enough > 0 && r.Enough < n {
			text += fmt.Sprintf("; %d of these would do, but a line is the same for all members of a family", r.Enough)
		}
	}
	return text
}

func verified(e *verdict.Evidence) string {
	if e.Check != nil {
		return fmt.Sprintf("%s under %s (%s): %s", e.Check.Verdict(), modelName(e.Check.Model()), how(e.Check), argument(e.Check.Argument()))
	}
	return fmt.Sprintf("%s under %s (%s)", e.Robust.Word(), modelName(memory.TSO), duration(e.Robust.Elapsed))
}

// fencePlace is where a fence stands: "line 16  after turn := 1  (P0)".
func fencePlace(r *verdict.FenceResult, f *verdict.Fence) string {
	text := oneLine(f.Site.Statement)
	switch {
	case r.Redundant || r.Means == verdict.Xchg && r.Unwritable == "":
	case f.Instead:
		text = "in " + text
	case f.Site.Before:
		text = "before " + text
	default:
		text = "after " + text
	}
	if f.What != "" {
		text = f.What + "  " + text
	}
	if f.Site.Pos.IsValid() {
		text = oneLine(f.Site.Pos.Where()) + "  " + text
	}
	names := make([]string, len(f.Threads))
	for i, t := range f.Threads {
		names[i] = threadName(r.Program, t)
	}
	return text + "  (" + strings.Join(names, ", ") + ")"
}

// writeReason says what could happen without the fence.
func writeReason(b *strings.Builder, r *verdict.FenceResult, f *verdict.Fence, opts FenceOptions) {
	fmt.Fprintf(b, "  %s\n", fencePlace(r, f))
	text, run := without(f)
	if text == "" {
		return
	}
	for _, l := range wrap("without it: "+text, max(opts.Width-4, 20), 0) {
		b.WriteString("    " + l + "\n")
	}
	if opts.Verbose && run != nil {
		b.WriteByte('\n')
		writeRun(b, run, opts.Options)
		if r := f.Without.Robust; r != nil && len(r.Evidence().Cycle) > 0 {
			b.WriteByte('\n')
			writeItems(b, [][2]string{{"cycle", cycle(r.Evidence())}}, opts.Width)
		}
		b.WriteByte('\n')
	}
}

// without is what can happen without a fence, in one line, and the run.
func without(f *verdict.Fence) (string, *verdict.Run) {
	switch e := f.Without; {
	case e == nil:
		return "", nil
	case e.Robust != nil:
		return attack(e.Robust), e.Robust.Evidence().Run
	case e.Check.Run() == nil:
		return violationText(e.Check.Program(), e.Check.Violation()), nil
	default:
		return fmt.Sprintf("%s, after %d steps", violationText(e.Check.Program(), e.Check.Violation()), len(e.Check.Run().Steps)), e.Check.Run()
	}
}

// writeSets lists all sets that were found.
func writeSets(b *strings.Builder, r *verdict.FenceResult) {
	which := "Minimal sets that were found"
	if r.Complete {
		which = "All minimal sets"
	}
	fmt.Fprintf(b, "\n%s:\n\n", which)
	for i := range r.Sets {
		s := &r.Sets[i]
		fmt.Fprintf(b, "%4d  cost %d\n", i+1, s.Cost)
		for j := range s.Fences {
			fmt.Fprintf(b, "      %s\n", fencePlace(r, &s.Fences[j]))
		}
	}
}

type jsonFences struct {
	File       string           `json:"file"`
	For        string           `json:"for"`
	Model      string           `json:"model"`
	Verdict    string           `json:"verdict"`
	Fences     []jsonFence      `json:"fences"`
	Count      int              `json:"count"` // for every thread
	Lines      int              `json:"lines"` // of the source
	Cost       int              `json:"cost"`
	Verified   bool             `json:"verified"`
	Removable  []jsonFence      `json:"removable,omitempty"`
	Sets       []jsonFenceSet   `json:"sets,omitempty"`
	Complete   *bool            `json:"complete,omitempty"` // all minimal sets are there
	Unwritable string           `json:"unwritable,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Advice     string           `json:"advice,omitempty"`
	Violation  string           `json:"violation,omitempty"` // under SC
	Initial    map[string]int64 `json:"initial,omitempty"`
	Run        []jsonStep       `json:"run,omitempty"`
	Source     string           `json:"source,omitempty"` // with the fences
	Seconds    float64          `json:"seconds"`
	Stats      map[string]int64 `json:"stats,omitempty"`
}

// A jsonFence is a fence of one thread.
type jsonFence struct {
	Thread  string `json:"thread"`
	After   string `json:"after,omitempty"`
	Before  string `json:"before,omitempty"`
	At      string `json:"at,omitempty"`   // an exchange, a fence of the source, an access that becomes another
	What    string `json:"what,omitempty"` // is written there, where there is a choice
	Line    int    `json:"line,omitempty"`
	File    string `json:"file,omitempty"`    // of the line, where it is not the one that was named
	Without string `json:"without,omitempty"` // what can happen without it
}

type jsonFenceSet struct {
	Fences []jsonFence `json:"fences"`
	Cost   int         `json:"cost"`
}

// JSONFences writes r as one object on one line.
func JSONFences(w io.Writer, r *verdict.FenceResult, file string, all bool) error {
	word := fenceWord(r)
	o := jsonFences{File: file, For: r.Goal.Goal(), Model: string(cmp.Or(r.Model, memory.TSO)), Verdict: word, Fences: []jsonFence{}, Verified: r.Verified(),
		Unwritable: r.Unwritable, Reason: r.Reason, Advice: r.Next(), Seconds: r.Elapsed.Seconds(), Stats: statsObject(r.Stats)}
	if len(r.Sets) > 0 {
		s := &r.Sets[0]
		o.Fences, o.Count, o.Lines, o.Cost = fenceObjects(r, s.Fences), s.Places(), len(s.Fences), s.Cost
		o.Removable = fenceObjects(r, r.Removed)
		if all {
			o.Complete = &r.Complete
			for i := range r.Sets {
				o.Sets = append(o.Sets, jsonFenceSet{fenceObjects(r, r.Sets[i].Fences), r.Sets[i].Cost})
			}
		}
	}
	if r.Text != r.Program.Source.Text {
		o.Source = r.Text
	}
	if r.Wrong != nil {
		o.Violation = violationText(r.Wrong.Program(), r.Wrong.Violation())
		if r.Wrong.Run() != nil {
			o.Initial, o.Run = runObject(r.Wrong.Run())
		}
	}
	return writeObject(w, o)
}

func fenceObjects(r *verdict.FenceResult, fences []verdict.Fence) []jsonFence {
	os := []jsonFence{}
	for i := range fences {
		f := &fences[i]
		for _, t := range f.Threads {
			o := jsonFence{Thread: threadName(r.Program, t), Line: f.Site.Pos.Line, File: f.Site.Pos.File, What: f.What}
			switch text := oneLine(f.Site.Statement); {
			case f.Instead || r.Redundant || r.Means == verdict.Xchg:
				o.At = text
			case f.Site.Before:
				o.Before = text
			default:
				o.After = text
			}
			o.Without, _ = without(f)
			os = append(os, o)
		}
	}
	return os
}
