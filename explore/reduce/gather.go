package reduce

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Gathering is a program in which a thread does in one step what it does in a row, where that is nothing but to
// start threads, or nothing but to wait for them to end. Threads that are alike are then started, and waited for, all the
// same, where the text has an order of them; see [Symmetry].
//
// Let a thread start u and then v. Nobody but v looks at v's cell, so what comes to pass between the two can come to pass after
// both; and to start both at once is to do one after the other. Let it wait for the cells c and then d, which
// are never 0 again once they are not. Then it has waited for both just if both are not 0, and what comes to pass between
// the two can come to pass before both. No property tells the states in between from those that then stand for them: in a row of starts
// where it ends, in a row of waits where it begins.
//
// The step stands on the edge of the first of them; nobody comes to the others, which keep their numbers.
type Gathering struct {
	Program *program.Program
	Ranges  *program.Ranges // its values
	rows    map[edge][]int
}

type edge struct{ thread, edge int }

// Row is the edges that one of the gathering stands for.
func (g *Gathering) Row(thread, e int) []int {
	if row := g.rows[edge{thread, e}]; row != nil {
		return row
	}
	return []int{e}
}

// Gather is the gathering of p, which has these values, for a search for violations of props; nil where there is nothing to gather.
func Gather(p *program.Program, r *program.Ranges, props []program.Property) *Gathering {
	w := &gatherer{p: p, ranges: r, starts: map[int64]bool{}, mentioned: map[program.Expr]bool{}}
	for _, t := range p.Threads {
		if t.States[t.Initial].Kind == program.Unstarted {
			w.starts[t.StartCell(t.Initial)] = true
		}
	}
	mention := func(e program.Expr) {
		program.Walk(e, func(e program.Expr) {
			switch e := e.(type) {
			case program.At:
				w.ats = append(w.ats, e)
			case program.Mem:
				w.mentioned[program.Const(e.Addr)] = true
			case program.ThreadReg:
				w.mentioned[program.ThreadReg{Thread: e.Thread, Reg: e.Reg}] = true
			}
		})
	}
	for _, pr := range props {
		if pr.Kind != program.Forbid && !pr.Final() { // who waits where matters
			return nil
		}
		mention(pr.Cond)
	}
	mention(p.Filter)

	g := &Gathering{rows: map[edge][]int{}}
	q := *p
	g.Program, q.Threads = &q, slices.Clone(p.Threads)
	for t := range p.Threads {
		q.Threads[t] = w.thread(t, g)
	}
	if len(g.rows) == 0 {
		return nil
	}
	g.Ranges = w.values(g)
	return g
}

// values are those of the gathering: those of p, with other commands and control states.
func (w *gatherer) values(g *Gathering) *program.Ranges {
	r := *w.ranges
	r.Reachable = slices.Clone(r.Reachable)
	r.Access, r.Address = map[*program.Command][]int{}, map[*program.Command]program.ValueSet{}
	for i, t := range w.p.Threads {
		s := g.Program.Threads[i]
		r.Reachable[i] = append(slices.Clone(r.Reachable[i]), make([]bool, len(s.States)-len(t.States))...)
		for e := range t.Edges {
			var was, is []*program.Command // accesses
			for _, n := range g.Row(i, e) {
				t.Edges[n].Cmd.Accesses(func(c *program.Command) { was = append(was, c) })
			}
			s.Edges[e].Cmd.Accesses(func(c *program.Command) { is = append(is, c) })
			for k, c := range is {
				r.Access[c], r.Address[c] = w.ranges.Access[was[k]], w.ranges.Address[was[k]]
			}
		}
	}
	return &r
}

// A gatherer gathers the steps of p.
type gatherer struct {
	p         *program.Program
	ranges    *program.Ranges
	starts    map[int64]bool        // the cells that threads wait for to begin
	ats       []program.At          // places of threads that properties are about
	mentioned map[program.Expr]bool // likewise, by address, cells, and registers
}

// A kind of command is what it does in a row with others.
type kind uint8

const (
	neither kind = iota
	starting
	waiting
)

