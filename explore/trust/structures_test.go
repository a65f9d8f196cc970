package trust

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/program"
)

// An enumerator builds all event structures of a program that are no larger than its bounds, and
// takes note of the executions of Weakestmo2 in them. It is written after the definition of the model (Moiseenko, Kokologiannakis
// and Vafeiadis 2022, definitions C.2 to C.9), and shares nothing with the exploration but the interpreter of threads.
type enumerator struct {
	x      *explorer
	events []runEvent
	index  map[runEvent]int32
	ahead  []*threads.Stop // by number of event, those of the beginnings of threads first: what the thread is about to do

	runs, size, limit int  // bounds: runs of a thread, events, structures
	edges             bool // more ways than one for a write to be equal to others
	seen              map[string]bool
	found             map[string]bool
	cut               bool   // a bound of runs or size was met
	slow              bool   // in every order
	wanted            string // the execution to end with
	buf               []byte
}

// A runEvent is known by all that comes before it. The numbers of initial writes are those of
// their cells.
type runEvent struct {
	thread, before int32 // before: -1-t at the beginning of thread t; of initial writes: -1000
	kind           kind
	half           bool // the write of a read-modify-write
	order          order
	cell           int32
	value          int64
	from           int32
}

// runs is an event structure, with the relations that it is made of.
type runs struct {
	events []int32   // in the order in which they were added; the initial ones first
	co     [][]int32 // by cell: the classes of equal writes
	class  []int32   // by place in events: the first of its class, by place; of others than writes, itself
	before []int32   // by place: the place of the event before it in its thread, or none

	po, succ, jf, cf, ew, rmw rel
}

func newEnumerator(t testing.TB, x *explorer) *enumerator {
	e := &enumerator{x: x, index: map[runEvent]int32{}, seen: map[string]bool{}, found: map[string]bool{}}
	for c := range x.g.co {
		ev := runEvent{thread: none, before: -1000, kind: write, cell: int32(c), value: x.ranges.Cells[c].Init, from: none}
		e.index[ev] = int32(c)
		e.events = append(e.events, ev)
	}
	return e
}

// next is what the thread does after an event.
func (e *enumerator) next(after int32) *threads.Stop {
	at := int(after) + len(e.x.threads)
	if at < len(e.ahead) && e.ahead[at] != nil {
		return e.ahead[at]
	}
	var values []int64
	var kinds []kind
	id := after
	for ; id >= 0; id = e.events[id].before {
		values, kinds = append(values, e.events[id].value), append(kinds, e.events[id].kind)
	}
	th := e.x.threads[-1-id]
	var s threads.State
	th.Start(&s)
	stop := th.Run(&s, e.x.scratch)
	for i := len(values) - 1; i >= 0; i-- {
		if kinds[i] == read {
			th.Read(&s, &stop, values[i], e.x.scratch)
		} else {
			th.Pass(&s, &stop, e.x.scratch)
		}
		stop = th.Run(&s, e.x.scratch)
	}
	for at >= len(e.ahead) {
		e.ahead = append(e.ahead, nil)
	}
	e.ahead[at] = &stop
	return &stop
}

func (e *enumerator) intern(ev runEvent) int32 {
	id, ok := e.index[ev]
	if !ok {
		id = int32(len(e.events))
		e.index[ev] = id
		e.events = append(e.events, ev)
	}
	return id
}

func (e *enumerator) all() {
	n := len(e.x.g.co)
	s := &runs{po: newRel(n), succ: newRel(n), jf: newRel(n), cf: newRel(n), ew: newRel(n), rmw: newRel(n)}
	for c := range e.x.g.co {
		s.events = append(s.events, int32(c))
		s.class = append(s.class, int32(c))
		s.before = append(s.before, none)
		s.co = append(s.co, []int32{int32(c)})
	}
	e.visit(s)
}

// key is the same for structures that differ in the order in which events were added.
func (e *enumerator) key(s *runs) []byte {
	var rank, at, class [most]int // places by number of event, and the other way round
	n := len(s.events)
	for i := range n {
		rank[i], class[i] = i, n
	}
	slices.SortFunc(rank[len(s.co):n], func(a, b int) int { return int(s.events[a] - s.events[b]) })
	for i, p := range rank[:n] {
		at[p] = i
	}
	for p, c := range s.class {
		class[c] = min(class[c], at[p])
	}
	b := e.buf[:0]
	for _, p := range rank[len(s.co):n] {
		b = binary.AppendUvarint(b, uint64(s.events[p]))
		b = append(b, byte(class[s.class[p]]))
	}
	for _, cs := range s.co {
		for _, c := range cs[1:] {
			b = append(b, byte(class[c]))
		}
		b = append(b, 0xff)
	}
	edges := newRel(n)
	for x := range n {
		for row := s.ew.row[x]; row != 0; row &= row - 1 {
			edges.row[at[x]] |= 1 << at[bits.TrailingZeros32(row)]
		}
	}
	for x, row := range edges.row[:n] {
		if row != 0 {
			b = binary.AppendUvarint(append(b, byte(x)), uint64(row))
		}
	}
	e.buf = b
	return b
}

