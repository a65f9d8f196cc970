package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// Ranges is what [Analyse] finds out about a program's values: which cells
// there are, which of them a command may access, and which values a cell or a
// register may hold. It holds for every memory model in which a load gives the
// initial value or one that some store wrote, and in which nothing comes before the
// branches that it depends on; see [AnalyseSpeculative] for the others.
type Ranges struct {
	// Cells is all cells that are declared, that a command may access or that
	// a property reads, by ascending address.
	Cells []Cell
	// Cell is, by index into Cells, what the cell and every buffered store
	// to it may hold.
	Cell []ValueSet
	// Readers and Writers are, by index into Cells, the sets of threads that
	// may load from the cell or store to it.
	Readers, Writers [][]bool
	// Reg is, by thread and register, what the register may hold anywhere between two
	// commands.
	Reg [][]ValueSet
	// Reachable is, by thread and control state, whether the thread can get
	// there as far as the analysis sees.
	Reachable [][]bool
	// Access is, for every Load and Store, alone or in a body, the cells that
	// it may access: ascending indices into Cells. Commands that cannot be
	// reached have none.
	Access map[*Command][]int
	// Address is, for the same commands, what their addresses may be, those
	// that are not declared among them.
	Address map[*Command]ValueSet

	index map[int64]int
	// before is, for every Assert that bears tags and can be reached, what the registers may hold there.
	before map[*Command][]ValueSet
}

// CellIndex is the index in Cells of the cell with address addr, or -1.
func (r *Ranges) CellIndex(addr int64) int {
	if i, ok := r.index[addr]; ok {
		return i
	}
	return -1
}

// Value is what e may be in a thread, anywhere.
func (r *Ranges) Value(thread int, e Expr) ValueSet { return evalSet(e, r.Reg[thread]) }

// At is what e may be right before c, an Assert that bears tags; nothing where that cannot be reached.
func (r *Ranges) At(c *Command, e Expr) ValueSet {
	regs, ok := r.before[c]
	if !ok {
		return ValueSet{}
	}
	return evalSet(e, regs)
}

// Private is the one thread that accesses cell i, or -1 where there are several
// or none.
func (r *Ranges) Private(i int) int {
	owner := -1
	for t := range r.Reg {
		if r.Readers[i][t] || r.Writers[i][t] {
			if owner >= 0 {
				return -1
			}
			owner = t
		}
	}
	return owner
}

// ReadOnly is true of a cell that no thread stores to.
func (r *Ranges) ReadOnly(i int) bool { return !slices.Contains(r.Writers[i], true) }

// maxCells is how many addresses one access may have before Analyse gives up.
const maxCells = 1 << 16

// ErrStopped is wrapped by the error of [AnalyseContext] when its context ends.
var ErrStopped = errors.New("the analysis of values was stopped")

// Analyse infers ranges by abstract interpretation: sets of values for the
// registers, by control state, and for the cells, once for the whole run.
// The error is a [Diagnostic] where the address of an access has no bound.
func Analyse(p *Program) (*Ranges, error) { return AnalyseContext(context.Background(), p) }

// AnalyseContext is [Analyse] that stops when ctx ends: the error then wraps
// [ErrStopped] and that of ctx.
func AnalyseContext(ctx context.Context, p *Program) (*Ranges, error) {
	shared, _ := ctx.Value(sharing{p}).(*atomic.Pointer[Ranges])
	if shared == nil {
		return analyse(ctx, p, false, nil)
	}
	if r := shared.Load(); r != nil {
		return r, nil
	}
	r, err := analyse(ctx, p, false, nil)
	if err == nil {
		shared.Store(r)
	}
	return r, err
}

// sharing is the key of what is known of a program in a context.
type sharing struct{ p *Program }

// Sharing is ctx with room for what [AnalyseContext] says of p, so that all who ask in that context
// get what the first has found out. Nobody may change p meanwhile, nor the Ranges.
func Sharing(ctx context.Context, p *Program) context.Context {
	if ctx.Value(sharing{p}) != nil {
		return ctx
	}
	return context.WithValue(ctx, sharing{p}, new(atomic.Pointer[Ranges]))
}

// Known is ctx in which [AnalyseContext] says r of p.
func Known(ctx context.Context, p *Program, r *Ranges) context.Context {
	known := new(atomic.Pointer[Ranges])
	known.Store(r)
	return context.WithValue(ctx, sharing{p}, known)
}

