package program

import (
	"fmt"
	"math"
	"slices"
	"sort"
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
	// Reg is, by thread and register, what the register may hold anywhere.
	Reg [][]ValueSet
	// Reachable is, by thread and control state, whether the thread can get
	// there as far as the analysis sees.
	Reachable [][]bool
	// Access is, for every Load and Store, alone or in a body, the cells that
	// it may access: ascending indices into Cells. Commands that cannot be
	// reached have none.
	Access map[*Command][]int

	index map[int64]int
}

// CellIndex is the index in Cells of the cell with address addr, or -1.
func (r *Ranges) CellIndex(addr int64) int {
	if i, ok := r.index[addr]; ok {
		return i
	}
	return -1
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

// Analyse infers ranges by abstract interpretation: sets of values for the
// registers, by control state, and for the cells, once for the whole run.
// The error is a [Diagnostic] where the address of an access has no bound.
func Analyse(p *Program) (*Ranges, error) { return analyse(p, false) }

// AnalyseSpeculative is [Analyse] for memory models that may let a store be seen
// before the branch that it depends on is decided: then a branch may be taken on a
// value that is stored only because it is taken. What a value is computed from, and
// the address that it is read from, is still there before the value is.
//
// So every branch can be taken. A condition on one register narrows that register
// down, since whoever passes has a value that satisfies it; a condition on two may be
// satisfied by values that are found at different times, and narrows neither.
func AnalyseSpeculative(p *Program) (*Ranges, error) { return analyse(p, true) }

func analyse(p *Program, speculative bool) (*Ranges, error) {
	a := &analysis{
		p: p,

		speculative: speculative,

		cells:      map[int64]*cellSet{},
		regs:       make([][][]ValueSet, len(p.Threads)),
		changes:    make([][][]uint8, len(p.Threads)),
		thresholds: thresholds(p),
	}
	for _, c := range p.Memory {
		a.cells[c.Addr] = &cellSet{cell: c, set: Values(c.Init)}
	}
	for i, t := range p.Threads {
		a.regs[i] = make([][]ValueSet, len(t.States))
		a.changes[i] = make([][]uint8, len(t.States))
		init := make([]ValueSet, len(t.Regs))
		for r := range t.Regs {
			init[r] = Values(t.Regs[r].Init)
		}
		a.regs[i][t.Initial] = init
		a.changes[i][t.Initial] = make([]uint8, len(t.Regs))
	}
	for a.changed = true; a.changed; {
		a.changed = false
		for i := range p.Threads {
			if err := a.thread(i); err != nil {
				return nil, err
			}
		}
	}
	return a.result()
}

type cellSet struct {
	cell    Cell
	set     ValueSet
	changes uint8
}

type analysis struct {
	p *Program
	// speculative: see [AnalyseSpeculative].
	speculative bool

	cells      map[int64]*cellSet
	regs       [][][]ValueSet // thread, state, register; nil where not reached
	changes    [][][]uint8    // how often each of regs has grown
	thresholds []int64
	changed    bool
}

// thresholds are the values at which a growing interval may come to rest: the
// constants of the program and their neighbours.
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
	for i, c := range p.Memory { // the ends of objects
		if i == 0 || c.Addr-p.Memory[i-1].Addr >= apart {
			ts = append(ts, c.Addr)
		}
		if i+1 == len(p.Memory) || p.Memory[i+1].Addr-c.Addr >= apart {
			ts = append(ts, c.Addr, c.Addr+1)
		}
	}
	slices.Sort(ts)
	return slices.Compact(ts)
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
	for i := range ps {
		ps[i] = a.grow(ps[i], old, t)
	}
	return gather(ps), true
}

// grow is p with each end moved on to the next threshold that is not one of old.
func (a *analysis) grow(p progression, old ValueSet, t Type) progression {
	lo, hi := p.lo, p.hi
	if !old.Has(p.lo) {
		lo = t.Min()
		if i := sort.Search(len(a.thresholds), func(i int) bool { return a.thresholds[i] > p.lo }); i > 0 {
			lo = max(lo, a.thresholds[i-1])
		}
	}
	if !old.Has(p.hi) {
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
	for again := true; again; {
		again = false
		for i := range t.Edges {
			e := &t.Edges[i]
			if a.regs[ti][e.From] == nil {
				continue
			}
			regs := slices.Clone(a.regs[ti][e.From])
			ok, err := a.transfer(t, &e.Cmd, regs, nil, nil)
			if err != nil {
				return err
			}
			if ok && a.flow(ti, t, e.To, regs) {
				again, a.changed = true, true
			}
		}
	}
	return nil
}

func (a *analysis) flow(ti int, t *Thread, to StateID, regs []ValueSet) bool {
	if a.regs[ti][to] == nil {
		a.regs[ti][to] = regs
		a.changes[ti][to] = make([]uint8, len(regs))
		return true
	}
	changed := false
	for r := range regs {
		s, grown := a.widen(a.regs[ti][to][r], regs[r], t.Regs[r].Type, &a.changes[ti][to][r])
		if grown {
			a.regs[ti][to][r] = s
			changed = true
		}
	}
	return changed
}

// transfer is the effect of a command on the sets of the registers, in place,
// and on the cells. It reports whether the command can be executed at all. Where
// seen is not nil it is told the addresses of every access. In an atomic block,
// asserted is not nil and says whether there was an assertion before: where it
// fails the block goes on to its end, so nothing may be concluded from it, and an
// access that it was to guard may go astray (a load then gives 0).
func (a *analysis) transfer(t *Thread, c *Command, regs []ValueSet, seen func(*Command, []int64), asserted *bool) (bool, error) {
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
		addrs, err := a.addresses(t, c, regs)
		if err != nil {
			return false, err
		}
		if seen != nil {
			seen(c, addrs)
		}
		var s ValueSet
		for _, x := range addrs {
			s = s.union(a.cell(x).set)
		}
		if asserted != nil && *asserted {
			s = s.union(Values(0))
		}
		set(s)
		return a.speculative || !s.Empty(), nil
	case Store:
		addrs, err := a.addresses(t, c, regs)
		if err != nil {
			return false, err
		}
		if seen != nil {
			seen(c, addrs)
		}
		v := evalSet(c.Value, regs)
		for _, x := range addrs {
			cs := a.cell(x)
			s, grown := a.widen(cs.set, v.wrap(cs.cell.Type), cs.cell.Type, &cs.changes)
			if grown {
				cs.set, a.changed = s, true
			}
		}
		return a.speculative || len(addrs) > 0 || asserted != nil && *asserted, nil
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
		return refine(cond, regs)
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
		if narrowed := slices.Clone(regs); refine(cond, narrowed) {
			regs[about[0]] = narrowed[about[0]]
		}
	}
	return true
}

