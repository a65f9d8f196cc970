package trust

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/threads"
)

// An enumerator builds all event structures of a program that are no larger than its bounds, and
// takes note of the executions of Weakestmo2 in them. It is written after the definition of the model (Moiseenko, Kokologiannakis
// and Vafeiadis 2022, definitions C.2 to C.9), and shares nothing with the exploration but the interpreter of threads.
type enumerator struct {
	x      *explorer
	events []runEvent
	index  map[runEvent]int32
	ahead  map[int32]threads.Stop // by event: what the thread is about to do after it

	runs, size, limit int  // bounds: runs of a thread, events, structures
	edges             bool // more ways than one for a write to be equal to others
	seen              map[string]bool
	found             map[string]bool
	cut               bool // a bound of runs or size was met
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

// runs is an event structure.
type runs struct {
	events []int32   // in the order in which they were added; the initial ones first
	co     [][]int32 // by cell: the classes of equal writes
	class  []int32   // by place in events: the first of its class, by place; of others than writes, itself
	ew     [][2]int  // by place
}

func newEnumerator(t testing.TB, x *explorer) *enumerator {
	e := &enumerator{x: x, index: map[runEvent]int32{}, ahead: map[int32]threads.Stop{}, seen: map[string]bool{}, found: map[string]bool{}}
	for c := range x.g.co {
		ev := runEvent{thread: none, before: -1000, kind: write, cell: int32(c), value: x.ranges.Cells[c].Init, from: none}
		e.index[ev] = int32(c)
		e.events = append(e.events, ev)
	}
	return e
}

// next is what the thread does after an event.
func (e *enumerator) next(after int32) threads.Stop {
	if s, ok := e.ahead[after]; ok {
		return s
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
	e.ahead[after] = stop
	return stop
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
	s := &runs{}
	for c := range e.x.g.co {
		s.events = append(s.events, int32(c))
		s.class = append(s.class, int32(c))
		s.co = append(s.co, []int32{int32(c)})
	}
	e.visit(s)
}

func (s *runs) key() string {
	rank := make([]int, len(s.events)) // places by number of event
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return int(s.events[a] - s.events[b]) })
	at := make([]int, len(rank))
	for i, p := range rank {
		at[p] = i
	}
	var b []byte
	class := make([]int, len(rank))
	for i := range class {
		class[i] = len(rank)
	}
	for p, c := range s.class {
		class[c] = min(class[c], at[p])
	}
	for _, p := range rank {
		b = binary.AppendVarint(b, int64(s.events[p]))
		b = binary.AppendVarint(b, int64(class[s.class[p]]))
	}
	for _, cs := range s.co {
		for _, c := range cs {
			b = binary.AppendVarint(b, int64(class[c]))
		}
		b = append(b, 0xff)
	}
	var es []int
	for _, p := range s.ew {
		x, y := at[p[0]], at[p[1]]
		es = append(es, min(x, y)*64+max(x, y))
	}
	slices.Sort(es)
	for _, x := range es {
		b = binary.AppendVarint(b, int64(x))
	}
	return string(b)
}

func (s *runs) with(id, class int32) *runs {
	c := &runs{events: append(slices.Clip(s.events), id), class: append(slices.Clip(s.class), class), ew: slices.Clip(s.ew)}
	for _, cs := range s.co {
		c.co = append(c.co, slices.Clone(cs))
	}
	return c
}

func (e *enumerator) visit(s *runs) {
	k := s.key()
	if e.seen[k] || len(e.seen) > e.limit {
		return
	}
	e.seen[k] = true
	v := e.view(s)
	if !v.coherent() {
		return
	}
	if v.consistent() {
		e.extract(s, v)
	}
	for t := range e.x.threads {
		e.grow(s, v, -1-int32(t), -1)
		for p, id := range s.events {
			if e.events[id].thread == int32(t) {
				e.grow(s, v, id, p)
			}
		}
	}
}