// with is the structure with one more event after the one at place before, which is none at the
// beginning of a thread.
func (e *enumerator) with(s *runs, id int32, before, class int32) *runs {
	n := len(s.events)
	c := &runs{events: append(slices.Clip(s.events), id), class: append(slices.Clip(s.class), class), before: append(slices.Clip(s.before), before),
		po: s.po.grown(), succ: s.succ.grown(), jf: s.jf.grown(), cf: s.cf.grown(), ew: s.ew.grown(), rmw: s.rmw.grown(), co: slices.Clone(s.co)}
	me := uint32(1) << n
	ev := &e.events[id]
	for cell := range s.co {
		c.po.row[cell] |= me
	}
	var preds uint32
	for b := before; b >= 0; b = s.before[b] {
		c.po.row[b] |= me
		preds |= 1 << b
	}
	if before >= 0 {
		c.succ.row[before] |= me
		if ev.half {
			c.rmw.row[before] |= me
		}
	}
	for p, o := range s.events {
		if ev.kind == read && o == ev.from {
			c.jf.row[p] |= me
		}
		if e.events[o].thread == ev.thread && preds>>p&1 == 0 {
			c.cf.row[p] |= me
			c.cf.row[n] |= 1 << p
		}
	}
	return c
}

func (e *enumerator) visit(s *runs) {
	k := e.key(s)
	if e.seen[string(k)] || len(e.seen) > e.limit || e.found[e.wanted] {
		return
	}
	e.seen[string(k)] = true
	v := e.view(s)
	if !v.coherent() {
		return
	}
	e.extract(s, v)
	if e.sure(s) {
		return
	}
	for t := range e.x.threads {
		e.grow(s, -1-int32(t), none)
		for p, id := range s.events {
			if e.events[id].thread == int32(t) {
				e.grow(s, id, int32(p))
			}
		}
	}
}

// sure adds a write or a fence of a thread that has come to it without a relaxed read, if there is one: it has a
// single run up to there, and all whose executions are complete have it, at each of its places in coherence and
// equal to nothing. So there is no need to add anything else before it.
func (e *enumerator) sure(s *runs) bool {
	if len(s.events)-len(s.co) >= e.size {
		return false
	}
	for t := range e.x.threads {
		last, id, parts := int32(none), -1-int32(t), false
		for p, o := range s.events {
			if ev := &e.events[o]; ev.thread == int32(t) {
				last, id = int32(p), o // the only run, in its order
				parts = parts || ev.kind == read && ev.order == relaxed
			}
		}
		if k := e.next(id).Kind; !parts && !e.slow && (k == threads.Store || k == threads.Fence) {
			e.grow(s, id, last)
			return true
		}
	}
	return false
}

// grow adds the event after the one with that number.
func (e *enumerator) grow(s *runs, after, place int32) {
	stop := e.next(after)
	if stop.Kind.Stands() {
		return
	}
	t := -1 - after
	if after >= 0 {
		t = e.events[after].thread
	}
	children, leaves := false, 0
	var mine uint32 // what is before it in its thread
	for p, id := range s.events {
		if e.events[id].thread == t {
			children = children || s.before[p] == place
			leaves += b2i(s.succ.row[p] == 0)
		}
	}
	for p := place; p >= 0; p = s.before[p] {
		mine |= 1 << p
	}
	full := len(s.events)-len(s.co) >= e.size
	ev := runEvent{thread: t, before: after, cell: stop.Cell, value: stop.Value, from: none, order: e.order(stop)}
	switch stop.Kind {
	case threads.Load:
		ev.kind = read
		if children && (leaves >= e.runs || ev.order != relaxed) {
			e.cut = e.cut || leaves >= e.runs
			return
		}
		for p, id := range s.events {
			src := &e.events[id]
			if src.kind != write || src.cell != ev.cell || src.thread == t && mine>>p&1 == 0 {
				continue
			}
			ev.from, ev.value = id, src.value
			if n := e.intern(ev); !slices.Contains(s.events, n) {
				if full {
					e.cut = true
					return
				}
				e.visit(e.with(s, n, place, int32(len(s.events))))
			}
		}
	case threads.Store, threads.Fence:
		if children {
			return
		}
		if full {
			e.cut = true
			return
		}
		me := int32(len(s.events))
		ev.half = stop.Half
		if ev.kind = fence; stop.Kind == threads.Fence {
			ev.cell = 0
			e.visit(e.with(s, e.intern(ev), place, me))
			return
		}
		ev.kind = write
		id := e.intern(ev)
		for k := len(s.co[ev.cell]); k > 0; k-- {
			c := e.with(s, id, place, me)
			c.co[ev.cell] = slices.Insert(slices.Clone(c.co[ev.cell]), k, me)
			e.visit(c)
		}
		if ev.order == relaxed {
			e.join(s, id, place, mine)
		}
	}
}

