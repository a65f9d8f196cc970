package report

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// writeCycle tells the path of a race of load buffering, and, of an execution with a cycle of
// program order and reads-from, what justifies it.
func writeCycle(b *strings.Builder, x *verdict.Execution, width int) {
	if x.Violation.LBRace != nil {
		b.WriteString("\nThe path from the read to the write that it could read:\n\n")
		writeLBPath(b, x)
	}
	for _, c := range x.Certificates {
		last := &c.Events[c.Promises[len(c.Promises)-1]]
		fmt.Fprintf(b, "\n%s promises %s, since it can run so, too:\n\n", threadName(x.Program, c.Thread), oneLine(last.String()[2:]))
		cols := []*column{{title: "line", right: true}, {title: "command", steps: true, min: 12}, {title: "event"}, {title: "reads from"}}
		for i := range c.Events {
			ev := &c.Events[i]
			line := ""
			if ev.Pos.IsValid() {
				line = fmt.Sprint(ev.Pos.Line)
			}
			for k, s := range []string{line, oneLine(ev.Text), oneLine(ev.String()), c.Sources[i]} {
				cols[k].cells = append(cols[k].cells, s)
			}
		}
		writeUsed(b, cols, width)
	}
}

func writeLBPath(b *strings.Builder, x *verdict.Execution) {
	names := letters(x.Graph)
	wide := 0
	for _, s := range x.Violation.LBRace.Path {
		wide = max(wide, length(placed(x.Program, x.Graph, names, s.Event)))
	}
	how := map[string]string{"po": "comes before, in program order", "rf": "is read by"}
	for _, s := range x.Violation.LBRace.Path {
		line := "    " + pad(placed(x.Program, x.Graph, names, s.Event), wide)
		if p := x.Graph.Events[s.Event].Pos; p.IsValid() {
			line += "  " + oneLine(p.Where())
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if s.By != "" {
			fmt.Fprintf(b, "      %s\n", how[s.By])
		}
	}
}

type jsonLBRace struct {
	Path []jsonLBStep `json:"path"` // from the read to the write
}

type jsonLBStep struct {
	Event int    `json:"event"` // index into the events of the execution
	By    string `json:"by,omitempty"`
}

func lbRaceObject(r *verdict.LBRace) *jsonLBRace {
	o := &jsonLBRace{}
	for _, s := range r.Path {
		o.Path = append(o.Path, jsonLBStep{s.Event, s.By})
	}
	return o
}

type jsonCertificate struct {
	Thread   string   `json:"thread"`
	Events   []string `json:"events"`
	Sources  []string `json:"sources"`  // of reads, in words
	Promises []int    `json:"promises"` // indices into events
}

func certificateObjects(x *verdict.Execution) (all []jsonCertificate) {
	for _, c := range x.Certificates {
		o := jsonCertificate{Thread: threadName(x.Program, c.Thread), Sources: c.Sources, Promises: c.Promises}
		for i := range c.Events {
			o.Events = append(o.Events, event(&c.Events[i]))
		}
		all = append(all, o)
	}
	return all
}

func event(e *memory.Event) string { return oneLine(e.String()) }
