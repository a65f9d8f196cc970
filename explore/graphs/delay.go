package graphs

import (
	"slices"
	"unsafe"

	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Under the models of hardware a read may see what is written after it in program order, but nothing
// comes before what it rests on: what a read gives to the address, the data or the branches before a
// write, and reads-from, have no cycle together. So every execution can be built along these. All threads
// are run at once, each as far as its branches are known, so that there is a part of the program order of
// every thread, in which some addresses and values are not known yet (the holes of HMC, Kokologiannakis
// and Vafeiadis, ASPLOS 2020). A write is settled as soon as its address and value are known, and, of a read-modify-write, what its
// read reads from, at some place of coherence. Where nothing else can be done, a read whose address is known takes one of the writes that are
// settled, or is delayed: then its source is a write that is settled later, and of each such write it is decided at once
// whether it is that one.
//
// What comes next is a function of what has been decided, and the ways on exclude one another: a
// given execution agrees with one of them. So each is met once, without a table of those that were met,
// in memory for one. No event is taken back, as HMC does; the price is parts of executions with
// a read whose source never comes. They are given up as soon as it is seen that nothing
// that may still be written can be it, and are no more than the delays that are tried.
//
// No value comes of itself: it is computed from reads that are settled before it. Only on a condition that is owed may more rest than is
// computed, as on the success of a compare-and-swap whose thread goes on as if it had succeeded; then the axioms see to it (see [Along]).
//
// The model judges what is settled, which may lack events in the middle of threads; so
// only monotone axioms are asked before the end.

// fewLoads is up to how many loads in the text there is nothing to be gained: few values are guessed then,
// and each takes less time.
const fewLoads = 6

// delays is whether executions of x are built along dependencies: the model has to keep what depends on a read, by
// address, data or branch to a write, behind it.
func (x *enumeration) delays() bool {
	loads := 0
	for i := range x.threads {
		loads += x.threads[i].loads * (1 + x.backEdges)
	}
	if x.way == oneByOne || x.way == anyWay && loads <= fewLoads {
		return false
	}
	return Along(x.def) && !locks(x.p) && !joins(x.p)
}

// Along is true of a definition under whose axioms nothing comes before what it depends on, so that
// executions can be built along dependencies (data and addresses are in ppo of all four, picked ones in armv8's order before what is written), and that is not known to keep program order and reads-from acyclic.
func Along(def *memory.Definition) bool {
	switch def.Model {
	case memory.IMM, memory.ARMv8, memory.Power, memory.RISCV:
		return true
	}
	return false
}

// A way is how executions are enumerated.
type way uint8

const (
	anyWay   way = iota
	oneByOne     // the threads, one after the other
	atOnce       // all threads, along dependencies
)

// none is no event.
const none = -1

// A hole is an event that may not be settled yet: one of a thread, at its place in program order.
type hole struct {
	memory.Event
	cell    int  // -1: not known yet
	known   bool // the value is
	settled bool // a write has its place, a read its source
	hidden  bool // the event is not shown to the model, since what it is depends on its value
	delayed bool // a read whose source is yet to come
	source  int  // of a read: none, an event, or that of the initial write of cell c, -2-c
	addr    program.Expr
	value   program.Expr // of a write; registers are numbers of reads
	// What it depends on, by events.
	ctrl, addrs, data []dependency
	casdep            []int
	block             []int // the accesses of its block that come before a write
	// An exclusive write: the places in its thread of the exclusive accesses that it may belong to.
	linked, exclusive int
	cmd               *program.Command
}

// What a thread of a delayed execution does.
type runner struct {
	pc                program.StateID
	rounds            int
	ended             bool
	waits             program.Expr   // a condition that has to be known before it goes on; nil: it goes on
	regs              []program.Expr // constants, or over reads
	deps              [][]dependency
	ctrl              []dependency
	exclusive, linked int   // as in [partial], by places in the thread
	first             int   // the read that all ways on from pc begin with, or none
	events            []int // in program order
}

// unfolding is a part of an execution.
type unfolding struct {
	holes     []hole
	threads   []runner // in the order of the enumeration
	order     [][]int  // by cell: the writes in coherence order; the first is the initial one, -2-c
	block     int
	owed      []program.Expr   // conditions that have to come out true
	unstarted []int            // cells that are 0 in the end
	stuck     bool             // a thread has ended that has not come to its end
	cut       bool             // one of them has met the bound on back edges
	failed    *program.Command // the assertion that has failed
	failer    int              // the thread it has failed in
}

func (s *unfolding) clone() *unfolding {
	c := *s
	c.holes = slices.Clone(s.holes)
	c.threads = slices.Clone(s.threads)
	for i := range c.threads {
		t := &c.threads[i]
		t.regs, t.deps, t.events = slices.Clone(t.regs), slices.Clone(t.deps), slices.Clone(t.events)
	}
	c.order = slices.Clone(s.order)
	c.owed, c.unstarted = slices.Clip(s.owed), slices.Clip(s.unstarted)
	return &c
}

// bytes is about what a copy of s takes.
func (s *unfolding) bytes() int64 {
	n := 200 + len(s.holes)*int(unsafe.Sizeof(hole{}))
	for i := range s.threads {
		t := &s.threads[i]
		n += int(unsafe.Sizeof(*t)) + 40*len(t.regs) + 8*len(t.events)
	}
	return int64(n + 32*len(s.order) + 16*len(s.owed))
}

// know is the value of an expression over reads, if it is known.
func (s *unfolding) know(e program.Expr) (v int64, known bool) {
	if k, ok := e.(program.Const); ok {
		return int64(k), true
	}
	known = true
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			known = known && s.holes[r].known
		}
	})
	if known {
		v = program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return s.holes[r].Value }})
	}
	return v, known
}

