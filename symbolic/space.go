package symbolic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
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
	p      *program.Program
	b      abstract.Buffer
	x      *abstract.System
	lives  [][]program.RegSet // by thread and control state
	locals [][]local          // by thread
	ids    []map[string]int32 // by thread: index of a local state in locals, by key
	cells  [][]int64          // by cell
	locks  bool
	passed [][]bool // by thread and control state; see findPassed

	places []place // by level, from 1: places[0] is level 1
	level  map[place]int
	s      *abstract.State
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

func newSpace(p *program.Program, b abstract.Buffer) (*space, error) {
	r, err := program.Analyse(p)
	if err != nil {
		return nil, err
	}
	x, err := abstract.New(p, r, b, 0)
	if err != nil {
		return nil, err
	}
	sp := &space{p: p, b: b, x: x, s: x.NewState()}
	sp.findPassed(r)
	for ti, t := range p.Threads {
		sp.lives = append(sp.lives, program.Live(p, ti, false))
		for i := range t.Edges {
			sp.locks = sp.locks || t.Edges[i].Cmd.Op == program.Lock
		}
	}
	sp.locals = make([][]local, len(p.Threads))
	sp.ids = make([]map[string]int32, len(p.Threads))
	for ti := range p.Threads {
		sp.ids[ti] = map[string]int32{}
	}
	sp.cells = make([][]int64, len(r.Cells))
	for i := range p.Properties {
		if p.Properties[i].Kind == program.Deadlock {
			return nil, fmt.Errorf("%w: a deadlock as a property", ErrUnsupported)
		}
	}
	sp.arrange(sp.orders()[0])
	return sp, nil
}

// orders is in which orders levels may stand for places, the lowest first. None is
// the best for all programs: at some locks one takes a hundred times the nodes of
// the other, at others it is the other way round. In the first the cells are
// below all threads; in the second a thread is next to the cells that it alone
// writes, and only those that several write are at the bottom. The last thread is
// the lowest: on locks whose threads scan the others in order that takes about
// half the nodes.
func (sp *space) orders() [2][]place {
	writer := func(c int) int {
		w := -1
		for t, writes := range sp.x.Ranges.Writers[c] {
			if writes && w >= 0 {
				return -1
			}
			if writes {
				w = t
			}
		}
		return w
	}
	var low, near []place
	if sp.locks {
		low = append(low, place{lockPlace, 0})
		near = append(near, place{lockPlace, 0})
	}
	for c := range sp.cells {
		low = append(low, place{cellPlace, c})
		if writer(c) < 0 {
			near = append(near, place{cellPlace, c})
		}
	}
	for ti := len(sp.p.Threads) - 1; ti >= 0; ti-- {
		for c := range sp.cells {
			if writer(c) == ti {
				near = append(near, place{cellPlace, c})
			}
		}
		low = append(low, place{threadPlace, ti})
		near = append(near, place{threadPlace, ti})
	}
	return [2][]place{low, near}
}

// arrange makes levels stand for places, from the lowest.
func (sp *space) arrange(places []place) {
	sp.places, sp.level = places, map[place]int{}
	for i, pl := range places {
		sp.level[pl] = i + 1
	}
}

// findPassed finds the control states that a thread never stays at: those in the
// middle of a large block, as for the circuits, where what it does next is to
// compute or to buffer a store.
func (sp *space) findPassed(r *program.Ranges) {
	b := &builder{System: &System{Program: sp.p, Buffer: sp.b, ranges: r}, p: sp.p, r: r, buffered: !sp.b.Immediate()}
	for _, t := range sp.p.Threads {
		for i := range t.Edges {
			b.locks = b.locks || t.Edges[i].Cmd.Op == program.Lock
		}
	}
	b.findSeen()
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
	l.regs = slices.Clone(l.regs)
	l.buf = abstract.Contents{Pairs: slices.Clone(l.buf.Pairs)}
	id = int32(len(sp.locals[ti]))
	sp.locals[ti] = append(sp.locals[ti], l)
	sp.ids[ti][key] = id
	return id, nil
}