// AnalyseSpeculative is [AnalyseContext] for memory models that may let a store be seen
// before the branch that it depends on is decided: then a branch may be taken on a
// value that is stored only because it is taken. What a value is computed from, and
// the address that it is read from, is still there before the value is.
//
// So every branch can be taken. A condition on one register narrows that register
// down, since whoever passes has a value that satisfies it; a condition on two may be
// satisfied by values that are found at different times, and narrows neither.
func AnalyseSpeculative(ctx context.Context, p *Program) (*Ranges, error) {
	return analyse(ctx, p, true, nil)
}

// AnalyseFrom is [AnalyseContext], or [AnalyseSpeculative], where cells may hold other values at first than the program says: those of initial, by address.
func AnalyseFrom(ctx context.Context, p *Program, speculative bool, initial map[int64]ValueSet) (*Ranges, error) {
	return analyse(ctx, p, speculative, initial)
}

func analyse(ctx context.Context, p *Program, speculative bool, others map[int64]ValueSet) (*Ranges, error) {
	a := &analysis{
		ctx:   ctx,
		ticks: polled, // who has little to do need not ask
		p:     p,

		speculative: speculative,

		cells:    make([]cellSet, len(p.Memory)),
		accesses: map[*Command]*access{},
		regs:     make([][][]ValueSet, len(p.Threads)),
		changes:  make([][][]uint8, len(p.Threads)),
		objects:  objects(p),
	}
	initial := map[int64]ValueSet{}
	for i, c := range p.Memory {
		if _, ok := initial[c.Init]; !ok {
			initial[c.Init] = Values(c.Init)
		}
		a.cells[i] = cellSet{cell: c, set: initial[c.Init]}
		if more, ok := others[c.Addr]; ok {
			a.cells[i].set = more.union(initial[c.Init])
		}
	}
	for i, t := range p.Threads {
		a.regs[i] = make([][]ValueSet, len(t.States))
		a.changes[i] = make([][]uint8, len(t.States))
		a.out = append(a.out, t.Out())
		a.order = append(a.order, order(t, a.out[i]))
		a.live = append(a.live, live(t))
		a.dirty = append(a.dirty, make([]bool, len(t.Edges)))
		a.at = append(a.at, make([]int, len(t.Edges)))
		for _, e := range a.out[i][t.Initial] {
			a.dirty[i][e] = true
		}
		live := a.live[i][t.Initial]
		a.regs[i][t.Initial] = make([]ValueSet, len(live))
		for k, r := range live {
			a.regs[i][t.Initial][k] = Values(t.Regs[r].Init)
		}
		a.changes[i][t.Initial] = make([]uint8, len(live))
		if len(a.scratch) < len(t.Regs) {
			a.scratch = make([]ValueSet, len(t.Regs))
		}
	}
	for before := -1; before < a.version; {
		before = a.version
		for i := range p.Threads {
			if err := a.thread(i); err != nil {
				return nil, err
			}
		}
	}
	return a.result()
}

// order lists the edges of t in reverse postorder of where they begin.
func order(t *Thread, out [][]int) []int {
	seen := make([]bool, len(t.States))
	memory := make([]int, 3*len(t.States))
	next, post := memory[:len(t.States)], memory[len(t.States):len(t.States):2*len(t.States)]
	seen[t.Initial] = true
	for stack := append(memory[2*len(t.States):2*len(t.States)], int(t.Initial)); len(stack) > 0; {
		q := stack[len(stack)-1]
		if next[q] < len(out[q]) {
			to := t.Edges[out[q][next[q]]].To
			if next[q]++; !seen[to] {
				seen[to] = true
				stack = append(stack, int(to))
			}
			continue
		}
		stack = stack[:len(stack)-1]
		post = append(post, q)
	}
	edges := make([]int, 0, len(t.Edges))
	for _, q := range slices.Backward(post) {
		edges = append(edges, out[q]...)
	}
	return edges
}

// live lists the registers that are read later, by control state.
func live(t *Thread) [][]int {
	sets := NewRegSets(len(t.States), len(t.Regs))
	t.Live(sets)
	all := make([][]int, len(sets))
	n := 0
	for q := range sets {
		n += sets[q].Len()
	}
	memory := make([]int, 0, n)
	for q := range sets {
		from := len(memory)
		memory = sets[q].members(memory)
		all[q] = memory[from:len(memory):len(memory)]
	}
	return all
}