// over is e with what registers hold.
func over(e program.Expr, regs []program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Reg:
		return regs[e]
	case program.Unary:
		return program.Unary{Op: e.Op, X: over(e.X, regs)}
	case program.Binary:
		return program.Binary{Op: e.Op, X: over(e.X, regs), Y: over(e.Y, regs)}
	}
	return e
}

func (s *unfolding) over(e program.Expr, t int) program.Expr {
	e = over(e, s.threads[t].regs)
	if v, ok := s.know(e); ok {
		return program.Const(v)
	}
	return e
}

// cast is e as a value of a type.
func cast(e program.Expr, typ program.Type) program.Expr {
	if k, ok := e.(program.Const); ok {
		return program.Const(typ.Wrap(int64(k)))
	}
	return program.Unary{Op: program.Cast(typ), X: e}
}

// unfold enumerates along dependencies, from the part of an execution that it returns.
func (x *enumeration) unfold(j *judging) (*unfolder, *unfolding) {
	u := &unfolder{enumeration: x, part: x.def.PartRefuter(), judge: j, trials: trials}
	u.mayWrite = make([][][]bool, len(x.threads))
	for k := range x.threads {
		u.mayWrite[k] = u.reach(&x.threads[k])
	}
	s := &unfolding{order: make([][]int, len(x.cells))}
	for c := range x.cells {
		s.order[c] = []int{-2 - c}
	}
	for k := range x.threads {
		t := &x.threads[k]
		r := runner{pc: t.Initial, exclusive: -1, linked: -1, first: none, regs: make([]program.Expr, len(t.Regs)), deps: make([][]dependency, len(t.Regs))}
		for i := range t.Regs {
			r.regs[i] = program.Const(t.Regs[i].Init)
		}
		s.threads = append(s.threads, r)
	}
	x.first = 1
	if !x.def.RefutesOwnFuture() {
		x.first = 0
	}
	return u, s
}

type unfolder struct {
	*enumeration
	mayWrite [][][]bool // by thread, state and cell: whether a write to it may come
	part     *memory.Refuter
	trials   int64 // after how many parts it is settled
	marked   *bool // whether a store may be of a mark; nil: not looked yet
	depth    int
	peak     int64 // bytes that were held
	scratch  memory.Graph
	number   []int // by event, in a graph; initial: of the initial write, by cell
	initial  []int
	judge    *judging // nil: no assertion is asked for, and what does not come to its end does not count

	// Where it is in the tree of all parts.
	path      []int32
	share     float64 // of the tree, what is below here
	branched  bool    // what was below the last child has been accounted for
	crew      *crew.Crew[gift]
	cancelled bool    // what is below here is of no interest any more
	polls     int     // since it was looked whether that is so
	foundAt   []int32 // the path to what the judge has found
	told      judging // of what there is
	walk      *walk   // where parts are not visited, but taken along
}

