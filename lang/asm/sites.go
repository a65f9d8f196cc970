package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Sites are where a fence can be put into automata that [Parse] has read: at
// every control state, for all who come there, and where several transitions lead
// there also for who comes by one of them. The fence is a transition from a state
// of its own, to which the others lead.
func Sites(p *program.Program) []program.Site {
	var sites []program.Site
	for ti, t := range p.Threads {
		for q := range t.States {
			var in []int
			for i := range t.Edges {
				if t.Edges[i].To == program.StateID(q) {
					in = append(in, i)
				}
			}
			if len(in) > 0 {
				sites = append(sites, site(p, ti, program.StateID(q), -1, in))
			}
			if len(in) > 1 {
				for _, i := range in {
					sites = append(sites, site(p, ti, program.StateID(q), i, []int{i}))
				}
			}
		}
	}
	return sites
}

func site(p *program.Program, thread int, q program.StateID, edge int, in []int) program.Site {
	t := p.Threads[thread]
	name := t.States[q].Name
	stop := name + "_fence"
	if edge >= 0 {
		stop = fmt.Sprintf("%s_fence_%d", name, edge)
	}
	for slices.ContainsFunc(t.States, func(s program.State) bool { return s.Name == stop }) {
		stop += "_"
	}
	s := program.Site{Thread: thread, State: q, Edge: edge}
	text := p.Source.Text
	line := 0
	for _, i := range in {
		// The word before the command is the state that the transition
		// leads to.
		to := len(strings.TrimRight(text[:program.Offset(text, t.Edges[i].Pos)], " \t\r\v\f"))
		s.Edits = append(s.Edits, program.Edit{From: to - len(name), To: to, Text: stop})
		if at := t.Edges[i].Pos; at.Line > line {
			line = at.Line
			s.Pos = at
			s.Statement = command(text, at)
		}
	}
	start := program.Offset(text, program.Position{Line: line, Col: 1})
	end := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	lead := text[start : start+len(text[start:end])-len(strings.TrimLeft(text[start:end], " \t"))]
	ending := ""
	if strings.HasSuffix(text[start:end], "\r") {
		ending = "\r"
		end--
	}
	s.Edits = append(s.Edits, program.Edit{From: end, To: end, Text: ending + "\n" + lead + "transition " + stop + " " + name + " mfence"})
	return s
}

// command is the rest of the line from at, without a comment.
func command(text string, at program.Position) string {
	line, _, _ := strings.Cut(text[program.Offset(text, at):], "\n")
	var words []string
	for _, w := range strings.Fields(line) {
		if w[0] == '#' {
			break
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// Fences are the fences of automata, with the edits that take them out.
func Fences(p *program.Program) []program.Site {
	var sites []program.Site
	for ti, t := range p.Threads {
		for i := range t.Edges {
			if e := &t.Edges[i]; e.Cmd.Op == program.Fence {
				at := program.Offset(p.Source.Text, e.Pos)
				sites = append(sites, program.Site{Thread: ti, State: e.From, Edge: i, Statement: "mfence", Pos: e.Pos,
					Edits: []program.Edit{{From: at, To: at + len("mfence"), Text: "noop"}}})
			}
		}
	}
	return sites
}