type cellSet struct {
	cell    Cell
	set     ValueSet
	changes uint8
}

type analysis struct {
	ctx   context.Context
	ticks int
	p     *Program
	// speculative: see [AnalyseSpeculative].
	speculative bool

	cells    []cellSet     // those of p.Memory first
	index    map[int64]int // in cells, of those that p.Memory does not have
	version  int           // how often a cell has come to be or has grown
	accesses map[*Command]*access
	regs     [][][]ValueSet // thread, state, place in live; nil where not reached
	scratch  []ValueSet     // registers after the command that is looked at
	sets     []ValueSet     // of the cells that are loaded
	live     [][][]int      // thread, state: the registers that are read later
	changes  [][][]uint8    // how often each of regs has grown
	out      [][][]int      // thread, state: edges
	order    [][]int        // thread: edges, what comes before first as far as that can be
	dirty    [][]bool       // thread, edge: the registers where it begins have changed
	at       [][]int        // thread, edge: the version of the cells that it has seen
	// objects are runs of declared cells that lie apart from each other, ascending.
	objects    []span
	thresholds []int64 // once they are asked for
}

type span struct{ lo, hi int64 }

// An access is what was last found out about a Load or a Store.
type access struct {
	addr  ValueSet
	cells []int    // with these addresses
	value ValueSet // what is loaded, with the cells of that version, or has been stored
	at    int
}

// polled is how many pieces of work are done between two looks at the context.
const polled = 1 << 14

// tick counts n pieces of work, and polls the context now and then.
func (a *analysis) tick(n int) error {
	if a.ticks -= n; a.ticks > 0 {
		return nil
	}
	a.ticks = polled
	if err := a.ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrStopped, err)
	}
	return nil
}

// objects are the runs of declared cells that lie apart.
func objects(p *Program) (os []span) {
	for i, c := range p.Memory {
		if i == 0 || uint64(c.Addr)-uint64(p.Memory[i-1].Addr) >= apart {
			os = append(os, span{c.Addr, c.Addr})
		}
		os[len(os)-1].hi = c.Addr
	}
	return os
}

// thresholds are the values at which a growing interval may come to rest: the
// constants of the program and their neighbours, and the ends of objects.
func thresholds(p *Program) []int64 {
	var ts []int64
	p.eachCommand(func(_ *Thread, c *Command) {
		for _, e := range []Expr{c.Addr, c.Value} {
			Walk(e, func(x Expr) {
				if k, ok := x.(Const); ok {
					v := int64(k)
					ts = append(ts, v, max(v, math.MinInt64+1)-1, min(v, math.MaxInt64-1)+1)
				}
			})
		}
	})
	for _, o := range objects(p) {
		ts = append(ts, max(o.lo, math.MinInt64+1)-1, o.lo, o.hi, min(o.hi, math.MaxInt64-1)+1)
	}
	slices.Sort(ts)
	return slices.Compact(ts)
}

// patience is how often a set may grow by values that are no addresses before it is all
// values of its type: there may be thousands of thresholds to rest at.
const patience = 40

// inObject is true of values that all lie in one object.
func (a *analysis) inObject(p progression) bool {
	i := sort.Search(len(a.objects), func(i int) bool { return a.objects[i].hi >= p.lo })
	return i < len(a.objects) && a.objects[i].lo <= p.lo && p.hi <= a.objects[i].hi
}

// widen is old with new added; a set that has grown often jumps to the next
// threshold, so that counting up does not take for ever.
func (a *analysis) widen(old, new ValueSet, t Type, changes *uint8) (ValueSet, bool) {
	u := old.union(new)
	if u.equal(old) {
		return old, false
	}
	if u.wide == nil {
		return u, true
	}
	if *changes < 4 {
		*changes++
		return u, true
	}
	ps := u.progressions()
	if slices.ContainsFunc(ps, func(p progression) bool { return !a.inObject(p) && !(old.Has(p.lo) && old.Has(p.hi)) }) {
		if *changes++; *changes >= patience {
			return Interval(t.Min(), t.Max()), true
		}
	}
	for i := range ps {
		ps[i] = a.grow(ps[i], old, t)
	}
	return gather(ps), true
}

