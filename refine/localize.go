package refine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Localize searches the states of p with some values left open, those of counters above all (localization reduction, Kurshan 1994).
// Where no address, assertion or property depends on what a register or a cell holds, and that may be more than many values, it is left out: what
// checks it may go either way, and what is made of it is left out as well; so is, under SC, what not even a check depends on: elsewhere a store may
// be what a loop waits for until there is room in the buffer. Whatever p does this does, too: leaving out
// assignments, stores and checks changes neither addresses nor the values that are kept, and a store that is not there delays
// nobody. So p is safe if that is. A violation of it says nothing of p. Where a deadlock is one, values are left open only that
// a thread goes one way or another by, and never waits for: then a thread that is stuck is stuck in both.
func Localize(ctx context.Context, p *program.Program, many uint64, o explore.Options) (*verdict.Result, error) {
	start := time.Now()
	if deadlocks(p) && flow.Locks(p) { // while somebody has the lock, a store waits: one that is not there does not
		return verdict.Unknown(p, o.Model, "a deadlock may be for a store that waits for the lock, whatever it stores"), nil
	}
	q, open, err := localized(ctx, p, o.Model, many)
	if err != nil {
		return verdict.Early(ctx, p, o.Model, err)
	}
	if len(open) == 0 {
		return verdict.Unknown(p, o.Model, "no values that are many and do not matter"), nil
	}
	if err := program.Sanity(q); err != nil {
		return nil, fmt.Errorf("with values left open: %w", err)
	}
	inner, err := explore.Check(ctx, q, o)
	var diagnostic *program.Diagnostic
	if errors.As(err, &diagnostic) { // of a run that p need not have
		return verdict.Unknown(p, o.Model, "with values left open the program has no meaning: "+diagnostic.Msg), nil
	}
	if astray := (*abstract.Astray)(nil); errors.As(err, &astray) { // nor this one
		return verdict.Unknown(p, o.Model, "with values left open the program accesses what is no memory"), nil
	}
	if err != nil {
		return nil, err
	}
	var r *verdict.Result
	switch {
	case inner.Safe():
		r = verdict.Safe(p, o.Model, verdict.Localized, nil)
		r.Notes = append(r.Notes, "it does not matter what these hold: "+list(open))
	case inner.Unsafe():
		r = verdict.Unknown(p, o.Model, "a violation with the values of "+list(open)+" left open, which says nothing")
	default:
		r = verdict.Unknown(p, o.Model, inner.Reason())
	}
	r.Stats, r.Elapsed = inner.Stats, time.Since(start)
	return r, nil
}

// deadlocks is whether a deadlock is a violation.
func deadlocks(p *program.Program) bool {
	return slices.ContainsFunc(p.Properties, func(y program.Property) bool { return y.Kind == program.Deadlock })
}

// list is the first few of some names.
func list(names []string) string {
	const most = 4
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

// ManyValues is how many values a register or a cell usually may have so that these are left as they are.
const ManyValues = 8

// localized is p without what may hold more than many values, and the names of that.
func localized(ctx context.Context, p *program.Program, m memory.Model, many uint64) (*program.Program, []string, error) {
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	l := &localization{p: p, r: r, first: []int{0}}
	for _, t := range p.Threads {
		l.first = append(l.first, l.first[len(l.first)-1]+len(t.Regs))
	}
	n := l.first[len(p.Threads)] + len(r.Cells)
	l.needed, l.open = make([]bool, n), make([]bool, n)
	l.need(m)
	deciding := l.deciding()
	some := false // otherwise this would be a search as any other
	leftOut := func(v int, values program.ValueSet) bool {
		if !l.needed[v] && values.Size() > many {
			some = true
			return true
		}
		return !deciding[v] && m == memory.SC
	}
	var names []string
	for ti, t := range p.Threads {
		for i := range t.Regs {
			if v := l.first[ti] + i; leftOut(v, r.Reg[ti][i]) {
				l.open[v] = true
				if !t.Regs[i].Temp {
					names = append(names, fmt.Sprintf("%s of %s", t.Regs[i].Name, t.Name))
				}
			}
		}
	}
	for i := range r.Cells {
		if v := l.cell(i); leftOut(v, r.Cell[i]) {
			l.open[v] = true
			if r.Cells[i].Name != "" {
				names = append(names, r.Cells[i].Name)
			}
		}
	}
	if !some {
		return p, nil, nil
	}
	l.spread(l.open, func(from []int, to int) bool {
		return slices.ContainsFunc(from, func(v int) bool { return l.open[v] }) && mark(l.open, to)
	})
	if names == nil {
		names = []string{"what is computed on the way"}
	}
	return l.write(), names, nil
}

// A localization says of the registers and cells of a program, which have numbers, what depends on them.
type localization struct {
	p     *program.Program
	r     *program.Ranges
	first []int // by thread: the number of its first register; and that of the first cell
	// What decides of addresses, assertions and properties; and what is left out.
	needed, open []bool
}

func (l *localization) cell(i int) int { return l.first[len(l.p.Threads)] + i }

// regs is the numbers of the registers in an expression.
func (l *localization) regs(thread int, e program.Expr) (vs []int) {
	program.Walk(e, func(e program.Expr) {
		switch e := e.(type) {
		case program.Reg:
			vs = append(vs, l.first[thread]+int(e))
		case program.ThreadReg:
			vs = append(vs, l.first[e.Thread]+e.Reg)
		case program.Mem:
			if i := l.r.CellIndex(e.Addr); i >= 0 {
				vs = append(vs, l.cell(i))
			}
		}
	})
	return vs
}

// cells is the numbers of the cells that an access may be to.
func (l *localization) cells(c *program.Command) (vs []int) {
	for _, i := range l.r.Access[c] {
		vs = append(vs, l.cell(i))
	}
	return vs
}

// each calls f for the commands of the threads, and those in bodies.
func (l *localization) each(f func(thread int, c *program.Command, atomic bool)) {
	for ti, t := range l.p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			if f(ti, c, false); c.Op == program.Atomic {
				for k := range c.Body {
					f(ti, &c.Body[k], true)
				}
			}
		}
	}
}