// reach is, by state, the cells that t may write on its way on.
func (u *unfolder) reach(t *thread) [][]bool {
	all := make([][]bool, len(t.States))
	for q := range all {
		all[q] = make([]bool, len(u.cells))
	}
	for changed := true; changed; {
		changed = false
		set := func(q program.StateID, c int) {
			if !all[q][c] {
				all[q][c], changed = true, true
			}
		}
		for e := range t.Edges {
			from := t.Edges[e].From
			t.Edges[e].Cmd.Accesses(func(a *program.Command) {
				if a.Op != program.Store {
					return
				}
				for _, c := range u.mayAccess(a) {
					set(from, c)
				}
			})
			for c, yes := range all[t.Edges[e].To] {
				if yes {
					set(from, c)
				}
			}
		}
	}
	return all
}

// mayAccess is the cells that a command may access.
func (u *unfolder) mayAccess(a *program.Command) []int {
	if k, ok := program.Fold(a.Addr).(program.Const); ok {
		if c := u.cellAt(int64(k)); c >= 0 {
			return []int{c}
		}
		return nil
	}
	if u.ranges != nil && len(u.ranges.Cells) == len(u.cells) { // else they are numbered in other ways
		if cs, ok := u.ranges.Access[a]; ok {
			return cs
		}
	}
	all := make([]int, len(u.cells))
	for c := range all {
		all[c] = c
	}
	return all
}

// run goes on with s, which is its own to change.
func (u *unfolder) run(s *unfolding) {
	if u.depth++; u.depth > maxSteps || len(s.holes) > maxEvents {
		u.stop(ErrLong)
	}
	size := s.bytes()
	if u.held += size; u.held > u.limit {
		u.stop(ErrMemory)
	}
	u.peak = max(u.peak, u.held)
	defer func() { u.depth--; u.held -= size }()
	for {
		if u.over() {
			return
		}
		if u.graphs > 0 {
			if u.met++; u.met > u.graphs {
				u.stop(ErrMany)
				return
			}
		}
		t := slices.IndexFunc(s.threads, func(r runner) bool {
			if r.ended {
				return false
			}
			if r.waits == nil {
				return true
			}
			_, known := s.know(r.waits)
			return known
		})
		if t < 0 {
			break
		}
		s.threads[t].waits = nil
		if !u.advance(s, t, false) {
			return
		}
	}
	for _, e := range s.owed {
		if v, known := s.know(e); known && v == 0 {
			u.drop()
			return
		}
	}
	early := none // a write that may have to come before what its read reads from
	for e := range s.holes {
		h := &s.holes[e]
		if h.Kind == memory.Fence || h.settled {
			continue
		}
		if h.cell < 0 {
			a, known := s.know(h.addr)
			if !known {
				continue
			}
			if h.cell = u.cellAt(a); h.cell < 0 {
				if u.judge != nil {
					u.judge.outside = u.judge.outside || !u.refuted(s, true)
				}
				u.drop()
				return // nowhere, on the strength of an assertion that fails
			}
			cell := &u.cells[h.cell]
			h.Addr, h.Loc, h.Mark, h.Members = cell.Addr, cell.Name, cell.Mark, cell.Members
		}
		if h.Kind == memory.Write {
			if v, known := s.know(h.value); known {
				h.Value, h.known = u.cells[h.cell].Type.Wrap(v), true
				if r := s.updates(h); r != none && !s.holes[r].settled {
					if early == none && u.forwards(s, e) {
						early = e
					}
					continue
				}
				u.place(s, e)
				return
			}
		}
	}
	if !u.hopeful(s) {
		u.drop()
		return
	}
	// A read that no later write can be the source of needs no delay.
	best, final := none, false
	for e := range s.holes {
		h := &s.holes[e]
		if h.Kind != memory.Read || h.settled || h.delayed || h.cell < 0 || final {
			continue
		}
		h.delayed = true
		if f := !u.hopeful(s); best < 0 || f {
			best, final = e, f
		}
		h.delayed = false
	}
	if best >= 0 {
		u.source(s, best, !final)
		return
	}
	for t := range s.threads {
		if s.threads[t].ended {
			continue
		}
		if !u.guesses(s, t) {
			continue
		}
		s.threads[t].waits = nil
		if u.advance(s, t, true) {
			u.run(s)
		}
		return
	}
	if early != none {
		u.place(s, early)
		return
	}
	unsettled := func(h hole) bool { return h.Kind != memory.Fence && !h.settled }
	if slices.ContainsFunc(s.threads, func(r runner) bool { return !r.ended }) || slices.ContainsFunc(s.holes, unsettled) {
		u.drop()
		return
	}
	u.finish(s)
}

