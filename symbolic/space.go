package symbolic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
)

// A local is what a state has of one thread.
type local struct {
	pc   program.StateID
	regs []int64
	buf  abstract.Contents
}

// A space makes states of an abstract.System vectors: a place for each thread,
// the value in which is one of a list of local states; one for each cell, whose
// values are listed, too; and one for the lock, if there are locks, where 0 is
// that it is free and t + 1 that thread t holds it.
type space struct {
	*meter
	p      *program.Program
	b      abstract.Buffer
	x      *abstract.System
	lives  [][]program.RegSet // by thread and control state
	locals [][]local          // by thread
	ids    []map[string]int32 // by thread: index of a local state in locals, by key
	cells  [][]int64          // by cell
	locks  bool
	passed [][]bool // by thread and control state; see findPassed
	fixed  bool     // no values of cells are listed any more

	places []place // by level, from 1: places[0] is level 1
	level  map[place]int
	sizes  []int // by level, less 1: how many values it has
	init   *abstract.State
	s      *abstract.State // at init but for the thread at work, the lock and the cells of its event
	spare  []*abstract.State
	key    []byte
}

// A place is what a level stands for.
type place struct {
	kind  placeKind
	index int // of the thread or cell
}

type placeKind uint8

const (
	threadPlace placeKind = iota
	cellPlace
	lockPlace
)

func newSpace(m *meter, p *program.Program, b abstract.Buffer) (*space, error) {
	r, err := program.AnalyseContext(m.ctx, p)
	if err != nil {
		return nil, err
	}
	x, err := abstract.New(p, r, b, 0)
	if err != nil {
		return nil, err
	}
	sp := &space{meter: m, p: p, b: b, x: x, init: x.NewState(), s: x.NewState(), locks: flow.Locks(p)}
	x.Initial(sp.init)
	x.Initial(sp.s)
	sp.findPassed(r)
	for ti := range p.Threads {
		sp.lives = append(sp.lives, flow.Live(p, ti, false))
	}
	sp.locals = make([][]local, len(p.Threads))
	sp.ids = make([]map[string]int32, len(p.Threads))
	for ti := range p.Threads {
		sp.ids[ti] = map[string]int32{}
	}
	sp.cells = make([][]int64, len(r.Cells))
	return sp, nil
}

// orders is in which orders levels may stand for places, the lowest first. Cells with
// one value only take no place: that is the initial one, and a step to another would
// be one to a value that is not listed. No order is
// the best for all programs: at some locks one takes a hundred times the nodes of
// the other, at others it is the other way round. In the first the cells are
// below all threads; in the second a thread is next to the cells that it alone
// writes, and only those that several write are at the bottom; where all do, there is
// but one. The last thread is
// the lowest: on locks whose threads scan the others in order that takes about
// half the nodes.
func (sp *space) orders() [][]place {
	var shared []int
	own := make([][]int, len(sp.p.Threads)) // by thread: the cells that it alone writes
	for c, values := range sp.cells {
		if len(values) == 1 {
			continue
		}
		writer, writers := 0, 0
		for t, writes := range sp.x.Ranges.Writers[c] {
			if writes {
				writer = t
				writers++
			}
		}
		if writers == 1 {
			own[writer] = append(own[writer], c)
		} else {
			shared = append(shared, c)
		}
	}
	var low, near []place
	if sp.locks {
		low = append(low, place{lockPlace, 0})
		near = append(near, place{lockPlace, 0})
	}
	for c, values := range sp.cells {
		if len(values) > 1 {
			low = append(low, place{cellPlace, c})
		}
	}
	for _, c := range shared {
		near = append(near, place{cellPlace, c})
	}
	for ti := len(sp.p.Threads) - 1; ti >= 0; ti-- {
		for _, c := range own[ti] {
			near = append(near, place{cellPlace, c})
		}
		low = append(low, place{threadPlace, ti})
		near = append(near, place{threadPlace, ti})
	}
	if slices.Equal(low, near) {
		return [][]place{low}
	}
	return [][]place{low, near}
}

