package robust

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// threat is what one thread, the attacker, could do to robustness as far as the
// automata tell: which stores may be delayed past which loads, and how the
// other threads could close a cycle. It over-approximates: what is not in a
// threat needs no search.
type threat struct {
	thread  int
	targets []delayed // by cell of the delayed store, ascending
	// paths is, by cell of the load, how far the other threads can build a
	// happens-before path from it; nil for cells that no load matters for.
	paths []*tracking
	// race: every path is one that counts; see [Races].
	race bool
	// relevant is the threads that can play a part in a witness.
	relevant []bool
	attacks  []verdict.Attack
	// rounds, where counts is not nil, is how many of the edges for which it
	// is true the attacker may take in a delay; bounded is set where that
	// stopped it. See [Search.Delay].
	rounds  int
	counts  func(edge int) bool
	bounded bool
}

// delayed is the stores to one cell that may begin a delay.
type delayed struct {
	cell int
	// live is, by control state, whether the attacker, its store to the cell
	// delayed, can still get to a load past which the delay matters.
	live []bool
	// stores is, by edge, whether it may be the first delayed store.
	stores []bool
}

// Attacks lists, by thread, the attacks that could matter as far as the automata tell.
func Attacks(p *program.Program) ([][]verdict.Attack, error) {
	r, err := program.Analyse(p)
	if err != nil {
		return nil, err
	}
	var all [][]verdict.Attack
	for t := range p.Threads {
		all = append(all, newThreat(context.Background(), p, r, t, false).attacks)
	}
	return all, nil
}

// evidentWork bounds what [Evident] looks at: the cells, and those that each store may be to, times
// those that each access may be to.
const evidentWork = 1 << 20

// Evident is whether p is robust since no store can be delayed past a load to any effect, as
// far as the automata tell, which takes no search. Where it is false, or there are too many stores
// to look at, p may be robust all the same.
func Evident(p *program.Program, r *program.Ranges) bool {
	edges, stored, accessed := 0, len(r.Cells), 0
	for _, t := range p.Threads {
		edges += len(t.Edges)
		for e := range t.Edges {
			c := &t.Edges[e].Cmd
			c.Accesses(func(a *program.Command) { accessed += len(r.Access[a]) })
			if c.Op == program.Store {
				stored += len(r.Access[c])
			}
		}
	}
	if stored*(edges+accessed) > evidentWork {
		return false
	}
	for t := range p.Threads {
		if len(newThreat(context.Background(), p, r, t, false).attacks) > 0 {
			return false
		}
	}
	return true
}

// contested lists the cells over which threads can conflict: several access
// them and one of them writes.
func contested(r *program.Ranges) []bool {
	cs := make([]bool, len(r.Cells))
	for i := range cs {
		cs[i] = r.Private(i) < 0 && !r.ReadOnly(i)
	}
	return cs
}

// newThreat finds out what a thread could do. Where ctx has ended since, it lacks some of it.
func newThreat(ctx context.Context, p *program.Program, r *program.Ranges, ti int, race bool) *threat {
	th := &threat{thread: ti, race: race, paths: make([]*tracking, len(r.Cells)), relevant: make([]bool, len(p.Threads))}
	disputed := contested(r)
	t := p.Threads[ti]
	out := t.Out()
	for e := range t.Edges {
		st := &t.Edges[e]
		if st.Cmd.Op != program.Store || !r.Reachable[ti][st.From] {
			continue
		}
		for _, c := range r.Access[&st.Cmd] {
			if (disputed[c] || race) && ctx.Err() == nil {
				th.delay(ctx, p, r, t, out, e, c)
			}
		}
	}
	slices.SortFunc(th.targets, func(a, b delayed) int { return a.cell - b.cell })
	th.findRelevant(p, r)
	return th
}

// delay finds the loads past which edge e, a store to cell c, may be delayed
// with an effect: no fence comes between, the cell of the load is not certain to
// be buffered, and there may be a path back.
func (th *threat) delay(ctx context.Context, p *program.Program, r *program.Ranges, t *program.Thread, out [][]int, e, c int) {
	// certain is, by control state, the cells that are buffered on every
	// way there; nil where there is none. A forward dataflow analysis.
	certain := make([]program.RegSet, len(t.States))
	start := program.NewRegSet(len(r.Cells))
	start.Add(c)
	certain[t.Edges[e].To] = start
	work := []program.StateID{t.Edges[e].To}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			cmd := &t.Edges[i].Cmd
			if cmd.Drains() {
				continue
			}
			after := slices.Clone(certain[q])
			if cells := r.Access[cmd]; cmd.Op == program.Store && len(cells) == 1 {
				after.Add(cells[0])
			}
			if to := t.Edges[i].To; meet(&certain[to], after) {
				work = append(work, to)
			}
		}
	}
	good := make([]bool, len(t.States)) // a load that matters leaves the state
	found := false
	for i := range t.Edges {
		ld := &t.Edges[i]
		if ld.Cmd.Op != program.Load || certain[ld.From] == nil {
			continue
		}
		matters := false
		for _, l := range r.Access[&ld.Cmd] {
			if !certain[ld.From].Has(l) && th.reach(ctx, p, r, l, c) {
				matters = true
			}
		}
		if matters {
			good[ld.From], found = true, true
			th.attacks = append(th.attacks, verdict.Attack{Thread: th.thread, Store: e, Load: i})
		}
	}
	if !found {
		return
	}
	// Backwards from there, over states that the delay gets to.
	for changed := true; changed; {
		changed = false
		for i := range t.Edges {
			d := &t.Edges[i]
			if certain[d.From] != nil && good[d.To] && !good[d.From] && !d.Cmd.Drains() {
				good[d.From], changed = true, true
			}
		}
	}
	k := slices.IndexFunc(th.targets, func(d delayed) bool { return d.cell == c })
	if k < 0 {
		k = len(th.targets)
		th.targets = append(th.targets, delayed{c, make([]bool, len(t.States)), make([]bool, len(t.Edges))})
	}
	th.targets[k].stores[e] = true
	for q := range good {
		th.targets[k].live[q] = th.targets[k].live[q] || good[q]
	}
}