// drop takes note of a part that no execution comes of.
func (u *unfolder) drop() {
	if u.judge != nil {
		u.judge.dropped++
	}
}

// guesses is whether what comes after where thread k waits does not depend on what it waits for: that is so of
// an atomic command all of whose ways lead to one state, as those of a compare-and-swap. Then it can be
// executed first, whichever way that will have been. Under imm that is in vain: what comes after the read of a read-modify-write depends on it ([R & RMW]; po).
func (u *unfolder) guesses(s *unfolding, k int) bool {
	t, q := &u.threads[k], s.threads[k].pc
	if t.Forks(q) || u.def.Model == memory.IMM && u.p.Arch == program.C11 {
		return false
	}
	for _, e := range t.out[q] {
		if t.Edges[e].Cmd.Op != program.Atomic {
			return false
		}
	}
	return true
}

// hopeful is false where a read is delayed that no write can come for.
func (u *unfolder) hopeful(s *unfolding) bool {
	var waiting []int
	for e := range s.holes {
		if h := &s.holes[e]; h.Kind == memory.Read && !h.known && !h.settled && (h.delayed || h.cell < 0) {
			waiting = append(waiting, e)
		}
	}
	if len(waiting) == 0 {
		return true
	}
	stuck := make([]bool, len(s.holes))
	for _, e := range waiting {
		stuck[e] = true
	}
	for changed := true; changed; {
		changed = false
		for _, e := range waiting {
			if !stuck[e] {
				continue
			}
			h := &s.holes[e]
			if h.cell < 0 && !rests(h.addr, stuck) || h.cell >= 0 && u.coming(s, e, stuck) {
				stuck[e], changed = false, true
			}
		}
	}
	return !slices.Contains(stuck, true)
}

// updates is the read of the read-modify-write that h is the write of, or none. What it reads from says where in coherence the write is, for which
// there are many places before that is known; and where nothing that it may read from is to come, nor is the write, since the models keep it behind the read.
func (s *unfolding) updates(h *hole) int {
	for i := len(h.block) - 1; i >= 0; i-- {
		if o := &s.holes[h.block[i]]; o.cell == none || o.cell == h.cell && o.Kind == memory.Write {
			break
		} else if o.cell == h.cell {
			return h.block[i]
		}
	}
	return none
}

// forwards is whether the thread of a read-modify-write may read from the write w of it, and do what rests on that, before it is known what that
// has read: of armv8 the axioms do not say that it must not, unless the later read acquires. ([R & RMW]; po is in ppo of imm, [X & W]; rfi in that of riscv; and in cc of
// power is po-loc, by which the two reads are in order.)
func (u *unfolder) forwards(s *unfolding, w int) bool {
	o := &s.holes[w]
	return u.def.Model == memory.ARMv8 && slices.ContainsFunc(s.holes, func(h hole) bool {
		return h.Kind == memory.Read && !h.settled && h.Thread == o.Thread && h.Index > o.Index && (h.cell == o.cell || h.cell < 0)
	})
}

// rests is whether e is over a read that is stuck.
func rests(e program.Expr, stuck []bool) bool {
	if e == nil || stuck == nil {
		return false
	}
	found := false
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			found = found || stuck[r]
		}
	})
	return found
}

// coming is whether a write may be settled later that the read r can read from, while some reads are stuck.
func (u *unfolder) coming(s *unfolding, r int, stuck []bool) bool {
	h := &s.holes[r]
	own := u.first == 1
	for w := range s.holes {
		o := &s.holes[w]
		if o.Kind != memory.Write || o.settled || own && o.Thread == h.Thread && o.Index > h.Index {
			continue
		}
		if o.cell >= 0 && o.cell != h.cell || rests(o.addr, stuck) || rests(o.value, stuck) {
			continue
		}
		if r := s.updates(o); r != none && stuck != nil && stuck[r] && !u.forwards(s, w) {
			continue
		}
		if o.cell >= 0 || slices.Contains(u.mayAccess(o.cmd), h.cell) {
			return true
		}
	}
	for k := range s.threads {
		t := &s.threads[k]
		if t.ended || own && u.threads[k].index == h.Thread || rests(t.waits, stuck) && !u.guesses(s, k) {
			continue
		}
		if u.mayWrite[k][t.pc][h.cell] {
			return true
		}
	}
	return false
}