// thread gathers what thread i does.
func (w *gatherer) thread(i int, g *Gathering) *program.Thread {
	t := w.p.Threads[i]
	out, into := t.Out(), make([]int, len(t.States))
	into[t.Initial]++
	kinds := make([]kind, len(t.Edges))
	for e := range t.Edges {
		into[t.Edges[e].To]++
		kinds[e] = w.kind(i, &t.Edges[e].Cmd)
	}
	// next is the edge behind e that is of its row, or -1.
	next := func(e int) int {
		q := t.Edges[e].To
		if kinds[e] == neither || len(out[q]) != 1 || into[q] != 1 || t.States[q].Kind != program.Plain {
			return -1
		}
		n := out[q][0]
		if kinds[n] != kinds[e] {
			return -1
		}
		stays := t.Edges[n].To // where the thread is, while the others do what they have done between the two
		if kinds[e] == waiting {
			stays = t.Edges[e].From
		}
		if w.apart(i, q, stays) {
			return -1
		}
		if kinds[e] == waiting && t.Regs[t.Edges[n].Cmd.Body[0].Reg].Type != t.Regs[t.Edges[e].Cmd.Body[0].Reg].Type {
			return -1
		}
		return n
	}
	inner := make([]bool, len(t.Edges))
	for e := range t.Edges {
		if n := next(e); n >= 0 {
			inner[n] = true
		}
	}
	s := t
	for e := range t.Edges {
		if inner[e] || next(e) < 0 {
			continue
		}
		if s == t { // before the first row
			c := *t
			c.States, c.Edges = append(slices.Clip(t.States), program.State{Name: "nowhere"}), slices.Clone(t.Edges)
			s = &c
		}
		row := []int{e}
		for n := next(e); n >= 0; n = next(n) {
			row = append(row, n)
		}
		g.rows[edge{i, e}] = row
		cmd := t.Edges[e].Cmd
		cmd.Body = nil
		for _, n := range row {
			body := slices.Clone(t.Edges[n].Cmd.Body)
			if kinds[e] == waiting { // all with one register, so that it is no matter which comes first
				body[0].Reg, body[1].Value = t.Edges[e].Cmd.Body[0].Reg, t.Edges[e].Cmd.Body[1].Value
			}
			cmd.Body = append(cmd.Body, body...)
			s.Edges[n].Cmd, s.Edges[n].To = program.Skip(), program.StateID(len(t.States))
		}
		if kinds[e] == waiting {
			reg := cmd.Body[0].Reg
			cmd.Body = append(cmd.Body, program.Command{Op: program.Assign, Reg: reg, Value: program.Const(t.Regs[reg].Init)})
		}
		s.Edges[e].Cmd, s.Edges[e].To = cmd, t.Edges[row[len(row)-1]].To
	}
	return s
}

// kind is what a command of thread i is.
func (w *gatherer) kind(i int, c *program.Command) kind {
	if len(c.Body) == 0 {
		return neither
	}
	first := &c.Body[0]
	addr, ok := first.Addr.(program.Const)
	if !ok {
		return neither
	}
	switch {
	case len(c.Body) == 1 && first.Op == program.Store && w.starts[int64(addr)]:
		if !w.mentioned[addr] && w.grows(int64(addr)) && w.unseen(int64(addr)) {
			return starting
		}
	case len(c.Body) == 2 && first.Op == program.Load && c.Body[1].Op == program.Check &&
		c.Body[1].Value == program.Expr(program.Binary{Op: program.Ne, X: program.Reg(first.Reg), Y: program.Const(0)}):
		if w.grows(int64(addr)) && w.passing(i, first.Reg, c) {
			return waiting
		}
	}
	return neither
}

// grows is whether all that is ever stored in a cell is constants other than 0.
func (w *gatherer) grows(addr int64) bool {
	return w.each(addr, func(c *program.Command) bool {
		v, ok := c.Value.(program.Const)
		return c.Op == program.Load || ok && v != 0
	})
}

// unseen is whether a cell is loaded from in one place only: where a thread begins.
func (w *gatherer) unseen(addr int64) bool {
	loads := 0
	w.each(addr, func(c *program.Command) bool {
		if c.Op == program.Load {
			loads++
		}
		return true
	})
	return loads == 1
}

// apart is whether a property may tell two control states of thread i apart.
func (w *gatherer) apart(i int, q, r program.StateID) bool {
	return slices.ContainsFunc(w.ats, func(at program.At) bool {
		return at.Thread == i && slices.Contains(at.States, q) != slices.Contains(at.States, r)
	})
}

// each is whether ok is true of all accesses to a cell.
func (w *gatherer) each(addr int64, ok func(*program.Command) bool) bool {
	cell := w.ranges.CellIndex(addr)
	for c, cells := range w.ranges.Access {
		if slices.Contains(cells, cell) && !ok(c) {
			return false
		}
	}
	return true
}

// passing is whether only command c of thread i has to do with a register.
func (w *gatherer) passing(i, reg int, c *program.Command) bool {
	if w.mentioned[program.ThreadReg{Thread: i, Reg: reg}] {
		return false
	}
	t := w.p.Threads[i]
	for e := range t.Edges {
		found, d := false, &t.Edges[e].Cmd
		note := func(r int) { found = found || r == reg }
		d.Reads(note)
		d.Writes(note)
		if found && d != c {
			return false
		}
	}
	return true
}