func (sp *space) valueOf(cell int, v int64, grow bool) (int32, error) {
	i := slices.Index(sp.cells[cell], v)
	if i < 0 {
		if !grow || !sp.x.Ranges.Cell[cell].Has(v) {
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
		regs := sp.s.Regs[ti]
		addr := program.Eval(c.Addr, &program.Env{Reg: func(r program.Reg) int64 { return regs[r] }})
		if cell := sp.x.Ranges.CellIndex(addr); cell >= 0 {
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
	sp.x.Initial(s)
	s.PC[ti] = l.pc
	copy(s.Regs[ti], l.regs)
	s.Buf[ti].Copy(&l.buf)
	s.Lock = -1
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
		to := sp.scratch(0)
		to.Copy(sp.s)
		o := sp.x.Step(to, ev)
		if err := sp.rest(to, o, ev.Thread, 1, func(to *abstract.State, o abstract.Outcome) error {
			return sp.report(to, o, ti, id, lock, cells, k, grow, f)
		}); err != nil {
			return err
		}
	}
	return nil
}

// scratch is a state to work in, one for each depth.
func (sp *space) scratch(depth int) *abstract.State {
	if depth == len(sp.spare) {
		sp.spare = append(sp.spare, sp.x.NewState())
	}
	return sp.spare[depth]
}

// rest follows an event of thread ti with outcome o, after which the state is to,
// up to where the thread may stay, and calls f for all states there.
func (sp *space) rest(to *abstract.State, o abstract.Outcome, ti, depth int, f func(*abstract.State, abstract.Outcome) error) error {
	if o == abstract.Disabled || o == abstract.Full {
		return nil
	}
	if o != abstract.Done || !sp.passed[ti][to.PC[ti]] {
		return f(to, o)
	}
	for _, e := range sp.x.Out(ti, to.PC[ti]) {
		for c := range sp.x.Choices(ti, e) {
			n := sp.scratch(depth)
			n.Copy(to)
			o := sp.x.Step(n, abstract.Event{Thread: ti, Edge: e, Choice: c})
			if err := sp.rest(n, o, ti, depth+1, f); err != nil {
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
		e.changes = append(e.changes, change{sp.level[pl], from, to})
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
func (sp *space) close(ctx context.Context) error {
	init := sp.x.NewState()
	sp.x.Initial(init)
	for ti := range sp.p.Threads {
		if _, err := sp.localOf(ti, init, true); err != nil {
			return err
		}
	}
	for c := range sp.cells {
		sp.cells[c] = append(sp.cells[c], init.Mem[c])
	}
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
				if err := ctx.Err(); err != nil {
					return err
				}
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
func (sp *space) steps(ctx context.Context) (good, wrong [][]change, err error) {
	for ti := range sp.locals {
		for id := range sp.locals[ti] {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			err := sp.effects(ti, int32(id), false, func(e *effect) error {
				if e.failed || e.unknown {
					wrong = append(wrong, e.changes)
				} else if slices.ContainsFunc(e.changes, func(c change) bool { return c.from != c.to }) {
					good = append(good, e.changes)
				}
				return nil
			})
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return good, wrong, nil
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

// sizes is how many values each level has.
func (sp *space) sizes() []int {
	n := make([]int, len(sp.places))
	for i, pl := range sp.places {
		switch pl.kind {
		case threadPlace:
			n[i] = len(sp.locals[pl.index])
		case cellPlace:
			n[i] = len(sp.cells[pl.index])
		default:
			n[i] = len(sp.p.Threads) + 1
		}
	}
	return n
}

// initial is the initial state as a vector; false where it is not listed.
func (sp *space) initial() ([]int32, bool) {
	init := sp.x.NewState()
	sp.x.Initial(init)
	v := make([]int32, len(sp.places))
	for i, pl := range sp.places {
		var err error
		switch pl.kind {
		case threadPlace:
			v[i], err = sp.localOf(pl.index, init, false)
		case cellPlace:
			v[i], err = sp.valueOf(pl.index, init.Mem[pl.index], false)
		default:
			v[i] = int32(init.Lock + 1)
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

// maxViews bounds how many combinations of what properties see are looked at.
const maxViews = 1 << 20

// violated is whether a state of the set violates a property. Of the vectors it
// looks at one for each combination of what the properties see of the levels.
func (sp *space) violated(s *diagram.Store, n diagram.Node) (bool, error) {
	// What the properties see of each value, as a number.
	views := make([][]int32, len(sp.places)+1)
	first := make([][]int32, len(sp.places)+1) // by number: a value
	for level := 1; level <= len(sp.places); level++ {
		see := sp.sees(level)
		numbers := map[string]int32{}
		for v := range sp.sizes()[level-1] {
			key := see(int32(v))
			k, ok := numbers[key]
			if !ok {
				k = int32(len(numbers))
				numbers[key] = k
				first[level] = append(first[level], int32(v))
			}
			views[level] = append(views[level], k)
		}
	}
	known := map[diagram.Node]map[string]bool{diagram.One: {"": true}}
	total := 0
	var combine func(n diagram.Node) (map[string]bool, error)
	combine = func(n diagram.Node) (map[string]bool, error) {
		if set, ok := known[n]; ok {
			return set, nil
		}
		set := map[string]bool{}
		level := s.Level(n)
		for _, a := range s.Arcs(n) {
			below, err := combine(a.To)
			if err != nil {
				return nil, err
			}
			head := string(binary.LittleEndian.AppendUint32(nil, uint32(views[level][a.Value])))
			for tail := range below {
				set[tail+head] = true
			}
		}
		if total += len(set); total > maxViews {
			return nil, fmt.Errorf("%w: too many combinations of what the properties see", ErrUnsupported)
		}
		known[n] = set
		return set, nil
	}
	all, err := combine(n)
	if err != nil {
		return false, err
	}
	state := sp.x.NewState()
	sp.x.Initial(state)
	judge := replay.NewJudge(sp.x, sp.p.Properties)
	for view := range all {
		for level := 1; level <= len(sp.places); level++ {
			k := binary.LittleEndian.Uint32([]byte(view[4*level-4:]))
			sp.set(state, level, first[level][k])
		}
		if judge.Violated(state) != nil {
			return true, nil
		}
	}
	return false, nil
}

// sees is what the properties see of a value at a level.
func (sp *space) sees(level int) func(v int32) string {
	pl := sp.places[level-1]
	var seen []program.Expr
	add := func(e program.Expr) {
		switch e := e.(type) {
		case program.At:
			if pl == (place{threadPlace, e.Thread}) {
				seen = append(seen, e)
			}
		case program.ThreadReg:
			if pl == (place{threadPlace, e.Thread}) {
				seen = append(seen, e)
			}
		case program.Mem:
			if pl == (place{cellPlace, sp.x.Ranges.CellIndex(e.Addr)}) {
				seen = append(seen, e)
			}
		}
	}
	final := false
	for i := range sp.p.Properties {
		program.Walk(sp.p.Properties[i].Cond, add)
		final = final || sp.p.Properties[i].Final()
	}
	program.Walk(sp.p.Filter, add)
	if final {
		for _, t := range sp.p.Threads {
			for q := range t.States {
				if t.States[q].Kind == program.Unstarted {
					add(program.Mem{Addr: t.StartCell(program.StateID(q))})
				}
			}
		}
	}
	s := sp.x.NewState()
	sp.x.Initial(s)
	var conds []abstract.Condition
	for _, e := range seen {
		conds = append(conds, sp.x.Condition(e))
	}
	return func(v int32) string {
		sp.set(s, level, v)
		var key []byte
		for _, c := range conds {
			key = binary.AppendVarint(key, c(s))
		}
		if final && pl.kind == threadPlace {
			// Where the thread is not over it may be one that is to be started.
			q, over := s.PC[pl.index], byte(0)
			switch {
			case !s.Buf[pl.index].Empty():
			case sp.p.Threads[pl.index].States[q].Kind == program.Unstarted:
				over = 2
			case sp.x.Ended(s, pl.index):
				over = 1
			}
			key = append(key, over)
		}
		return string(key)
	}
}