// order is that of what the thread is about to do.
func (e *enumerator) order(stop *threads.Stop) order {
	c := stop.Cmd
	if c.Op == program.Atomic {
		c = &c.Body[slices.IndexFunc(c.Body, func(c program.Command) bool { return c.Op == program.Load })]
	}
	return e.x.classes[classKey{c, stop.Atomic}].order
}

// join adds a write to the classes of those that are equal to it, and in other runs of its thread.
func (e *enumerator) join(s *runs, id, place int32, mine uint32) {
	ev, me := e.events[id], len(s.events)
	for _, class := range s.co[ev.cell][1:] {
		var equal []int
		for p, o := range s.events {
			if w := &e.events[o]; s.class[p] == class && w.kind == write && w.thread == ev.thread && w.value == ev.value && w.order == relaxed && mine>>p&1 == 0 {
				equal = append(equal, p)
			}
		}
		for m := 1; m < 1<<len(equal); m++ {
			if !e.edges && bits.OnesCount(uint(m)) > 1 {
				continue
			}
			c := e.with(s, id, place, class)
			for i, p := range equal {
				if m>>i&1 != 0 {
					c.ew.row[p] |= 1 << me
					c.ew.row[me] |= 1 << p
				}
			}
			e.visit(c)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A view is a structure with the relations that follow from its own.
type view struct {
	e *enumerator
	*runs
	n                  int
	equal, hb, rf, eco rel
	after              rel // coherence
}

// most is how many events a structure can have, with the initial ones.
const most = 24

// A rel is a relation, as a matrix: bit b of row a where a leads to b.
type rel struct {
	n   int
	row [most]uint32
}

func newRel(n int) rel { return rel{n: n} }

// grown has one event more.
func (a rel) grown() rel { a.n++; return a }

func (a rel) or(b rel) rel {
	for i := range a.n {
		a.row[i] |= b.row[i]
	}
	return a
}

func (a rel) and(b rel) rel {
	for i := range a.n {
		a.row[i] &= b.row[i]
	}
	return a
}

func (a rel) less(b rel) rel {
	for i := range a.n {
		a.row[i] &^= b.row[i]
	}
	return a
}

func (a rel) seq(b rel) rel {
	for i, row := range a.row[:a.n] {
		var to uint32
		for ; row != 0; row &= row - 1 {
			to |= b.row[bits.TrailingZeros32(row)]
		}
		a.row[i] = to
	}
	return a
}

func (a rel) inv() rel {
	c := newRel(a.n)
	for i, row := range a.row[:a.n] {
		for ; row != 0; row &= row - 1 {
			c.row[bits.TrailingZeros32(row)] |= 1 << i
		}
	}
	return c
}

func (a rel) opt() rel {
	for i := range a.n {
		a.row[i] |= 1 << i
	}
	return a
}

func (a rel) plus() rel {
	for via := range a.n {
		for i, row := range a.row[:a.n] {
			if row>>via&1 != 0 {
				a.row[i] = row | a.row[via]
			}
		}
	}
	return a
}

func (a rel) reflexive() bool {
	for i, row := range a.row[:a.n] {
		if row>>i&1 != 0 {
			return true
		}
	}
	return false
}

func (a rel) in(b rel) bool { return a.less(b).empty() }

func (a rel) empty() bool {
	for _, row := range a.row[:a.n] {
		if row != 0 {
			return false
		}
	}
	return true
}

func (e *enumerator) view(s *runs) *view {
	v := &view{e: e, runs: s, n: len(s.events), after: newRel(len(s.events))}
	v.equal = v.ew.plus().opt()
	v.rf = v.equal.seq(v.jf).less(v.cf)
	for _, cs := range s.co {
		var later uint32
		for i := len(cs) - 1; i >= 0; i-- {
			var here uint32
			for p, c := range s.class {
				if c == cs[i] {
					v.after.row[p] = later
					here |= 1 << p
				}
			}
			later |= here
		}
	}
	fr := v.rf.inv().seq(v.after)
	v.eco = v.rf.or(v.after).or(fr).plus()
	v.hb = v.happened(v.po, v.jf, v.rmw)
	return v
}

// happened is happens-before, with from in the place of what reads read from.
func (v *view) happened(po, from, rmw rel) rel {
	if !slices.ContainsFunc(v.events, func(id int32) bool { return v.e.events[id].order&orders != 0 }) {
		return po // which is transitive
	}
	f := v.id(func(ev *runEvent) bool { return ev.kind == fence })
	rel := v.id(func(ev *runEvent) bool { return ev.order&release != 0 })
	acq := v.id(func(ev *runEvent) bool { return ev.order&acquire != 0 })
	updates := from.seq(rmw).plus().opt()
	sw := rel.seq(f.seq(po).opt()).seq(updates).seq(from).seq(po.seq(f).opt()).seq(acq)
	return po.or(sw).plus()
}

// within is a relation between some of the events.
func (a rel) within(in uint32) rel {
	for i := range a.n {
		if a.row[i] &= in; in>>i&1 == 0 {
			a.row[i] = 0
		}
	}
	return a
}

// orderly is what has to hold of an execution, beside what holds of the structure: no write
// comes between the halves of a read-modify-write, and what is sequentially consistent has an order.
func (v *view) orderly(in uint32) bool {
	po, rf, co, rmw := v.po.within(in), v.rf.within(in), v.after.within(in), v.rmw.within(in)
	// Of writes that are equal to one that was promised, as [enumerator.execution] has it: a read reads
	// from the first, and they are in order.
	sources := rf.inv()
	for r := range sources.n {
		sources.row[r] &= -sources.row[r]
	}
	rf = sources.inv()
	for a := range v.events {
		for b := a + 1; b < v.n; b++ {
			if in>>a&1 != 0 && in>>b&1 != 0 && v.e.events[v.events[a]].kind == write && v.class[a] == v.class[b] {
				co.row[a] |= 1 << b
			}
		}
	}
	fr := sources.seq(co)
	if !fr.seq(co).and(rmw).empty() {
		return false
	}
	sc := v.id(func(ev *runEvent) bool { return ev.order&seqCst != 0 })
	f := v.id(func(ev *runEvent) bool { return ev.kind == fence && ev.order&seqCst != 0 })
	loc := newRel(v.n)
	for a, i := range v.events {
		for b, j := range v.events {
			x, y := &v.e.events[i], &v.e.events[j]
			loc.row[a] |= uint32(b2i(x.kind != fence && y.kind != fence && x.cell == y.cell)) << b
		}
	}
	hb := v.happened(po, rf, rmw)
	eco := rf.or(co).or(fr).plus()
	other := po.less(loc)
	scb := po.or(other.seq(hb).seq(other)).or(hb.and(loc)).or(co).or(fr)
	base := sc.or(f.seq(hb.opt())).seq(scb).seq(sc.or(hb.opt().seq(f)))
	fences := f.seq(hb.or(hb.seq(eco).seq(hb))).seq(f)
	return !base.or(fences).plus().reflexive()
}

func (v *view) id(f func(*runEvent) bool) rel {
	r := newRel(v.n)
	for p, id := range v.events {
		if f(&v.e.events[id]) {
			r.row[p] = 1 << p
		}
	}
	return r
}

// coherent is what holds of parts of structures for which it holds.
func (v *view) coherent() bool {
	ecf := v.hb.inv().opt().seq(v.cf).seq(v.hb.opt())
	if ecf.reflexive() || v.jf.or(v.po).plus().reflexive() || v.hb.seq(v.eco.opt()).reflexive() {
		return false
	}
	return v.jf.and(ecf).empty()
}

func (v *view) consistent() bool {
	for a := range v.events { // all of a class are connected
		for b := range a {
			if v.class[a] == v.class[b] && v.equal.row[a]>>b&1 == 0 {
				return false
			}
		}
	}
	jfe := v.jf.less(v.po)
	jo := jfe.seq(v.po.or(v.jf).plus().opt())
	fences := v.id(func(ev *runEvent) bool { return ev.kind == fence && ev.order&orders != 0 })
	acq := v.id(func(ev *runEvent) bool { return ev.kind == read && ev.order&acquire != 0 })
	barrier := jfe.seq(acq).or(fences).seq(v.po)
	if !barrier.seq(v.ew.plus()).in(barrier) || !v.cf.and(jo).in(v.ew.plus().seq(v.po.or(v.po.inv()).opt())) ||
		!v.ew.in(v.cf.and(jo.or(jo.inv())).plus()) {
		return false
	}
	local := v.jf.and(v.jf.opt().seq(v.hb))
	var rng uint32
	for _, row := range local.row[:v.n] {
		rng |= row
	}
	locals := newRel(v.n)
	for i := range v.n {
		locals.row[i] = rng & (1 << i)
	}
	imm := v.cf.less(v.cf.seq(v.po).or(v.po.inv().seq(v.cf)))
	// As printed, jf \ local; po; ew in jf; (po | lbpatt), any run that parts from the other by a read of
	// the same write will do, be it one that promises nothing. What is meant (section 3.2, and the
	// proof of lemma D.20) is the read itself.
	external := newRel(v.n)
	for r, row := range v.jf.less(local).inv().row {
		external.row[r] = 1 << r & -uint32(b2i(row != 0))
	}
	return external.seq(v.po).seq(v.ew).in(v.jf.inv().seq(v.jf).seq(v.po).or(imm.seq(locals).seq(v.po)))
}

// extract takes note of the complete executions in a structure, if it is consistent.
func (e *enumerator) extract(s *runs, v *view) {
	var ends [][]int // by thread: the places of the last events of runs that have come to their ends
	for t := range e.x.threads {
		var mine []int
		for p, id := range s.events {
			if ev := &e.events[id]; ev.thread == int32(t) && e.next(id).Kind == threads.Ended {
				mine = append(mine, p)
			}
		}
		if e.next(-1-int32(t)).Kind == threads.Ended {
			mine = append(mine, -1)
		}
		if mine == nil {
			return
		}
		ends = append(ends, mine)
	}
	if !v.consistent() {
		return
	}
	pick := make([]int, len(ends))
	for {
		in := uint32(1)<<len(s.co) - 1
		for t, i := range pick {
			if p := ends[t][i]; p >= 0 {
				in |= 1 << p
				for q := s.before[p]; q >= 0; q = s.before[q] {
					in |= 1 << q
				}
			}
		}
		e.execution(s, v, in)
		t := 0
		for ; t < len(pick); t++ {
			if pick[t]++; pick[t] < len(ends[t]) {
				break
			}
			pick[t] = 0
		}
		if t == len(pick) {
			return
		}
	}
}

// execution takes note of the part of a structure, if every read in it has its write and it is orderly; as [name], but for
// the reads of read-modify-writes, which are as others.
func (e *enumerator) execution(s *runs, v *view, in uint32) {
	var index [most]int64
	for p, q := range s.before {
		if q >= 0 {
			index[p] = index[q] + 1
		}
	}
	b := e.buf[:0]
	num := func(n int64) { b = strconv.AppendInt(b, n, 10) }
	id := func(p int) {
		num(int64(e.events[s.events[p]].thread))
		b = append(b, '.')
		num(index[p])
	}
	sources := v.rf.inv()
	for t := range e.x.threads {
		for p, o := range s.events { // in the order of the thread
			ev := &e.events[o]
			if in>>p&1 == 0 || ev.thread != int32(t) {
				continue
			}
			cell := ev.cell
			if ev.kind == fence {
				cell = -1
			}
			num(int64(ev.kind))
			b = strconv.AppendBool(append(b, ' '), ev.half)
			b = append(b, ' ')
			num(int64(cell))
			b = append(b, ' ')
			num(ev.value)
			if ev.kind == read {
				src := sources.row[p] & in
				if src == 0 {
					return
				}
				b = append(b, '<')
				id(bits.TrailingZeros32(src))
			}
			b = append(b, ' ')
		}
		b = append(b, '|')
	}
	for _, cs := range s.co {
		for _, c := range cs[1:] {
			for p := range s.events {
				if in>>p&1 != 0 && s.class[p] == c && e.events[s.events[p]].kind == write {
					id(p)
					b = append(b, ' ')
				}
			}
		}
		b = append(b, '/')
	}
	if e.buf = b; !e.found[string(b)] && v.orderly(in) {
		e.found[string(b)] = true
	}
}