// grow is p with each end moved on to the next threshold that is not one of old. The
// first values in an object stay: there are only so many objects, and a pointer to one
// field of each is not to become one to all. Where there were some before, the steps are
// those from them to p: a pointer to the elements of an array keeps to their beginnings.
func (a *analysis) grow(p progression, old ValueSet, t Type) progression {
	if a.thresholds == nil {
		a.thresholds = thresholds(a.p)
	}
	lo, hi := p.lo, p.hi
	newLo, newHi := !old.Has(p.lo), !old.Has(p.hi)
	if newLo || newHi {
		i := sort.Search(len(a.objects), func(i int) bool { return a.objects[i].hi >= p.lo })
		if i < len(a.objects) && a.objects[i].lo <= p.lo && p.hi <= a.objects[i].hi {
			q, ok := old.nearest(p, a.objects[i])
			if !ok {
				return p
			}
			p = p.join(q)
			lo, hi, newLo, newHi = p.lo, p.hi, !old.Has(p.lo), !old.Has(p.hi)
		}
	}
	if newLo {
		lo = t.Min()
		if i := sort.Search(len(a.thresholds), func(i int) bool { return a.thresholds[i] > p.lo }); i > 0 {
			lo = max(lo, a.thresholds[i-1])
		}
	}
	if newHi {
		hi = t.Max()
		if i := sort.Search(len(a.thresholds), func(i int) bool { return a.thresholds[i] >= p.hi }); i < len(a.thresholds) {
			hi = min(hi, a.thresholds[i])
		}
	}
	if lo < p.lo { // the ends stay in step
		p.lo -= int64((uint64(p.lo) - uint64(lo)) / p.step * p.step)
	}
	if hi > p.hi {
		p.hi += int64((uint64(hi) - uint64(p.hi)) / p.step * p.step)
	}
	return p
}

// thread runs the transfer functions of one thread until nothing changes for
// the present sets of the cells.
func (a *analysis) thread(ti int) error {
	t := a.p.Threads[ti]
	at := a.at[ti]
	for again := true; again; {
		again = false
		for _, i := range a.order[ti] {
			e := &t.Edges[i]
			if err := a.tick(1); err != nil {
				return err
			}
			if a.regs[ti][e.From] == nil || !a.dirty[ti][i] && (at[i] == a.version || e.Cmd.Op != Load && e.Cmd.Op != Atomic) {
				continue
			}
			a.dirty[ti][i], at[i] = false, a.version
			regs := a.before(ti, e.From)
			ok, err := a.transfer(t, &e.Cmd, regs, nil, nil)
			if err != nil {
				return err
			}
			if ok && a.flow(ti, t, e.To, regs) {
				again = true
				for _, next := range a.out[ti][e.To] {
					a.dirty[ti][next] = true
				}
			}
			if err := a.tick(1 + len(t.Regs)/8); err != nil {
				return err
			}
		}
	}
	return nil
}

// before are the registers of a thread at q, by their numbers, until it is asked again. Those that nobody reads any more are anything.
func (a *analysis) before(ti int, q StateID) []ValueSet {
	for k, r := range a.live[ti][q] {
		a.scratch[r] = a.regs[ti][q][k]
	}
	return a.scratch
}

// flow adds what the registers are to what they are at a state. It reports whether that was new there.
func (a *analysis) flow(ti int, t *Thread, to StateID, regs []ValueSet) bool {
	live, there := a.live[ti][to], a.regs[ti][to]
	if there == nil {
		there = make([]ValueSet, len(live))
		for k, r := range live {
			there[k] = regs[r]
		}
		a.regs[ti][to] = there
		a.changes[ti][to] = make([]uint8, len(live))
		return true
	}
	changed := false
	for k, r := range live {
		if regs[r].is(there[k]) { // as most are
			continue
		}
		s, grown := a.widen(there[k], regs[r], t.Regs[r].Type, &a.changes[ti][to][k])
		if grown {
			there[k] = s
			changed = true
		}
	}
	return changed
}