// addresses lists what the address of an access may be. Where the front end
// declares the memory, its assertions keep every address among the declared
// ones.
func (a *analysis) addresses(t *Thread, c *Command, regs []ValueSet) ([]int64, error) {
	s := evalSet(c.Addr, regs)
	if s.Empty() {
		return nil, nil
	}
	var addrs []int64
	if m := a.p.Memory; len(m) > 0 {
		s.Spans(func(lo, hi int64) {
			i := sort.Search(len(m), func(i int) bool { return m[i].Addr >= lo })
			for ; i < len(m) && m[i].Addr <= hi; i++ {
				if s.Has(m[i].Addr) {
					addrs = append(addrs, m[i].Addr)
				}
			}
		})
		return addrs, nil
	}
	if few, ok := s.Few(); ok {
		return few, nil
	}
	n := uint64(0)
	s.Spans(func(lo, hi int64) { n = max(n, uint64(hi)-uint64(lo), n+uint64(hi)-uint64(lo)) })
	if n >= maxCells {
		return nil, a.p.Diagnose(c.Pos,
			fmt.Sprintf("the address %s of thread %s has no useful bound (%s)", FormatExpr(c.Addr, t), t.Name, s),
			"bound it by a check, or reduce it with & or %")
	}
	s.Spans(func(lo, hi int64) {
		for x := lo; ; x++ {
			if s.Has(x) {
				addrs = append(addrs, x)
			}
			if x == hi {
				break
			}
		}
	})
	return addrs, nil
}

func (a *analysis) cell(addr int64) *cellSet {
	cs := a.cells[addr]
	if cs == nil {
		cs = &cellSet{cell: Cell{Addr: addr, Type: a.p.Default}, set: Values(0)}
		a.cells[addr] = cs
		a.changed = true
	}
	return cs
}

// result turns the fixpoint into Ranges.
func (a *analysis) result() (*Ranges, error) {
	r := &Ranges{Access: map[*Command][]int{}, index: map[int64]int{}}
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
	for _, cs := range a.cells {
		r.Cells = append(r.Cells, cs.cell)
	}
	slices.SortFunc(r.Cells, func(x, y Cell) int {
		if x.Addr < y.Addr {
			return -1
		}
		return 1
	})
	n := len(a.p.Threads)
	r.Cell = make([]ValueSet, len(r.Cells))
	r.Readers = make([][]bool, len(r.Cells))
	r.Writers = make([][]bool, len(r.Cells))
	for i, c := range r.Cells {
		r.index[c.Addr] = i
		r.Cell[i] = a.cells[c.Addr].set
		r.Readers[i] = make([]bool, n)
		r.Writers[i] = make([]bool, n)
	}
	r.Reg = make([][]ValueSet, n)
	r.Reachable = make([][]bool, n)
	for ti, t := range a.p.Threads {
		r.Reg[ti] = make([]ValueSet, len(t.Regs))
		r.Reachable[ti] = make([]bool, len(t.States))
		for i := range t.Regs {
			r.Reg[ti][i] = Values(t.Regs[i].Init)
		}
		for q := range t.States {
			regs := a.regs[ti][q]
			if regs == nil {
				continue
			}
			r.Reachable[ti][q] = true
			for i := range regs {
				r.Reg[ti][i] = r.Reg[ti][i].union(regs[i])
			}
		}
		for i := range t.Edges {
			e := &t.Edges[i]
			if !r.Reachable[ti][e.From] {
				continue
			}
			note := func(c *Command, addrs []int64) {
				for _, x := range addrs {
					k := r.index[x]
					r.Access[c] = append(r.Access[c], k)
					if c.Op == Load {
						r.Readers[k][ti] = true
					} else {
						r.Writers[k][ti] = true
					}
				}
			}
			// Registers written in a body and read later in it are not in
			// the sets of any control state: take them in as they pass.
			regs := slices.Clone(a.regs[ti][e.From])
			if _, err := a.transfer(t, &e.Cmd, regs, note, nil); err != nil {
				return nil, err
			}
			for k := range regs {
				r.Reg[ti][k] = r.Reg[ti][k].union(regs[k])
			}
		}
	}
	for c := range r.Access {
		slices.Sort(r.Access[c])
		r.Access[c] = slices.Compact(r.Access[c])
	}
	return r, nil
}