// grow adds the event after the one with that number.
func (e *enumerator) grow(s *runs, v *view, after int32, place int) {
	stop := e.next(after)
	if stop.Kind.Stands() {
		return
	}
	t := -1 - after
	if after >= 0 {
		t = e.events[after].thread
	}
	children, leaves := 0, 0
	for p, id := range s.events {
		ev := &e.events[id]
		children += int(b2i(ev.before == after && ev.thread == t))
		if ev.thread == t && v.succ[p] == 0 {
			leaves++
		}
	}
	full := len(s.events)-len(s.co) >= e.size
	ev := runEvent{thread: t, before: after, cell: stop.Cell, value: stop.Value, from: none, order: e.x.classes[classKey{stop.Cmd, stop.Atomic}].order}
	switch stop.Kind {
	case threads.Load:
		ev.kind = read
		if children > 0 && (leaves >= e.runs || ev.order != relaxed) {
			e.cut = e.cut || leaves >= e.runs
			return
		}
		for p, id := range s.events {
			src := &e.events[id]
			if src.kind != write || src.cell != ev.cell || src.thread == t && !(place >= 0 && (p == place || v.po[p]>>place&1 != 0)) {
				continue
			}
			ev.from, ev.value = id, src.value
			if n := e.intern(ev); !slices.Contains(s.events, n) {
				if full {
					e.cut = true
					return
				}
				e.visit(s.with(n, int32(len(s.events))))
			}
		}
	case threads.Store, threads.Fence:
		if children > 0 {
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
			e.visit(s.with(e.intern(ev), me))
			return
		}
		ev.kind = write
		id := e.intern(ev)
		for k := len(s.co[ev.cell]); k > 0; k-- {
			c := s.with(id, me)
			c.co[ev.cell] = slices.Insert(c.co[ev.cell], k, me)
			e.visit(c)
		}
		if ev.order != relaxed {
			return
		}
		for _, class := range s.co[ev.cell][1:] {
			var equal []int
			for p, o := range s.events {
				if w := &e.events[o]; s.class[p] == class && w.kind == write && w.thread == t && w.value == ev.value && w.order == relaxed &&
					!(place >= 0 && (p == place || v.po[p]>>place&1 != 0)) {
					equal = append(equal, p)
				}
			}
			for m := 1; m < 1<<len(equal); m++ {
				if !e.edges && bits.OnesCount(uint(m)) > 1 {
					continue
				}
				c := s.with(id, class)
				for i, p := range equal {
					if m>>i&1 != 0 {
						c.ew = append(c.ew, [2]int{p, int(me)})
					}
				}
				e.visit(c)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A view is the relations of a structure, as matrices: bit b of row a where a leads to b.
type view struct {
	e                      *enumerator
	s                      *runs
	n                      int
	po, succ, jf, cf, ew   rel
	rmw                    rel
	equal, hb, rf, co, eco rel
}

type rel []uint32

func (a rel) or(b rel) rel {
	c := slices.Clone(a)
	for i := range c {
		c[i] |= b[i]
	}
	return c
}

func (a rel) and(b rel) rel {
	c := slices.Clone(a)
	for i := range c {
		c[i] &= b[i]
	}
	return c
}

func (a rel) less(b rel) rel {
	c := slices.Clone(a)
	for i := range c {
		c[i] &^= b[i]
	}
	return c
}

func (a rel) seq(b rel) rel {
	c := make(rel, len(a))
	for i, row := range a {
		for ; row != 0; row &= row - 1 {
			c[i] |= b[bits.TrailingZeros32(row)]
		}
	}
	return c
}

func (a rel) inv() rel {
	c := make(rel, len(a))
	for i, row := range a {
		for ; row != 0; row &= row - 1 {
			c[bits.TrailingZeros32(row)] |= 1 << i
		}
	}
	return c
}

func (a rel) opt() rel {
	c := slices.Clone(a)
	for i := range c {
		c[i] |= 1 << i
	}
	return c
}

func (a rel) plus() rel {
	c := slices.Clone(a)
	for via := range c {
		for i := range c {
			if c[i]>>via&1 != 0 {
				c[i] |= c[via]
			}
		}
	}
	return c
}

func (a rel) reflexive() bool {
	for i, row := range a {
		if row>>i&1 != 0 {
			return true
		}
	}
	return false
}

func (a rel) in(b rel) bool {
	for i := range a {
		if a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

func (e *enumerator) view(s *runs) *view {
	n := len(s.events)
	v := &view{e: e, s: s, n: n}
	none := func() rel { return make(rel, n) }
	v.po, v.succ, v.jf, v.cf, v.ew, v.co, v.rmw = none(), none(), none(), none(), none(), none(), none()
	at := map[int32]int{}
	for p, id := range s.events {
		at[id] = p
		ev := &e.events[id]
		if ev.thread == -1 {
			continue
		}
		for c := range s.co {
			v.po[c] |= 1 << p
		}
		if ev.before >= 0 {
			v.succ[at[ev.before]] |= 1 << p
		}
		for b := ev.before; b >= 0; b = e.events[b].before {
			v.po[at[b]] |= 1 << p
		}
		if ev.kind == read {
			v.jf[at[ev.from]] |= 1 << p
		}
		if ev.half {
			v.rmw[at[ev.before]] |= 1 << p
		}
	}
	for a, i := range s.events {
		for b, j := range s.events {
			if a != b && e.events[i].thread >= 0 && e.events[i].thread == e.events[j].thread && v.po[a]>>b&1 == 0 && v.po[b]>>a&1 == 0 {
				v.cf[a] |= 1 << b
			}
		}
	}
	for _, p := range s.ew {
		v.ew[p[0]] |= 1 << p[1]
		v.ew[p[1]] |= 1 << p[0]
	}
	v.equal = v.ew.plus().opt()
	v.rf = v.equal.seq(v.jf).less(v.cf)
	place := map[int32]int{}
	for _, cs := range s.co {
		for i, c := range cs {
			place[c] = i
		}
	}
	for a, i := range s.events {
		for b, j := range s.events {
			x, y := &e.events[i], &e.events[j]
			if x.kind == write && y.kind == write && x.cell == y.cell && place[s.class[a]] < place[s.class[b]] {
				v.co[a] |= 1 << b
			}
		}
	}
	fr := v.rf.inv().seq(v.co)
	v.eco = v.rf.or(v.co).or(fr).plus()
	v.hb = v.happened(v.po, v.jf, v.rmw)
	return v
}

// happened is happens-before, with from in the place of what reads read from.
func (v *view) happened(po, from, rmw rel) rel {
	f := v.id(func(ev *runEvent) bool { return ev.kind == fence })
	rel := v.id(func(ev *runEvent) bool { return ev.order&release != 0 })
	acq := v.id(func(ev *runEvent) bool { return ev.order&acquire != 0 })
	updates := from.seq(rmw).plus().opt()
	sw := rel.seq(f.seq(po).opt()).seq(updates).seq(from).seq(po.seq(f).opt()).seq(acq)
	return po.or(sw).plus()
}

// within is a relation between some of the events.
func (a rel) within(in uint32) rel {
	c := make(rel, len(a))
	for i, row := range a {
		if in>>i&1 != 0 {
			c[i] = row & in
		}
	}
	return c
}

// orderly is what has to hold of an execution, beside what holds of the structure: no write
// comes between the halves of a read-modify-write, and what is sequentially consistent has an order.
func (v *view) orderly(in uint32) bool {
	po, rf, co, rmw := v.po.within(in), v.rf.within(in), v.co.within(in), v.rmw.within(in)
	// Of writes that are equal to one that was promised, as [enumerator.execution] has it: a read reads
	// from the first, and they are in order.
	sources := rf.inv()
	for r := range sources {
		sources[r] &= -sources[r]
	}
	rf = sources.inv()
	for a := range v.s.events {
		for b := a + 1; b < v.n; b++ {
			if in>>a&1 != 0 && in>>b&1 != 0 && v.e.events[v.s.events[a]].kind == write && v.s.class[a] == v.s.class[b] {
				co[a] |= 1 << b
			}
		}
	}
	fr := sources.seq(co)
	for i, row := range fr.seq(co) {
		if row&rmw[i] != 0 {
			return false
		}
	}
	sc := v.id(func(ev *runEvent) bool { return ev.order&seqCst != 0 })
	f := v.id(func(ev *runEvent) bool { return ev.kind == fence && ev.order&seqCst != 0 })
	loc := make(rel, v.n)
	for a, i := range v.s.events {
		for b, j := range v.s.events {
			x, y := &v.e.events[i], &v.e.events[j]
			loc[a] |= uint32(b2i(x.kind != fence && y.kind != fence && x.cell == y.cell)) << b
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
	r := make(rel, v.n)
	for p, id := range v.s.events {
		if f(&v.e.events[id]) {
			r[p] = 1 << p
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
	for _, row := range v.jf.and(ecf) {
		if row != 0 {
			return false
		}
	}
	return true
}

func (v *view) consistent() bool {
	for a := range v.s.events { // all of a class are connected
		for b := range a {
			if v.s.class[a] == v.s.class[b] && v.equal[a]>>b&1 == 0 {
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
	for _, row := range local {
		rng |= row
	}
	locals := make(rel, v.n)
	for i := range locals {
		locals[i] = rng & (1 << i)
	}
	imm := v.cf.less(v.cf.seq(v.po).or(v.po.inv().seq(v.cf)))
	// As printed, jf \ local; po; ew in jf; (po | lbpatt), any run that parts from the other by a read of
	// the same write will do, be it one that promises nothing. What is meant (section 3.2, and the
	// proof of lemma D.20) is the read itself.
	external := make(rel, v.n)
	for r, row := range v.jf.less(local).inv() {
		external[r] = 1 << r & -uint32(b2i(row != 0))
	}
	return external.seq(v.po).seq(v.ew).in(v.jf.inv().seq(v.jf).seq(v.po).or(imm.seq(locals).seq(v.po)))
}

// extract takes note of the complete executions in a structure.
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
	pick := make([]int, len(ends))
	for {
		in := uint32(1)<<len(s.co) - 1
		for t, i := range pick {
			if p := ends[t][i]; p >= 0 {
				in |= 1 << p
				for q := range v.po {
					if v.po[q]>>p&1 != 0 {
						in |= 1 << q
					}
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
	index := func(p int) int {
		if p < len(s.co) {
			return 0
		}
		n := -len(s.co)
		for q := range v.po {
			n += int(v.po[q] >> p & 1)
		}
		return n
	}
	id := func(p int) string { return fmt.Sprint(e.events[s.events[p]].thread, ".", index(p)) }
	var b strings.Builder
	for t := range e.x.threads {
		var mine []int
		for p, ev := range s.events {
			if in>>p&1 != 0 && e.events[ev].thread == int32(t) {
				mine = append(mine, p)
			}
		}
		slices.SortFunc(mine, func(p, q int) int { return index(p) - index(q) })
		for _, p := range mine {
			ev := &e.events[s.events[p]]
			cell := ev.cell
			if ev.kind == fence {
				cell = -1
			}
			fmt.Fprint(&b, ev.kind, ev.half, cell, " ", ev.value)
			if ev.kind == read {
				src := v.rf.inv()[p] & in
				if src == 0 {
					return
				}
				w := bits.TrailingZeros32(src)
				if w < len(s.co) {
					fmt.Fprint(&b, "<", -1, ".", 0)
				} else {
					fmt.Fprint(&b, "<", id(w))
				}
			}
			b.WriteByte(' ')
		}
		b.WriteByte('|')
	}
	for _, cs := range s.co {
		for _, c := range cs[1:] {
			for p := range s.events {
				if in>>p&1 != 0 && s.class[p] == c && e.events[s.events[p]].kind == write {
					b.WriteString(id(p) + " ")
				}
			}
		}
		b.WriteByte('/')
	}
	if v.orderly(in) {
		e.found[b.String()] = true
	}
}