// arrange makes levels stand for places, from the lowest.
func (sp *space) arrange(places []place) {
	sp.places, sp.level, sp.sizes = places, map[place]int{}, make([]int, len(places))
	for i, pl := range places {
		sp.level[pl] = i + 1
		switch pl.kind {
		case threadPlace:
			sp.sizes[i] = len(sp.locals[pl.index])
		case cellPlace:
			sp.sizes[i] = len(sp.cells[pl.index])
		default:
			sp.sizes[i] = len(sp.p.Threads) + 1
		}
	}
}

// findPassed finds the control states that a thread never stays at: those in the
// middle of a large block, as for the circuits, where what it does next is to
// compute or to buffer a store.
func (sp *space) findPassed(r *program.Ranges) {
	b := &builder{System: &System{Program: sp.p, Buffer: sp.b, ranges: r}, p: sp.p, r: r, buffered: !sp.b.Immediate(), locks: flow.Locks(sp.p)}
	b.seen = flow.NewVisible(b.p, b.r, b.p.Properties)
	for ti, t := range sp.p.Threads {
		bl := b.findBlocks(ti)
		passed := slices.Clone(bl.middle)
		for q := range passed {
			for _, e := range bl.out[q] {
				switch t.Edges[e].Cmd.Op {
				case program.Assign, program.Check, program.Havoc, program.Assert:
				case program.Store:
					passed[q] = passed[q] && b.buffered
				default:
					passed[q] = false
				}
			}
		}
		sp.passed = append(sp.passed, passed)
	}
}

// errNew is that a step leads to a local state or a value that is not listed.
var errNew = errors.New("a local state or a value that is not listed")

// maxLocals bounds the local states of a thread: beyond, its buffer grows for
// ever, or it has too much data.
const maxLocals = 20_000

// maxBuffer bounds a store buffer: whoever has filled a longer one has had more than
// maxLocals states on the way, or goes on for ever.
const maxBuffer = 256

// maxValues bounds the values of a cell.
const maxValues = 128

// maxProduct bounds the values of the cells that one command accesses.
const maxProduct = 1 << 14

func (sp *space) localKey(l *local) string {
	b := binary.AppendVarint(sp.key[:0], int64(l.pc))
	for _, v := range l.regs {
		b = binary.AppendVarint(b, v)
	}
	for _, p := range l.buf.Pairs {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(p.Cell)), p.Value)
	}
	sp.key = b
	return string(b)
}

// localOf is the number of the local state of thread ti in s; where it is not
// listed, it is if grow is true.
func (sp *space) localOf(ti int, s *abstract.State, grow bool) (int32, error) {
	l := local{pc: s.PC[ti], regs: s.Regs[ti], buf: s.Buf[ti]}
	key := sp.localKey(&l)
	id, ok := sp.ids[ti][key]
	if ok {
		return id, nil
	}
	if !grow {
		return 0, errNew
	}
	for r, v := range l.regs {
		if !sp.x.Ranges.Reg[ti][r].Has(v) {
			return 0, errNew
		}
	}
	if len(sp.locals[ti]) >= maxLocals {
		return 0, fmt.Errorf("%w: thread %s by itself has more than %d states", ErrUnsupported, sp.p.Threads[ti].Name, maxLocals)
	}
	if len(l.buf.Pairs) > maxBuffer {
		return 0, fmt.Errorf("%w: the store buffer of thread %s by itself grows beyond %d", ErrUnsupported, sp.p.Threads[ti].Name, maxBuffer)
	}
	l.regs = slices.Clone(l.regs)
	l.buf = abstract.Contents{Pairs: slices.Clone(l.buf.Pairs)}
	id = int32(len(sp.locals[ti]))
	sp.locals[ti] = append(sp.locals[ti], l)
	sp.ids[ti][key] = id
	return id, sp.hold(int64(2*len(key)+8*len(l.regs)+16*len(l.buf.Pairs)) + 160)
}

