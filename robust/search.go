package robust

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A witnessSearch looks for a witness against robustness (thesis fig. 3.4;
// Bouajjani, Derevenetc, Meyer, "Checking and Enforcing Robustness against TSO",
// ESOP 2013) in which one thread, the attacker, delays its stores. It is
// breadth-first search under SC of an instrumented program, but the
// instrumentation is in the states and not in the program's text:
//
//	before    everybody runs under SC. A store of the attacker may, besides,
//	          be delayed: the next phase begins.
//	delaying  the attacker's stores go to a shadow of the memory that only it
//	          sees, last value by address; it runs no fence. A load of a cell
//	          that is not in the shadow may be the last thing it does.
//	closing   the attacker is done. Another thread joins when it does what is
//	          happens-after the load: when it writes to a cell that something
//	          happens-after read, or accesses one that something happens-after
//	          wrote. A thread that has not joined may take local steps only
//	          (W5), and all that a joined thread does marks the cells that it
//	          accesses. When the cell of the first delayed store is marked,
//	          that store, flushed now, closes a cycle.
//
// One search covers all attacks of a thread. What the attacker holds is dropped
// on closing: only the cell of its first delayed store counts from then on.
//
// An atomic block is one event with several accesses. So is a locked section:
// what a thread that has not joined does in it is marked tentatively, and the
// marks count if it joins before the section ends.
type witnessSearch struct {
	p      *program.Program
	r      *program.Ranges
	x      *abstract.System // over shadow
	threat *threat
	active []int // threads that may move, the attacker first
	locks  bool
	// prefixes is [Options.Pending].
	prefixes bool
	// race makes it a search for a triangular race; see [Races].
	race bool

	disputed   []bool   // by cell
	marked     []int    // disputed cells
	local      [][]bool // by thread and control state, outside of a delay
	delayLocal []bool   // by control state of the attacker, in a delay
	dead       [][][]flow.Reset
	layout     witnessLayout

	budget    *states.Budget
	seen      *states.Flat
	at        int64 // offset in seen behind what was expanded last
	cur, next *witnessState
	words     []uint64
	parent    states.Ref
	trace     []witnessMove // from cur to next
	accessed  []cellAccess  // by the event being applied

	bounded bool     // a bound on rounds stopped the attacker somewhere
	found   bool     // trace leads from the state parent to a witness
	full    bool     // no more room
	stray   error    // the analysis of the ranges is wrong
	fault   error    // a run under SC leads to a mistake in the program
	target  []uint64 // not nil: look for these words among the successors
	hit     bool     // they are those of next
}

// The phases of a witness.
const (
	before = iota
	delaying
	closing
)

type witnessState struct {
	*abstract.State
	phase  uint8
	target int     // from delaying on: index into threat.targets
	rounds int     // in delaying: of the edges that a bound on rounds bounds
	marks  []uint8 // by cell, in closing
	joined []bool  // by thread, in closing
}

// Tentative marks: accesses in a locked section whose thread has not joined.
const (
	maybeRead = markWrite + 1 + iota
	maybeWrite
)

func (s *witnessState) copy(o *witnessState) {
	s.State.Copy(o.State)
	s.phase, s.target, s.rounds = o.phase, o.target, o.rounds
	copy(s.marks, o.marks)
	copy(s.joined, o.joined)
}

// A witnessMove is an event, with what it means for the phase.
type witnessMove struct {
	abstract.Event
	kind moveKind
}

type moveKind uint8

const (
	plainMove moveKind = iota
	delayMove          // the first delayed store
	closeMove          // the last load
)

type cellAccess struct {
	cell  int
	write bool
}

// shadow is the attacker's store buffer as far as the attacker sees it: the last
// value by cell, ascending by cell.
type shadow struct{}

func (shadow) Immediate() bool { return false }

func (shadow) Add(c *abstract.Contents, p abstract.Pair) {
	i, ok := slices.BinarySearchFunc(c.Pairs, p.Cell, func(q abstract.Pair, cell int) int { return q.Cell - cell })
	if ok {
		c.Pairs[i] = p
	} else {
		c.Pairs = slices.Insert(c.Pairs, i, p)
	}
}

// Barrier is nothing: only the last values count.
func (shadow) Barrier(*abstract.Contents) {}

func (shadow) Last(c *abstract.Contents, cell int) (int64, bool) {
	for _, p := range c.Pairs {
		if p.Cell == cell {
			return p.Value, true
		}
	}
	return 0, false
}

func (shadow) Flushes(*abstract.Contents) int                    { return 0 }
func (shadow) Flushed(c *abstract.Contents, i int) abstract.Pair { return c.Pairs[i] }
func (shadow) Flush(c *abstract.Contents, i int)                 { c.Pairs = slices.Delete(c.Pairs, i, i+1) }

func newWitnessSearch(x *abstract.System, th *threat, active []int, prefixes, race bool, budget *states.Budget) *witnessSearch {
	p, r := x.Program, x.Ranges
	s := &witnessSearch{p: p, r: r, x: x, threat: th, active: active, prefixes: prefixes, race: race, disputed: contested(r),
		budget: budget, seen: states.NewFlat(budget)}
	for i, d := range s.disputed {
		if d {
			s.marked = append(s.marked, i)
		}
	}
	s.locks = flow.Locks(p)
	s.local = make([][]bool, len(p.Threads))
	bare := *p
	bare.Properties, bare.Filter = nil, nil
	s.dead = flow.Dead(&bare, false)
	for _, t := range active {
		s.local[t] = s.localStates(t, func(e *program.Edge) bool {
			// In a race the first store may be to any cell.
			return s.isLocal(e) && !(race && t == th.thread && e.Cmd.Op == program.Store)
		})
	}
	s.delayLocal = s.localStates(th.thread, s.isDelayLocal)
	s.layout = newWitnessLayout(s)
	s.cur, s.next = s.newState(), s.newState()
	x.Initial(s.next.State)
	s.reach()
	return s
}

func (s *witnessSearch) newState() *witnessState {
	return &witnessState{State: s.x.NewState(), marks: make([]uint8, len(s.r.Cells)), joined: make([]bool, len(s.p.Threads))}
}

// run expands states until a witness is found, all are expanded, or more than
// limit states are stored. It reports whether the search is over.
func (s *witnessSearch) run(ctx context.Context, limit int) bool {
	for n := 0; s.seen.From(s.at) != 0; n++ {
		if s.found || s.full || s.stray != nil || s.fault != nil {
			return true
		}
		if s.seen.Len() > limit || n%256 == 255 && ctx.Err() != nil {
			return false
		}
		s.parent = s.seen.From(s.at)
		_, words := s.seen.Record(s.parent)
		s.at = int64(s.parent) + 1 + int64(s.layout.unpack(s, words, s.cur))
		s.expand()
	}
	return true
}

func (s *witnessSearch) over() bool {
	return s.found || s.full || s.hit || s.stray != nil || s.fault != nil
}

// expand visits the successors of cur: all of them, or those by a thread whose
// next steps are local (thesis 4.3). A local step neither changes what another
// thread can do nor depends on it, in whatever phase, so that a witness without
// it stays one with it at the front. In every cycle of a thread some control
// state does not count as local, so no step is put off for ever.
func (s *witnessSearch) expand() {
	if t, _ := s.choose(s.cur); t >= 0 {
		s.edges(t)
		return
	}
	for _, t := range s.active {
		s.edges(t)
	}
}

// edges tries what thread t can do.
func (s *witnessSearch) edges(t int) {
	st := s.cur
	attacker := t == s.threat.thread
	if attacker && st.phase == closing {
		return
	}
	for _, e := range s.x.Out(t, st.PC[t]) {
		for c := range s.x.Choices(t, e) {
			if s.over() {
				return
			}
			m := witnessMove{Event: abstract.Event{Thread: t, Edge: e, Choice: c}}
			if attacker {
				switch op := s.p.Threads[t].Edges[e].Cmd.Op; {
				case op == program.Store && st.phase == before:
					m.kind = delayMove
					s.try(m)
				case op == program.Load && st.phase == delaying:
					m.kind = closeMove
					s.try(m)
				}
				m.kind = plainMove
			}
			s.try(m)
		}
	}
}

// try performs a move in a copy of cur and goes on for as long as a local step is
// the only one to expand. The states on the way are not stored.
func (s *witnessSearch) try(m witnessMove) {
	if s.over() {
		return
	}
	s.next.copy(s.cur)
	s.trace = s.trace[:0]
	for {
		if !s.apply(s.next, m) {
			return
		}
		s.trace = append(s.trace, m)
		if s.closed(s.next) {
			s.found = true
			return
		}
		t, e := s.choose(s.next)
		if t < 0 || e < 0 {
			break
		}
		m = witnessMove{Event: abstract.Event{Thread: t, Edge: e}}
	}
	s.reach()
}

// closed is true where the first delayed store, flushed now, closes a cycle. The
// lock of another thread holds flushes up; see [Options].
func (s *witnessSearch) closed(st *witnessState) bool {
	if st.phase != closing || st.Lock >= 0 && !s.prefixes && !s.race {
		return false
	}
	if s.race {
		return slices.Contains(st.joined, true)
	}
	m := st.marks[s.threat.targets[st.target].cell]
	return m == markRead || m == markWrite
}

// reach stores next if it is new.
func (s *witnessSearch) reach() {
	s.words = s.layout.pack(s, s.words[:0], s.next)
	if s.target != nil {
		s.hit = len(s.target) >= len(s.words) && slices.Equal(s.target[:len(s.words)], s.words)
		return
	}
	if _, out := s.seen.Add(s.words, s.parent, 0); out == states.Refused {
		s.full = true
	}
}

// apply performs m in st; where it returns false, the move is not possible or
// leads nowhere, and st is void.
func (s *witnessSearch) apply(st *witnessState, m witnessMove) bool {
	t := m.Thread
	e := &s.p.Threads[t].Edges[m.Edge]
	if st.phase == delaying && t == s.threat.thread {
		return s.delay(st, m, e)
	}
	if m.kind == delayMove {
		if !s.step(st, m, e) {
			return false
		}
		cell := st.Buf[t].Pairs[0].Cell
		k := slices.IndexFunc(s.threat.targets, func(d delayed) bool { return d.cell == cell })
		if k < 0 || !s.threat.targets[k].stores[m.Edge] || !s.threat.targets[k].live[e.To] {
			return false
		}
		st.phase, st.target, st.rounds = delaying, k, 0
		return true
	}
	if e.Cmd.Op == program.Store && st.Lock >= 0 && st.Lock != t {
		return false
	}
	if st.phase == closing {
		s.accessed = s.accesses(s.accessed[:0], st, t, &e.Cmd, m.Choice)
	}
	if !s.step(st, m, e) {
		return false
	}
	st.drain(t)
	return st.phase != closing || s.track(st, t, e.Cmd.Op)
}

// faultIn is the error for a program in which c, a precondition of the language at
// edge e, fails.
func faultIn(p *program.Program, e *program.Edge, c *program.Command) error {
	text, pos := c.Text, c.Pos
	if text == "" {
		text = "an operation without a meaning"
	}
	if !pos.IsValid() {
		pos = e.Pos
	}
	return p.Diagnose(pos, text+" can be reached", "")
}

// drain brings the store of a thread that does not delay to memory.
func (st *witnessState) drain(t int) {
	if b := &st.Buf[t]; !b.Empty() {
		st.Mem[b.Pairs[0].Cell] = b.Pairs[0].Value
		b.Pairs = b.Pairs[:0]
	}
}

func (s *witnessSearch) step(st *witnessState, m witnessMove, e *program.Edge) bool {
	switch s.x.Step(st.State, m.Event) {
	case abstract.Done:
	case abstract.Failed:
		// A fault that only TSO has is no reason to give up: where there is
		// one, the program is not robust.
		if c := st.Failed; c.Kind != program.Assertion && st.phase == before {
			s.fault = faultIn(s.p, e, c)
		}
		return false
	case abstract.Stray:
		s.stray = s.x.StrayError(m.Event)
		return false
	default:
		return false
	}
	for _, d := range s.dead[m.Thread][m.Edge] {
		st.Regs[m.Thread][d.Reg] = d.Value
	}
	return true
}

// delay performs a move of the attacker after its first delayed store.
func (s *witnessSearch) delay(st *witnessState, m witnessMove, e *program.Edge) bool {
	d := &s.threat.targets[st.target]
	if m.kind != closeMove {
		if !s.step(st, m, e) || !d.live[e.To] {
			return false
		}
		if s.limited(m.Edge) {
			if st.rounds++; st.rounds > s.threat.rounds {
				s.bounded = true
				return false
			}
		}
		return true
	}
	if s.limited(m.Edge) && st.rounds == s.threat.rounds {
		s.bounded = true
		return false
	}
	if s.x.Enabled(st.State, m.Thread, m.Edge) != abstract.Done || st.Lock == m.Thread {
		return false // with the lock, the attacker would keep everybody from joining
	}
	s.accessed = s.accesses(s.accessed[:0], st, m.Thread, &e.Cmd, 0)
	c := s.accessed[0].cell
	if c < 0 {
		s.stray = s.x.StrayError(m.Event)
		return false
	}
	if _, ok := (shadow{}).Last(&st.Buf[m.Thread], c); ok || !s.threat.closes(c, d.cell) {
		return false
	}
	s.close(st, m.Thread, c)
	return true
}

func (s *witnessSearch) limited(edge int) bool {
	return s.threat.counts != nil && s.threat.counts(edge)
}

// close makes the load of the attacker, of cell c, its last event. All else that
// it holds is forgotten.
func (s *witnessSearch) close(st *witnessState, attacker, c int) {
	st.phase = closing
	t := s.p.Threads[attacker]
	st.PC[attacker] = t.Initial
	for r := range t.Regs {
		st.Regs[attacker][r] = t.Regs[r].Init
	}
	st.Buf[attacker].Pairs = st.Buf[attacker].Pairs[:0]
	clear(st.marks)
	clear(st.joined)
	st.marks[c] = markRead
}

// track keeps happens-before up to date after thread t did a command with the
// accesses in s.accessed. It is false where a thread that has not joined did what
// is not happens-after the load.
func (s *witnessSearch) track(st *witnessState, t int, op program.Op) bool {
	if !st.joined[t] {
		touches, conflict := false, false
		for _, a := range s.accessed {
			if a.cell < 0 || !s.disputed[a.cell] {
				continue
			}
			touches = true
			m := st.marks[a.cell]
			conflict = conflict || m == markWrite || m == markRead && a.write
		}
		switch {
		case conflict:
			st.joined[t] = true
			for i, m := range st.marks {
				if m >= maybeRead {
					st.marks[i] = m - maybeRead + markRead
				}
			}
		case touches && st.Lock != t:
			return false
		case touches:
			for _, a := range s.accessed {
				if a.cell >= 0 && s.disputed[a.cell] {
					s.mark(st, a, maybeRead, maybeWrite)
				}
			}
			return true
		case op == program.Unlock:
			return !slices.ContainsFunc(st.marks, func(m uint8) bool { return m >= maybeRead })
		}
	}
	if st.joined[t] {
		for _, a := range s.accessed {
			if a.cell >= 0 && s.disputed[a.cell] {
				s.mark(st, a, markRead, markWrite)
			}
		}
	}
	return true
}

// mark marks the cell of a. Of a tentative mark over a true one nothing is to be
// kept: it is a read of what was read.
func (s *witnessSearch) mark(st *witnessState, a cellAccess, read, write uint8) {
	m := &st.marks[a.cell]
	switch {
	case a.write:
		*m = write
	case *m == unmarked:
		*m = read
	}
}

// accesses appends what a command will access in st. It follows the body of an
// Atomic only where an address depends on what is loaded there.
func (s *witnessSearch) accesses(list []cellAccess, st *witnessState, t int, c *program.Command, choice int64) []cellAccess {
	switch c.Op {
	case program.Load, program.Store:
		return append(list, cellAccess{s.cellOf(c, st.Regs[t]), c.Op == program.Store})
	case program.Atomic:
	default:
		return list
	}
	known := true
	c.Accesses(func(a *program.Command) { known = known && len(s.r.Access[a]) == 1 })
	if known {
		c.Accesses(func(a *program.Command) {
			list = append(list, cellAccess{s.r.Access[a][0], a.Op == program.Store})
		})
		return list
	}
	regs := slices.Clone(st.Regs[t])
	mem := map[int]int64{}
	for i := range c.Body {
		b := &c.Body[i]
		set := func(v int64) { regs[b.Reg] = s.p.Threads[t].Regs[b.Reg].Type.Wrap(v) }
		switch b.Op {
		case program.Assign:
			set(program.EvalRegs(b.Value, regs))
		case program.Havoc:
			radix := b.Hi - b.Lo + 1
			set(b.Lo + choice%radix)
			choice /= radix
		case program.Load, program.Store:
			cell := s.cellOf(b, regs)
			list = append(list, cellAccess{cell, b.Op == program.Store})
			switch {
			case cell < 0:
			case b.Op == program.Store:
				mem[cell] = s.r.Cells[cell].Type.Wrap(program.EvalRegs(b.Value, regs))
			default:
				v, ok := mem[cell]
				if !ok {
					v = st.Mem[cell]
				}
				set(v)
			}
		}
	}
	return list
}

func (s *witnessSearch) cellOf(c *program.Command, regs []int64) int {
	if cells := s.r.Access[c]; len(cells) == 1 {
		return cells[0]
	}
	return s.r.CellIndex(program.EvalRegs(c.Addr, regs))
}

// moves is the way from the initial state to the witness that was found. States
// are stored up to symmetry, so the way is walked again, from event to event.
func (s *witnessSearch) moves() []witnessMove {
	var ids []states.Ref
	for id := s.parent; id != 0; {
		ids = append(ids, id)
		head, _ := s.seen.Record(id)
		id = states.ParentOf(head)
	}
	slices.Reverse(ids)
	s.found = false
	var all []witnessMove
	st := s.newState()
	s.x.Initial(st.State)
	for i := range ids {
		s.cur.copy(st)
		if i+1 < len(ids) {
			_, s.target = s.seen.Record(ids[i+1])
		} else {
			s.target = []uint64{}
		}
		s.hit = false
		s.expand()
		if !s.hit && !s.found {
			return nil
		}
		all = append(all, s.trace...)
		st.copy(s.next)
	}
	return all
}
