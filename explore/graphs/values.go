package graphs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// ErrValues says that what a thread may read and compute is too much for an
// enumeration of executions.
var ErrValues = errors.New("graphs: too many values to choose from for an enumeration of executions")

// findValues finds which values each thread may write to each cell. It runs the
// threads on their own, with reads that give any value that was found to be
// written. A value that is not out of thin air depends on a chain of writes in
// which none occurs twice, so that there are no more rounds than writes.
func (x *enumeration) findValues() error {
	known := make([][]int64, len(x.ranges.Cells))
	for i, c := range x.ranges.Cells {
		known[i] = []int64{c.Init}
	}
	writes := 0
	for _, t := range x.threads {
		for e := range t.Edges {
			t.Edges[e].Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Store {
					writes += 1 + x.backEdges
				}
			})
		}
	}
	written := make([][][]int64, len(x.threads)) // by thread and cell
	for range writes + 1 {
		for k := range x.threads {
			l := &localRun{x: x, t: &x.threads[k], known: known, written: make([][]int64, len(known)), seen: map[string]bool{}}
			if err := l.run(); err != nil {
				return err
			}
			written[k] = l.written
		}
		changed := false
		next := slices.Clone(known)
		for _, by := range written {
			for i := range by {
				if u := merge(next[i], by[i]); len(u) > len(next[i]) {
					next[i], changed = u, true
				}
			}
		}
		if !changed {
			break
		}
		known = next
	}
	n := len(x.threads)
	x.values = make([][][]int64, n+1)
	x.values[n] = make([][]int64, len(known))
	for k := n - 1; k >= 0; k-- {
		x.values[k] = slices.Clone(x.values[k+1])
		for i := range known {
			x.values[k][i] = merge(x.values[k][i], written[k][i])
		}
	}
	x.guesses = x.values[1:]
	if !refutesOwnFuture(x.def) {
		x.guesses = x.values[:n]
	}
	return nil
}

// merge is the values of both, ascending.
func merge(a, b []int64) []int64 {
	u := slices.Concat(a, b)
	slices.Sort(u)
	return slices.Compact(u)
}

// refutesOwnFuture is true of a model under which no read can read from a later
// write of its own thread, whatever else the two have to do with each other.
func refutesOwnFuture(def *memory.Definition) bool {
	for how := range 1 << 7 {
		is := func(bit int) bool { return how>>bit&1 != 0 }
		block := how >> 2 & 1
		tags := func(bit int) (t program.Tags) {
			if is(bit) {
				t = program.NewTags(program.TagLocked)
			}
			return t
		}
		g := &memory.Graph{}
		init := g.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write})
		r := g.Add(memory.Event{Kind: memory.Read, Value: 1, Tags: tags(0), Block: block})
		w := g.Add(memory.Event{Kind: memory.Write, Value: 1, Tags: tags(1), Block: block})
		g.CO.Add(init, w)
		g.RF.Add(w, r)
		for bit, rel := range []memory.Relation{g.RMW, g.Addr, g.Data, g.Ctrl} {
			if is(3 + bit) {
				rel.Add(r, w)
			}
		}
		if !def.Refutes(g) {
			return false
		}
	}
	return true
}

// localRun runs one thread on its own.
type localRun struct {
	x       *enumeration
	t       *thread
	known   [][]int64 // by cell: what a read may give
	written [][]int64 // by cell
	seen    map[string]bool
	work    []localState
}

type localState struct {
	pc     program.StateID
	rounds int
	regs   []int64
}

// maxLocalStates bounds what is visited of one thread.
const maxLocalStates = 1 << 18

func (l *localRun) run() error {
	regs := make([]int64, len(l.t.Regs))
	for r := range regs {
		regs[r] = l.t.Regs[r].Init
	}
	l.visit(localState{l.t.Initial, 0, regs})
	for len(l.work) > 0 {
		if err := l.x.ctx.Err(); err != nil {
			return err
		}
		if len(l.seen) > maxLocalStates {
			return fmt.Errorf("%w: thread %s", ErrValues, l.t.Name)
		}
		s := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		for _, e := range l.t.out[s.pc] {
			n := localState{l.t.Edges[e].To, s.rounds, nil}
			if l.t.loops.Back[e] {
				n.rounds++
			}
			if l.t.loops.Wait[e] || n.rounds > l.x.backEdges {
				continue
			}
			l.command(&l.t.Edges[e].Cmd, slices.Clone(s.regs), func(regs []int64) {
				n.regs = regs
				l.visit(n)
			})
		}
	}
	return nil
}

// visit takes note of a state, in which dead registers do not count.
func (l *localRun) visit(s localState) {
	for r := range s.regs {
		if !l.t.live[s.pc].Has(r) {
			s.regs[r] = 0
		}
	}
	key := fmt.Sprint(s.pc, s.rounds, s.regs)
	if !l.seen[key] {
		l.seen[key] = true
		l.work = append(l.work, s)
	}
}

// command executes c in all the ways that there are. regs is its own to change.
func (l *localRun) command(c *program.Command, regs []int64, then func([]int64)) {
	eval := func(e program.Expr) int64 {
		return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return regs[r] }})
	}
	set := func(v int64) []int64 {
		n := slices.Clone(regs)
		n[c.Reg] = l.t.Regs[c.Reg].Type.Wrap(v)
		return n
	}
	switch c.Op {
	case program.Check, program.Assert:
		// The values that make it true may yet have to be found.
		if eval(c.Value) == 0 && !l.x.speculative {
			return
		}
	case program.Assign:
		regs = set(eval(c.Value))
	case program.Havoc:
		for v := c.Lo; ; v++ {
			then(set(v))
			if v == c.Hi || len(l.seen) > maxLocalStates {
				return
			}
		}
	case program.Load, program.Store:
		cell := l.x.ranges.CellIndex(eval(c.Addr))
		switch {
		case cell < 0:
			if l.x.speculative { // the address may yet have to be found
				then(regs)
			}
			return
		case c.Op == program.Load:
			for _, v := range l.known[cell] {
				then(set(v))
			}
			return
		}
		v := l.x.ranges.Cells[cell].Type.Wrap(eval(c.Value))
		l.written[cell] = merge(l.written[cell], []int64{v})
	case program.Atomic:
		l.sequence(c.Body, regs, then)
		return
	}
	then(regs)
}

func (l *localRun) sequence(body []program.Command, regs []int64, then func([]int64)) {
	if len(body) == 0 {
		then(slices.Clone(regs))
		return
	}
	l.command(&body[0], regs, func(regs []int64) { l.sequence(body[1:], regs, then) })
}