func (sp *space) valueOf(cell int, v int64, grow bool) (int32, error) {
	i := slices.Index(sp.cells[cell], v)
	if i < 0 {
		if !grow || sp.fixed || !sp.x.Ranges.Cell[cell].Has(v) {
			return 0, errNew
		}
		if len(sp.cells[cell]) >= maxValues {
			return 0, fmt.Errorf("%w: more than %d values of a cell", ErrUnsupported, maxValues)
		}
		i = len(sp.cells[cell])
		sp.cells[cell] = append(sp.cells[cell], v)
	}
	return int32(i), nil
}

// touched is the cells that event ev of thread ti in sp.s may read or write; what
// they hold is what may decide its outcome beside the thread's own state and the
// lock.
func (sp *space) touched(ev abstract.Event) []int {
	ti := ev.Thread
	if ev.Edge == abstract.Flush {
		return []int{sp.b.Flushed(&sp.s.Buf[ti], int(ev.Choice)).Cell}
	}
	c := &sp.p.Threads[ti].Edges[ev.Edge].Cmd
	switch c.Op {
	case program.Load, program.Store:
		if c.Op == program.Store && !sp.b.Immediate() {
			return nil
		}
		if cell := sp.x.Ranges.CellIndex(program.EvalRegs(c.Addr, sp.s.Regs[ti])); cell >= 0 {
			return []int{cell}
		}
	case program.Atomic:
		var cells []int
		for i := range c.Body {
			cells = append(cells, sp.x.Ranges.Access[&c.Body[i]]...)
		}
		slices.Sort(cells)
		return slices.Compact(cells)
	}
	return nil
}

// A change is what an event does at one level.
type change struct {
	level    int
	from, to int32
}

// An effect is what becomes of an event: its changes, by descending level; or
// that an assertion fails in it, or that it leads to what is not listed (the
// values to are then void).
type effect struct {
	changes []change
	failed  bool
	unknown bool
}