// meet intersects *s, nil standing for everything, with o and reports whether
// that changed it.
func meet(s *program.RegSet, o program.RegSet) bool {
	if *s == nil {
		*s = o
		return true
	}
	changed := false
	for i := range *s {
		n := (*s)[i] & o[i]
		changed = changed || n != (*s)[i]
		(*s)[i] = n
	}
	return changed
}

// reach is whether threads other than the attacker may access cell c
// happens-after a load of the attacker from cell l, as far as that is found out before ctx ends.
func (th *threat) reach(ctx context.Context, p *program.Program, r *program.Ranges, l, c int) bool {
	if th.paths[l] == nil && ctx.Err() == nil {
		th.paths[l] = newTracking(p, r, th.thread, l)
	}
	return th.closes(l, c)
}

// closes is reach for the cells that have been asked for.
func (th *threat) closes(l, c int) bool {
	k := th.paths[l]
	return k != nil && (k.touched[c] || th.race && k.touched[l])
}

// The marks of a cell: what of it is happens-after the attacker's load.
const (
	unmarked = iota
	markRead
	markWrite
)

// tracking is happens-before, blind to values: which cells and control states
// the other threads can come to after the load.
type tracking struct {
	p     *program.Program
	r     *program.Ranges
	marks []uint8
	// touched is, by cell, whether one of the other threads accesses it.
	touched []bool
	joined  [][]bool // by thread and control state
	moved   bool
}

func newTracking(p *program.Program, r *program.Ranges, attacker, cell int) *tracking {
	k := &tracking{p: p, r: r, marks: make([]uint8, len(r.Cells)),
		touched: make([]bool, len(r.Cells)), joined: make([][]bool, len(p.Threads))}
	for t := range p.Threads {
		k.joined[t] = make([]bool, len(p.Threads[t].States))
	}
	k.marks[cell] = markRead
	for k.moved = true; k.moved; {
		k.moved = false
		for t := range p.Threads {
			if t != attacker {
				k.thread(t)
			}
		}
	}
	return k
}

func (k *tracking) thread(ti int) {
	t := k.p.Threads[ti]
	for i := range t.Edges {
		e := &t.Edges[i]
		if !k.r.Reachable[ti][e.From] {
			continue
		}
		if !k.joined[ti][e.From] {
			conflict := false
			e.Cmd.Accesses(func(a *program.Command) {
				for _, c := range k.r.Access[a] {
					conflict = conflict || k.marks[c] == markWrite || k.marks[c] == markRead && a.Op == program.Store
				}
			})
			if !conflict {
				continue
			}
			k.section(ti, e.From)
		}
		k.mark(e)
		if !k.joined[ti][e.To] {
			k.joined[ti][e.To], k.moved = true, true
		}
	}
}

func (k *tracking) mark(e *program.Edge) {
	e.Cmd.Accesses(func(a *program.Command) {
		m := uint8(markRead)
		if a.Op == program.Store {
			m = markWrite
		}
		for _, c := range k.r.Access[a] {
			k.touched[c] = true
			if k.marks[c] < m {
				k.marks[c], k.moved = m, true
			}
		}
	})
}

// section marks what a thread that joins at q may have accessed in the locked
// section that it is in: the events of a section happen together.
func (k *tracking) section(ti int, q program.StateID) {
	t := k.p.Threads[ti]
	if !flow.Locking(t) {
		return
	}
	inside := make([]bool, len(t.States))
	inside[q] = true
	for changed := true; changed; {
		changed = false
		for i := range t.Edges {
			e := &t.Edges[i]
			if inside[e.To] && e.Cmd.Op != program.Lock && e.Cmd.Op != program.Unlock {
				k.mark(e)
				if !inside[e.From] {
					inside[e.From], changed = true, true
				}
			}
		}
	}
}

// findRelevant finds the threads that can play a part: the attacker, those that
// can be on a path of a target, and whoever writes what a relevant thread reads.
func (th *threat) findRelevant(p *program.Program, r *program.Ranges) {
	if len(th.targets) == 0 {
		return
	}
	th.relevant[th.thread] = true
	for _, k := range th.paths {
		for t := range p.Threads {
			th.relevant[t] = th.relevant[t] || k != nil && slices.Contains(k.joined[t], true)
		}
	}
	for changed := true; changed; {
		changed = false
		for t := range p.Threads {
			if th.relevant[t] {
				continue
			}
			for c := range r.Cells {
				if !r.Writers[c][t] {
					continue
				}
				for u := range p.Threads {
					if r.Readers[c][u] && th.relevant[u] && !th.relevant[t] {
						th.relevant[t], changed = true, true
					}
				}
			}
		}
	}
}

// with is whether the attacker and thread t could do it alone.
func (th *threat) with(r *program.Ranges, t int) bool {
	for l, k := range th.paths {
		if k == nil || !r.Writers[l][t] {
			continue
		}
		for _, d := range th.targets {
			if th.race || r.Readers[d.cell][t] || r.Writers[d.cell][t] {
				return true
			}
		}
	}
	return false
}