// mark adds v to a set; it is false where v was in it.
func mark(set []bool, v int) bool {
	was := set[v]
	set[v] = true
	return !was
}

// spread calls flow for what a register or a cell is made from, and what that is, until it has nothing new.
func (l *localization) spread(set []bool, flow func(from []int, to int) bool) {
	for again := true; again; {
		again = false
		l.each(func(ti int, c *program.Command, _ bool) {
			switch c.Op {
			case program.Assign:
				again = flow(l.regs(ti, c.Value), l.first[ti]+c.Reg) || again
			case program.Load:
				again = flow(l.cells(c), l.first[ti]+c.Reg) || again
			case program.Store:
				from := l.regs(ti, c.Value)
				for _, to := range l.cells(c) {
					again = flow(from, to) || again
				}
			}
		})
	}
}

// need finds out what is needed: all that addresses, assertions and properties are made from. Under models with store buffers
// so are cells that are accessed in atomic blocks, so that these are there, and wait for the buffer.
func (l *localization) need(m memory.Model) {
	needs := func(vs []int) {
		for _, v := range vs {
			l.needed[v] = true
		}
	}
	for i := range l.p.Properties {
		needs(l.regs(0, l.p.Properties[i].Cond))
	}
	needs(l.regs(0, l.p.Filter))
	l.each(func(ti int, c *program.Command, atomic bool) {
		needs(l.regs(ti, c.Addr))
		if c.Op == program.Assert {
			needs(l.regs(ti, c.Value))
		}
		if atomic && m != memory.SC {
			needs(l.cells(c))
		}
	})
	deadlock := deadlocks(l.p)
	for ti, t := range l.p.Threads {
		for q, out := range t.Out() {
			if t.States[q].Kind == program.Unstarted {
				needs(l.regs(0, program.Mem{Addr: t.StartCell(program.StateID(q))}))
				for _, b := range t.Edges[out[0]].Cmd.Body { // a thread that nobody starts has come to its end
					needs(l.regs(ti, b.Value))
				}
			}
			if !deadlock || len(out) == 2 && flow.Opposite(&t.Edges[out[0]].Cmd, &t.Edges[out[1]].Cmd) {
				continue
			}
			for _, i := range out {
				for _, c := range append([]program.Command{t.Edges[i].Cmd}, t.Edges[i].Cmd.Body...) {
					if c.Op == program.Check {
						needs(l.regs(ti, c.Value))
					}
				}
			}
		}
	}
	l.sources(l.needed)
}

// sources adds to a set what anything in it is made from.
func (l *localization) sources(set []bool) {
	l.spread(set, func(from []int, to int) (more bool) {
		if set[to] {
			for _, v := range from {
				more = mark(set, v) || more
			}
		}
		return more
	})
}

// deciding is what is needed and what checks are made from: whatever else there is makes no difference, however few values it has.
func (l *localization) deciding() []bool {
	set := slices.Clone(l.needed)
	l.each(func(ti int, c *program.Command, _ bool) {
		if c.Op == program.Check {
			for _, v := range l.regs(ti, c.Value) {
				set[v] = true
			}
		}
	})
	l.sources(set)
	return set
}

// write is the program without what is left open.
func (l *localization) write() *program.Program {
	q := *l.p
	q.Threads = nil
	for ti, t := range l.p.Threads {
		u := *t
		u.Edges = slices.Clone(t.Edges)
		for i := range u.Edges {
			u.Edges[i].Cmd = l.command(ti, &t.Edges[i].Cmd)
		}
		q.Threads = append(q.Threads, &u)
	}
	return &q
}

// command is a command without what is left open.
func (l *localization) command(ti int, c *program.Command) program.Command {
	left := func(vs []int) bool { return slices.ContainsFunc(vs, func(v int) bool { return l.open[v] }) }
	all := func(vs []int) bool {
		return len(vs) > 0 && !slices.ContainsFunc(vs, func(v int) bool { return !l.open[v] })
	}
	skip := program.Skip()
	skip.Pos = c.Pos
	switch c.Op {
	case program.Assign, program.Havoc:
		if l.open[l.first[ti]+c.Reg] {
			return skip
		}
	case program.Check:
		if left(l.regs(ti, c.Value)) {
			return skip
		}
	case program.Load, program.Store:
		if all(l.cells(c)) {
			return skip
		}
	case program.Atomic:
		next := *c
		next.Body = nil
		for k := range c.Body {
			if b := l.command(ti, &c.Body[k]); !b.IsSkip() {
				next.Body = append(next.Body, b)
			}
		}
		if len(next.Body) == 0 {
			return skip
		}
		return next
	}
	return *c
}