// effects calls f for everything that thread ti may do in local state id, for all
// listed values of the cells that matter. With grow, what is not listed is
// appended to the lists.
func (sp *space) effects(ti int, id int32, grow bool, f func(*effect) error) error {
	l := sp.locals[ti][id]
	s := sp.s
	s.PC[ti] = l.pc
	copy(s.Regs[ti], l.regs)
	s.Buf[ti].Copy(&l.buf)
	lockValues := 1
	if sp.locks {
		lockValues = len(sp.p.Threads) + 1
	}
	out := sp.x.Out(ti, l.pc)
	for lock := range lockValues {
		s.Lock = lock - 1
		for i := range sp.x.Flushes(s, ti) {
			if err := sp.event(abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(i)}, id, grow, f); err != nil {
				return err
			}
		}
		for _, e := range out {
			for c := range sp.x.Choices(ti, e) {
				if err := sp.event(abstract.Event{Thread: ti, Edge: e, Choice: c}, id, grow, f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// event is effects for one event in sp.s, of which only the touched cells are
// still to be chosen.
func (sp *space) event(ev abstract.Event, id int32, grow bool, f func(*effect) error) error {
	ti := ev.Thread
	cells := sp.touched(ev)
	n := 1
	for _, c := range cells {
		if n *= len(sp.cells[c]); n > maxProduct {
			return fmt.Errorf("%w: a command accesses too many values of memory", ErrUnsupported)
		}
	}
	lock := sp.s.Lock
	for k := range n {
		rest := k
		for _, c := range cells {
			sp.s.Mem[c] = sp.cells[c][rest%len(sp.cells[c])]
			rest /= len(sp.cells[c])
		}
		if err := sp.tick(); err != nil {
			return err
		}
		to := sp.scratch(0, sp.s, ti, cells)
		o := sp.x.Step(to, ev)
		if err := sp.rest(to, o, ev.Thread, 1, cells, func(to *abstract.State, o abstract.Outcome) error {
			return sp.report(to, o, ti, id, lock, cells, k, grow, f)
		}); err != nil {
			return err
		}
	}
	for _, c := range cells {
		sp.s.Mem[c] = sp.init.Mem[c]
		for _, s := range sp.spare {
			s.Mem[c] = sp.init.Mem[c]
		}
	}
	return nil
}

// scratch is a state to work in, one for each depth: that of src, of which what thread
// ti has, the lock and the cells may differ from init.
func (sp *space) scratch(depth int, src *abstract.State, ti int, cells []int) *abstract.State {
	if depth == len(sp.spare) {
		s := sp.x.NewState()
		s.Copy(sp.init)
		sp.spare = append(sp.spare, s)
	}
	s := sp.spare[depth]
	s.PC[ti], s.Lock = src.PC[ti], src.Lock
	copy(s.Regs[ti], src.Regs[ti])
	s.Buf[ti].Copy(&src.Buf[ti])
	for _, c := range cells {
		s.Mem[c] = src.Mem[c]
	}
	return s
}

// rest follows an event of thread ti with outcome o, after which the state is to,
// up to where the thread may stay, and calls f for all states there.
func (sp *space) rest(to *abstract.State, o abstract.Outcome, ti, depth int, cells []int, f func(*abstract.State, abstract.Outcome) error) error {
	if o == abstract.Disabled || o == abstract.Full {
		return nil
	}
	if o != abstract.Done || !sp.passed[ti][to.PC[ti]] {
		return f(to, o)
	}
	for _, e := range sp.x.Out(ti, to.PC[ti]) {
		for c := range sp.x.Choices(ti, e) {
			if err := sp.tick(); err != nil {
				return err
			}
			n := sp.scratch(depth, to, ti, cells)
			o := sp.x.Step(n, abstract.Event{Thread: ti, Edge: e, Choice: c})
			if err := sp.rest(n, o, ti, depth+1, cells, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// report calls f for what has become of an event of thread ti in local state id,
// where the cells had the values with number k, and the outcome is o.
func (sp *space) report(to *abstract.State, o abstract.Outcome, ti int, id int32, lock int, cells []int, k int, grow bool, f func(*effect) error) error {
	e := &effect{failed: o == abstract.Failed, unknown: o == abstract.Stray}
	note := func(pl place, from, to int32, err error) error {
		if err == errNew {
			e.unknown = true
		} else if err != nil {
			return err
		}
		// A cell with one value has no level; to another it goes by an unknown step.
		if l := sp.level[pl]; l != 0 || sp.level == nil {
			e.changes = append(e.changes, change{l, from, to})
		}
		return nil
	}
	var next int32
	var err error
	if !e.failed && !e.unknown {
		for r := range to.Regs[ti] {
			if !sp.lives[ti][to.PC[ti]].Has(r) {
				to.Regs[ti][r] = sp.p.Threads[ti].Regs[r].Init
			}
		}
		next, err = sp.localOf(ti, to, grow)
	}
	if err := note(place{threadPlace, ti}, id, next, err); err != nil {
		return err
	}
	rest := k
	for _, c := range cells {
		from := int32(rest % len(sp.cells[c]))
		rest /= len(sp.cells[c])
		value := from
		var err error
		if !e.failed && !e.unknown {
			value, err = sp.valueOf(c, to.Mem[c], grow)
		}
		if err := note(place{cellPlace, c}, from, value, err); err != nil {
			return err
		}
	}
	if sp.locks {
		if err := note(place{lockPlace, 0}, int32(lock+1), int32(to.Lock+1), nil); err != nil {
			return err
		}
	}
	slices.SortFunc(e.changes, func(a, b change) int { return b.level - a.level })
	return f(e)
}

// close lists all local states and values that threads reach from the initial
// one while other threads do what they like: more than they do reach together.
// What the analysis of values rules out is not listed.
func (sp *space) close() error {
	for ti := range sp.p.Threads {
		if _, err := sp.localOf(ti, sp.init, true); err != nil {
			return err
		}
	}
	for c := range sp.cells {
		sp.cells[c] = append(sp.cells[c], sp.init.Mem[c])
	}
	return sp.grow()
}

// grow lists what is reached from what is listed.
func (sp *space) grow() error {
	size := func() (n int) {
		for _, vs := range sp.cells {
			n += len(vs)
		}
		return n
	}
	for again := true; again; {
		before := size()
		for ti := range sp.locals {
			for id := 0; id < len(sp.locals[ti]); id++ {
				if err := sp.effects(ti, int32(id), true, func(*effect) error { return nil }); err != nil {
					return err
				}
			}
		}
		again = size() > before
	}
	return nil
}

// steps is the steps of all threads, without those that change nothing; and those
// in which an assertion fails, or that lead to what is not listed.
func (sp *space) steps() (good, wrong [][]change, err error) {
	for ti := range sp.locals {
		for id := range sp.locals[ti] {
			err := sp.effects(ti, int32(id), false, func(e *effect) error {
				if e.failed || e.unknown {
					wrong = append(wrong, e.changes)
				} else if slices.ContainsFunc(e.changes, func(c change) bool { return c.from != c.to }) {
					good = append(good, e.changes)
				} else {
					return nil
				}
				return sp.hold(bytesPerStep(e.changes))
			})
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return good, wrong, nil
}

// bytesPerStep is what a step takes in a list, with what it takes in the list for
// classes, when that is sorted, and in relations.
func bytesPerStep(changes []change) int64 { return int64(2*(24+32+16*len(changes)) + 24*len(changes)) }

// forget says that lists of steps are no longer needed.
func (sp *space) forget(lists ...[][]change) {
	for _, list := range lists {
		for _, changes := range list {
			sp.held -= bytesPerStep(changes)
		}
	}
}

// relate makes relations of lists of changes, each by descending level: one for
// each set of levels.
func relate(s *diagram.Store, lists [][]change) []diagram.Rel {
	if len(lists) == 0 {
		return nil
	}
	compare := func(a, b []change) int {
		for i := range min(len(a), len(b)) {
			if a[i].level != b[i].level {
				return b[i].level - a[i].level
			}
		}
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		for i := range a {
			if a[i] != b[i] {
				if a[i].from != b[i].from {
					return int(a[i].from - b[i].from)
				}
				return int(a[i].to - b[i].to)
			}
		}
		return 0
	}
	slices.SortFunc(lists, compare)
	sameLevels := func(a, b []change) bool {
		return slices.EqualFunc(a, b, func(x, y change) bool { return x.level == y.level })
	}
	var build func(lists [][]change, depth int) diagram.Rel
	build = func(lists [][]change, depth int) diagram.Rel {
		if depth == len(lists[0]) {
			return diagram.Identity
		}
		var changes []diagram.Change
		for i := 0; i < len(lists); {
			j := i
			for j < len(lists) && lists[j][depth] == lists[i][depth] {
				j++
			}
			c := lists[i][depth]
			changes = append(changes, diagram.Change{From: c.from, To: c.to, Below: build(lists[i:j], depth+1)})
			i = j
		}
		return s.Relation(lists[0][depth].level, changes)
	}
	var rels []diagram.Rel
	for i := 0; i < len(lists); {
		j := i
		for j < len(lists) && sameLevels(lists[i], lists[j]) {
			j++
		}
		rels = append(rels, build(lists[i:j], 0))
		i = j
	}
	return rels
}

// initial is the initial state as a vector; false where it is not listed.
func (sp *space) initial() ([]int32, bool) {
	v := make([]int32, len(sp.places))
	for i, pl := range sp.places {
		var err error
		switch pl.kind {
		case threadPlace:
			v[i], err = sp.localOf(pl.index, sp.init, false)
		case cellPlace:
			v[i], err = sp.valueOf(pl.index, sp.init.Mem[pl.index], false)
		default:
			v[i] = int32(sp.init.Lock + 1)
		}
		if err != nil {
			return nil, false
		}
	}
	return v, true
}

// set makes s have value v at a level.
func (sp *space) set(s *abstract.State, level int, v int32) {
	switch pl := sp.places[level-1]; pl.kind {
	case threadPlace:
		l := &sp.locals[pl.index][v]
		s.PC[pl.index] = l.pc
		copy(s.Regs[pl.index], l.regs)
		s.Buf[pl.index].Copy(&l.buf)
	case cellPlace:
		s.Mem[pl.index] = sp.cells[pl.index][v]
	default:
		s.Lock = int(v) - 1
	}
}