// place settles the write w, in all places of coherence.
func (u *unfolder) place(s *unfolding, w int) {
	h := &s.holes[w]
	h.settled = true
	last := len(s.order[h.cell])
	var all []child
	for at := last; at >= 1 && !u.over(); at-- {
		n := s.clone()
		n.order[h.cell] = slices.Insert(slices.Clone(s.order[h.cell]), at, w)
		if !u.drops(n, true) {
			all = append(all, child{int32(last - at), n, func(u *unfolder, n *unfolding) { u.serve(n, w, 0) }})
		}
	}
	u.visit(all)
}

// serve lets any of the delayed reads from the i-th event on read from w.
func (u *unfolder) serve(s *unfolding, w, i int) {
	o := &s.holes[w]
	var all []child
	for ; i < len(s.holes) && !u.over(); i++ {
		h := &s.holes[i]
		if h.Kind != memory.Read || !h.delayed || h.cell != o.cell || u.first == 1 && h.Thread == o.Thread && h.Index < o.Index {
			continue
		}
		n := s.clone()
		n.bind(i, w, o.Value)
		if !u.drops(n, false) {
			next := i + 1
			all = append(all, child{int32(i), n, func(u *unfolder, n *unfolding) { u.serve(n, w, next) }})
		}
	}
	u.visit(append(all, child{int32(i), s, (*unfolder).run}))
}

func (s *unfolding) bind(r, w int, v int64) {
	h := &s.holes[r]
	h.source, h.Value, h.known, h.settled, h.delayed = w, v, true, true, false
}

// source lets the read r read from any of the writes there are, or from one to come.
func (u *unfolder) source(s *unfolding, r int, delay bool) {
	h := &s.holes[r]
	last := len(s.order[h.cell]) - 1
	var all []child
	for i := last; i >= 0 && !u.over(); i-- {
		w := s.order[h.cell][i]
		v := u.cells[h.cell].Init
		if w >= 0 {
			o := &s.holes[w]
			if v = o.Value; u.first == 1 && o.Thread == h.Thread && o.Index > h.Index {
				continue
			}
		}
		n := s.clone()
		n.bind(r, w, v)
		if !u.drops(n, false) {
			all = append(all, child{int32(last - i), n, (*unfolder).run})
		}
	}
	if delay && !u.over() {
		h.delayed = true
		if !u.drops(s, false) {
			all = append(all, child{int32(last + 1), s, (*unfolder).run})
		}
	}
	u.visit(all)
}

// shown is whether the model is shown an event.
func (h *hole) shown() bool {
	return !h.hidden && (h.Kind == memory.Fence || h.settled || h.delayed)
}

// refuted is whether no execution of the model comes of s.
func (u *unfolder) refuted(s *unfolding, thorough bool) bool {
	if u.work += int64(len(s.holes)); u.most > 0 && u.work > u.most {
		u.stop(ErrMany)
	}
	return u.part.RefutesMade(func() *memory.Graph { return u.graph(s, &u.scratch) }, thorough)
}

// stale is whether a thread stands before an atomic command, having read in it what is not the last of the cell. It could read that, too, and whatever
// then comes of the rest: so nothing is lost where such a part is given up.
func (s *unfolding) stale() bool {
	for k := range s.threads {
		t := &s.threads[k]
		if !t.ended || t.first == none {
			continue
		}
		if h := &s.holes[t.first]; h.hidden && h.source != none && h.source != s.order[h.cell][len(s.order[h.cell])-1] {
			return true
		}
	}
	return false
}

// drops is whether nothing comes of s that is to be looked at, and takes note of it.
func (u *unfolder) drops(s *unfolding, thorough bool) bool {
	no := s.stale() || u.refuted(s, thorough)
	if no {
		u.drop()
	}
	return no
}

