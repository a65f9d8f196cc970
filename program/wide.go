package program

import (
	"fmt"
	"slices"
)

// Joined is p with one command for each access of several cells: an [Atomic] that is [Command.Wide], which has the
// accesses that are [Command.Part] of one, and what is assigned between them. It stands on the edge of the first of
// them; the edges of the others, to which no thread comes any more, do nothing and lead to a state of their own, so that the others
// have the numbers that they had. So a search through states sees what execution graphs say of parts by relations.
// p itself is given where there are no such accesses. It is not ok where somebody gets in between the parts.
func (p *Program) Joined() (joined *Program, ok bool) {
	if p.Arch != X86 || !p.SeparateParts() {
		return p, true
	}
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for i, t := range p.Threads {
		if !slices.ContainsFunc(t.Edges, separate) {
			continue
		}
		if q.Threads[i], ok = t.joined(); !ok {
			return p, false
		}
	}
	return &q, true
}

// Separated is p with every part of an access of several cells on an edge of its own, as [Program.Joined] takes it.
func (p *Program) Separated() *Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for i, t := range p.Threads {
		if slices.ContainsFunc(t.Edges, func(e Edge) bool { return e.Cmd.Wide }) {
			q.Threads[i] = t.separated()
		}
	}
	return &q
}

func (t *Thread) separated() *Thread {
	s := *t
	s.States, s.Edges = slices.Clone(t.States), slices.Clone(t.Edges)
	for i := range t.Edges {
		e := &t.Edges[i]
		if !e.Cmd.Wide {
			continue
		}
		last := i
		for k, c := range e.Cmd.Body {
			if c.Part = k > 0 && c.Op != Assign; k == 0 {
				s.Edges[i].Cmd = c
				continue
			}
			q := StateID(len(s.States))
			s.States = append(s.States, State{Name: fmt.Sprintf("%s'%d", t.States[e.From].Name, k), Pos: e.Pos})
			s.Edges[last].To = q
			last = len(s.Edges)
			s.Edges = append(s.Edges, Edge{From: q, To: e.To, Cmd: c, Pos: e.Pos})
		}
	}
	return &s
}

// Wide is whether p has loads or stores of several cells, joined or not, that are one step and no fence.
func (p *Program) Wide() bool {
	found := false
	p.eachCommand(func(_ *Thread, c *Command) { found = found || c.Wide })
	return found || p.Arch == X86 && p.SeparateParts()
}

// SeparateParts is whether parts of accesses have edges of their own.
func (p *Program) SeparateParts() bool {
	return slices.ContainsFunc(p.Threads, func(t *Thread) bool { return slices.ContainsFunc(t.Edges, separate) })
}

func separate(e Edge) bool { return e.Cmd.Part && (e.Cmd.Op == Load || e.Cmd.Op == Store) }

func (t *Thread) joined() (*Thread, bool) {
	j := *t
	nowhere := StateID(len(t.States))
	j.States, j.Edges = append(slices.Clip(t.States), State{Name: "nowhere"}), slices.Clone(t.Edges)
	out, into := t.Out(), make([]int, len(t.States))
	into[t.Initial]++
	for _, e := range t.Edges {
		into[e.To]++
	}
	left := 0
	for i := range t.Edges {
		if separate(t.Edges[i]) {
			left++
		}
	}
	for i := range t.Edges {
		first := &t.Edges[i]
		if first.Cmd.Part || first.Cmd.Op != Load && first.Cmd.Op != Store {
			continue
		}
		chain := t.parts(i, out, into)
		if len(chain) == 1 {
			continue
		}
		wide := Command{Op: Atomic, Wide: true, Pos: first.Cmd.Pos}
		for n, k := range chain {
			c := t.Edges[k].Cmd
			if separate(t.Edges[k]) {
				left--
			}
			c.Part = false
			wide.Body = append(wide.Body, c)
			if j.Edges[k].Cmd = Skip(); n == len(chain)-1 {
				j.Edges[k].To = nowhere
			}
		}
		j.Edges[i].Cmd, j.Edges[i].To = wide, t.Edges[chain[len(chain)-1]].To
	}
	return &j, left == 0
}

// parts is the edge i and those after it up to the last that is of the same access, between which nothing
// can come.
func (t *Thread) parts(i int, out [][]int, into []int) (chain []int) {
	op := t.Edges[i].Cmd.Op
	chain = append(chain, i)
	whole := 1
	for q := t.Edges[i].To; len(out[q]) == 1 && into[q] == 1 && t.States[q].Kind == Plain && len(chain) <= len(t.Edges); {
		k := out[q][0]
		c := &t.Edges[k].Cmd
		switch {
		case c.Op == op && c.Part:
			chain = append(chain, k)
			whole = len(chain)
		case c.Op == Assign && !c.Part:
			chain = append(chain, k)
		default:
			return chain[:whole]
		}
		q = t.Edges[k].To
	}
	return chain[:whole]
}