// transfer is the effect of a command on the sets of the registers, in place,
// and on the cells. It reports whether the command can be executed at all. Where
// seen is not nil it is told the cells of every access. In an atomic block,
// asserted is not nil and says whether there was an assertion before: where it
// fails the block goes on to its end, so nothing may be concluded from it, and an
// access that it was to guard may go astray (a load then gives 0).
func (a *analysis) transfer(t *Thread, c *Command, regs []ValueSet, seen func(*Command, []int), asserted *bool) (bool, error) {
	set := func(s ValueSet) { regs[c.Reg] = s.wrap(t.Regs[c.Reg].Type) }
	switch c.Op {
	case Check:
		return a.refine(c.Value, regs), nil
	case Assert:
		if asserted != nil {
			*asserted = true
			return true, nil
		}
		// A run ends where an assertion fails.
		return a.refine(c.Value, regs), nil
	case Assign:
		set(evalSet(c.Value, regs))
	case Havoc:
		set(Interval(c.Lo, c.Hi))
	case Load:
		x, err := a.access(t, c, regs)
		if err != nil {
			return false, err
		}
		if seen != nil {
			seen(c, x.cells)
		}
		if x.at != a.version {
			sets := a.sets[:0]
			for _, i := range x.cells {
				if set := a.cells[i].set; len(sets) == 0 || !set.is(sets[len(sets)-1]) { // most cells of an array share theirs
					sets = append(sets, set)
				}
			}
			if err := a.tick(len(sets)); err != nil {
				return false, err
			}
			x.value, a.sets = unionAll(sets), sets
			x.at = a.version
		}
		s := x.value
		if asserted != nil && *asserted {
			s = s.union(Values(0))
		}
		set(s)
		return a.speculative || !s.Empty(), nil
	case Store:
		x, err := a.access(t, c, regs)
		if err != nil {
			return false, err
		}
		if seen != nil {
			seen(c, x.cells)
		}
		if v := evalSet(c.Value, regs); !v.equal(x.value) {
			grown := false
			var last, to cellSet // what became of the cell before
			for _, i := range x.cells {
				cs := &a.cells[i]
				if cs.set.is(last.set) && cs.changes == last.changes && cs.cell.Type == last.cell.Type {
					cs.set, cs.changes = to.set, to.changes
					continue
				}
				if err := a.tick(1); err != nil {
					return false, err
				}
				last = *cs
				var more bool
				cs.set, more = a.widen(cs.set, v.wrap(cs.cell.Type), cs.cell.Type, &cs.changes)
				to, grown = *cs, grown || more
			}
			if x.value = v; grown {
				a.version++
			}
		}
		return a.speculative || len(x.cells) > 0 || asserted != nil && *asserted, nil
	case Atomic:
		asserted := new(bool)
		for i := range c.Body {
			if ok, err := a.transfer(t, &c.Body[i], regs, seen, asserted); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// refine narrows the registers by a condition that holds, and reports whether it can.
func (a *analysis) refine(cond Expr, regs []ValueSet) bool {
	if !a.speculative {
		return Refine(cond, regs)
	}
	if b, ok := cond.(Binary); ok && b.Op == LogicalAnd {
		return a.refine(b.X, regs) && a.refine(b.Y, regs)
	}
	var about []Reg
	Walk(cond, func(e Expr) {
		if r, ok := e.(Reg); ok && !slices.Contains(about, r) {
			about = append(about, r)
		}
	})
	if len(about) == 1 {
		if narrowed := slices.Clone(regs); Refine(cond, narrowed) {
			regs[about[0]] = narrowed[about[0]]
		}
	}
	return true
}

// access is the cells that an access may be to. Where the front end
// declares the memory, its assertions keep every address among the declared
// ones.
func (a *analysis) access(t *Thread, c *Command, regs []ValueSet) (*access, error) {
	s := evalSet(c.Addr, regs)
	if x := a.accesses[c]; x != nil && x.addr.equal(s) {
		return x, nil
	}
	x := &access{addr: s, at: -1}
	a.accesses[c] = x
	if m := a.p.Memory; len(m) > 0 {
		for _, p := range s.progressions() {
			i := sort.Search(len(m), func(i int) bool { return m[i].Addr >= p.lo })
			for ; i < len(m) && m[i].Addr <= p.hi; i++ {
				if p.step == 1 || (uint64(m[i].Addr)-uint64(p.lo))%p.step == 0 {
					x.cells = append(x.cells, i)
				}
			}
		}
		return x, a.tick(len(x.cells))
	}
	n := uint64(0)
	s.Spans(func(lo, hi int64) { n = max(n, uint64(hi)-uint64(lo), n+uint64(hi)-uint64(lo)) })
	if n >= maxCells && s.wide != nil {
		return nil, a.p.Diagnose(c.Pos,
			fmt.Sprintf("the address %s of thread %s has no useful bound (%s)", FormatExpr(c.Addr, t), t.Name, s),
			"bound it by a check, or reduce it with & or %")
	}
	for v := range s.All {
		x.cells = append(x.cells, a.cell(v))
	}
	return x, a.tick(len(x.cells))
}

// cell is the index of the cell at an address, which now is there.
func (a *analysis) cell(addr int64) int {
	if i := a.p.CellAt(addr); i >= 0 {
		return i
	}
	i, ok := a.index[addr]
	if !ok {
		if a.index == nil {
			a.index = map[int64]int{}
		}
		i = len(a.cells)
		a.index[addr] = i
		a.cells = append(a.cells, cellSet{cell: Cell{Addr: addr, Type: a.p.Default}, set: Values(0)})
		a.version++
	}
	return i
}

// result turns the fixpoint into Ranges.
func (a *analysis) result() (*Ranges, error) {
	addProperty := func(e Expr) {
		if m, ok := e.(Mem); ok {
			a.cell(m.Addr)
		}
	}
	for i := range a.p.Properties {
		Walk(a.p.Properties[i].Cond, addProperty)
	}
	Walk(a.p.Filter, addProperty)
	for _, e := range a.p.Observe {
		Walk(e, addProperty)
	}
	n, threads := len(a.cells), len(a.p.Threads)
	r := &Ranges{
		Cells: make([]Cell, n), Cell: make([]ValueSet, n), Readers: make([][]bool, n), Writers: make([][]bool, n),
		Reg: make([][]ValueSet, threads), Reachable: make([][]bool, threads),
		Access: map[*Command][]int{}, Address: map[*Command]ValueSet{}, index: make(map[int64]int, n),
	}
	byAddress := make([]int, n)
	for i := range byAddress {
		byAddress[i] = i
	}
	slices.SortFunc(byAddress, func(i, j int) int { return cmp.Compare(a.cells[i].cell.Addr, a.cells[j].cell.Addr) })
	place := make([]int, n) // in r, by index into a.cells
	flags := make([]bool, 2*n*threads)
	for k, i := range byAddress {
		place[i] = k
		r.Cells[k], r.Cell[k] = a.cells[i].cell, a.cells[i].set
		r.index[r.Cells[k].Addr] = k
		r.Readers[k], flags = flags[:threads:threads], flags[threads:]
		r.Writers[k], flags = flags[:threads:threads], flags[threads:]
	}
	for ti, t := range a.p.Threads {
		r.Reg[ti] = make([]ValueSet, len(t.Regs))
		r.Reachable[ti] = make([]bool, len(t.States))
		for i := range t.Regs {
			r.Reg[ti][i] = Values(t.Regs[i].Init)
		}
		for q := range t.States {
			if err := a.tick(1 + len(a.live[ti][q])); err != nil {
				return nil, err
			}
			regs := a.regs[ti][q]
			if regs == nil {
				continue
			}
			r.Reachable[ti][q] = true
			for k, i := range a.live[ti][q] {
				r.Reg[ti][i] = r.Reg[ti][i].union(regs[k])
			}
		}
		for i := range t.Edges {
			e := &t.Edges[i]
			if !r.Reachable[ti][e.From] {
				continue
			}
			note := func(c *Command, cells []int) {
				for _, i := range cells {
					k := place[i]
					r.Access[c] = append(r.Access[c], k)
					if c.Op == Load {
						r.Readers[k][ti] = true
					} else {
						r.Writers[k][ti] = true
					}
				}
			}
			// What is written and read in a body only, or never read, is not in the sets of
			// any control state: take it in as it passes. A body may end before it writes.
			e.Cmd.Writes(func(k int) { a.scratch[k] = r.Reg[ti][k] })
			regs := a.before(ti, e.From)
			if e.Cmd.Op == Assert && e.Cmd.Tags != (Tags{}) {
				if r.before == nil {
					r.before = map[*Command][]ValueSet{}
				}
				r.before[&e.Cmd] = slices.Clone(regs)
			}
			if _, err := a.transfer(t, &e.Cmd, regs, note, nil); err != nil {
				return nil, err
			}
			e.Cmd.Writes(func(k int) { r.Reg[ti][k] = r.Reg[ti][k].union(regs[k]) })
		}
	}
	for c := range r.Access {
		slices.Sort(r.Access[c])
		r.Access[c] = slices.Compact(r.Access[c])
	}
	for c, x := range a.accesses {
		r.Address[c] = x.addr
	}
	return r, nil
}