// graph is what is settled, in g, of which nobody knows any more.
func (u *unfolder) graph(s *unfolding, g *memory.Graph) *memory.Graph {
	u.number = slices.Grow(u.number[:0], len(s.holes))[:len(s.holes)]
	u.initial = slices.Grow(u.initial[:0], len(u.cells))[:len(u.cells)]
	number, initial, events := u.number, u.initial, g.Events[:0]
	add := func(e *memory.Event) int {
		events = append(events, *e)
		return len(events) - 1
	}
	for c := range u.cells {
		initial[c] = none
	}
	for e := range s.holes {
		if h := &s.holes[e]; h.Kind != memory.Fence && h.shown() {
			initial[h.cell] = 0
		}
	}
	for i, c := range u.cells {
		if initial[i] == 0 {
			initial[i] = add(&memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init, Loc: c.Name, Mark: c.Mark, Members: c.Members})
		}
	}
	for k := range s.threads {
		for _, e := range s.threads[k].events {
			number[e] = none
			if h := &s.holes[e]; h.shown() {
				number[e] = add(&h.Event)
			}
		}
	}
	g.Fill(events, u.p.Arch.Picks())
	at := func(w int) int {
		if w <= -2 {
			return initial[-2-w]
		}
		return number[w]
	}
	note := func(deps []dependency, e int, plain, picked memory.Relation) {
		for _, d := range deps {
			switch {
			case number[d.read] < 0:
			case d.picked:
				picked.Add(number[d.read], e)
			default:
				plain.Add(number[d.read], e)
			}
		}
	}
	for e := range s.holes {
		h, n := &s.holes[e], number[e]
		if n < 0 {
			continue
		}
		note(h.ctrl, n, g.Ctrl, g.PickCtrl)
		note(h.addrs, n, g.Addr, g.PickAddr)
		note(h.data, n, g.Data, g.PickData)
		for _, r := range h.casdep {
			if number[r] >= 0 {
				g.CasDep.Add(number[r], n)
			}
		}
		if h.Kind == memory.Read && h.source != none {
			g.RF.Add(at(h.source), n)
		}
		if h.Kind == memory.Write {
			if r := u.linkedTo(s, h); r >= 0 && number[r] >= 0 {
				g.RMW.Add(number[r], n)
			}
			for i := len(h.block) - 1; i >= 0; i-- {
				r := h.block[i]
				if o := &s.holes[r]; o.cell == none || o.cell == h.cell && o.Kind == memory.Write {
					break
				} else if o.cell == h.cell && number[r] >= 0 {
					g.RMW.Add(number[r], n)
				}
			}
		}
	}
	var ws []int
	for c := range s.order {
		ws = ws[:0]
		for _, w := range s.order[c] {
			if n := at(w); n >= 0 {
				ws = append(ws, n)
			}
		}
		g.Order(ws...)
	}
	return g
}

// linkedTo is the read of the same cell of the exclusive access before h, or none.
func (u *unfolder) linkedTo(s *unfolding, h *hole) int {
	if h.linked < 0 {
		return none
	}
	k := slices.IndexFunc(u.threads, func(t thread) bool { return t.index == h.Thread })
	es := s.threads[k].events
	for r := h.linked; r < h.exclusive && (r == h.linked || s.holes[es[r]].Part); r++ {
		if o := &s.holes[es[r]]; o.Kind == memory.Read && o.cell == h.cell {
			return es[r]
		}
	}
	return none
}

// finish judges an execution to which nothing is to be added.
func (u *unfolder) finish(s *unfolding) {
	for _, e := range s.owed {
		if v, _ := s.know(e); v == 0 {
			u.drop()
			return
		}
	}
	g := u.graph(s, &u.scratch)
	if s.stuck && s.stale() {
		u.drop()
		return
	}
	if s.stuck {
		u.stands(s, g)
		return
	}
	p := &partial{g: g, regs: make([][]int64, len(u.threads)), order: make([][]int, len(u.cells)), unstarted: s.unstarted}
	for k := range s.threads {
		t := &s.threads[k]
		p.regs[k] = make([]int64, len(t.regs))
		for i, e := range t.regs {
			p.regs[k][i], _ = s.know(e)
		}
		p.ends = append(p.ends, t.pc)
	}
	for w := range g.Events {
		e := &g.Events[w]
		last := e.Kind == memory.Write
		if last {
			g.CO.After(w, func(int) { last = false })
		}
		if last {
			c := u.cellAt(e.Addr)
			p.order[c] = append(p.order[c], w)
		}
	}
	if !u.complete(p) {
		u.drop()
	}
}
