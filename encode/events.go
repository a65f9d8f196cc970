package encode

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// itemKind is what happens at an item.
type itemKind uint8

const (
	loadItem   itemKind = iota // a load reads
	storeItem                  // a store reaches memory
	atomicItem                 // an atomic block does all it does
	lockItem
	unlockItem
	fenceItem      // a full fence
	storeFenceItem // where the model minds
	otherFenceItem
	snapshotItem // a property looks at memory
)

// isFence is true of the items that take no part in the order; see connectOrder.
func (k itemKind) isFence() bool { return k >= fenceItem && k <= otherFenceItem }

// drains is true where the thread's buffers are empty.
func (k itemKind) drains() bool { return k >= atomicItem && k <= fenceItem }

// item is a point in the order of an execution.
type item struct {
	id     int
	kind   itemKind
	thread int
	guard  solver.Lit // it happens
	// past and unfenced are those of the frame before it.
	past, unfenced bitset
	store          *event       // of a storeItem
	tags           program.Tags // of a fence, and of an atomic block without accesses
	// stuck is true of a storeItem that never reaches memory, because another
	// thread holds the lock to the end of the run; 0: that cannot be.
	stuck solver.Lit
	// retired is true of the snapshot of an earlier bound, which nothing
	// refers to any more.
	retired bool
	deps    *dependencies // of a fence, in a relational formula
}

// event is a read or a write of shared memory.
type event struct {
	id      int // its index among the events
	item    *item
	branch  int // which branch of a compare-and-swap it is on, if its item has two; 0: both
	index   int // place among the events of its item
	write   bool
	lxsx    bool   // an exclusive access
	whole   *event // the first event of its instruction
	tags    program.Tags
	guard   solver.Lit // it is executed
	cells   []int      // that it may access
	addr    circuit.Vector
	value   circuit.Vector
	rf      []source      // reads: what it may read
	chains  []*chain      // likewise, by thread, and
	classes []*valueClass // the values that they give; not in a relational formula
	classed int           // likewise: sources that are in a class
	deps    *dependencies // in a relational formula
	stray   bool          // a read: its address may be that of no cell
	written bitset        // a read: that of the frame before it
}

// source is a write that a read may take its value from; nil: the initial value
// of the cell.
type source struct {
	w   *event
	lit solver.Lit
}

// body interprets the commands of one step symbolically.
type body struct {
	f      *Formula
	t      *thread
	n      *node
	step   *step
	frame  *frame
	guard  solver.Lit
	atomic bool
	branch int
	index  int
	holds  solver.Lit // every assertion of the body
	ctrl   taint      // of the checks in an atomic block
	loads  []*event   // of an atomic block
	// asserted is true behind an assertion in an atomic block. The block goes
	// on where it fails, so that accesses may go astray: such a load gives 0,
	// such a store does nothing.
	asserted bool
}

// enter makes the step's item, where it has none yet, and puts it into the past
// of what follows.
func (b *body) enter(kind itemKind) *item {
	if b.step.item >= 0 {
		return b.f.items[b.step.item]
	}
	it := &item{
		id:       len(b.f.items),
		kind:     kind,
		thread:   b.t.index,
		guard:    b.guard,
		past:     b.frame.past,
		unfenced: b.frame.unfenced,
	}
	if b.f.relational() {
		it.deps = &dependencies{ctrl: b.controls()}
	}
	b.f.items = append(b.f.items, it)
	b.step.item = it.id
	b.frame.past = b.frame.past.with(it.id)
	b.f.limits.extra += 16*int64(len(b.frame.past)) + 300 // an item, and the set before it
	return it
}

// fence is enter for what orders without an access.
func (b *body) fence(kind itemKind, c *program.Command) {
	b.enter(kind).tags = c.EventTags(b.f.p.Arch, false)
}

func (b *body) set(r int, v circuit.Vector) {
	b.frame.regs[r] = b.f.Wrap(v, b.t.t.Regs[r].Type)
}

// depend notes what the register r depends on, besides the checks of an atomic
// block that decided about it.
func (b *body) depend(r int, t taint) {
	if b.f.relational() {
		by := b.ctrl
		if b.f.p.Arch.Picks() {
			by = by.pick(b.f)
		}
		b.frame.taint[r] = t.join(b.f, by, b.f.True)
	}
}

// control notes that what follows depends on cond: to the end of the block, or
// of the thread.
func (b *body) control(cond program.Expr) {
	if !b.f.relational() {
		return
	}
	t := b.dependsOn(cond)
	if b.atomic {
		b.ctrl = b.ctrl.join(b.f, t, b.f.True)
		var outside taint
		for _, d := range t {
			if !slices.Contains(b.loads, d.read) {
				outside = append(outside, d)
			}
		}
		for _, r := range b.loads {
			r.deps.cas = r.deps.cas.join(b.f, outside, b.guard)
		}
	} else {
		b.frame.decide(b.f, t, b.t.joins[b.n.state])
	}
}

func (b *body) controls() taint {
	c := b.frame.ctrl.join(b.f, b.ctrl, b.f.True)
	for _, a := range b.frame.arms {
		c = c.join(b.f, a.reads, b.f.True)
	}
	return c
}

// decide notes that what follows depends on t, as far as the state until.
func (fr *frame) decide(f *Formula, t taint, until program.StateID) {
	if until < 0 {
		fr.ctrl = fr.ctrl.join(f, t, f.True)
		return
	}
	fr.arms = slices.Clone(fr.arms)
	fr.arm(f, t, until, f.True)
}

// arm adds to what depends as far as a state. The list is the frame's own.
func (fr *frame) arm(f *Formula, t taint, until program.StateID, cond solver.Lit) {
	for i := range fr.arms {
		if fr.arms[i].until == until {
			fr.arms[i].reads = fr.arms[i].reads.join(f, t, cond)
			return
		}
	}
	fr.arms = append(fr.arms, arm{until, taint(nil).join(f, t, cond)})
}

// run does one command.
func (b *body) run(c *program.Command) {
	f := b.f
	switch c.Op {
	case program.Check:
		if !c.Pick {
			b.control(c.Value)
		}
		if b.atomic { // elsewhere branch has seen to it
			f.Clause(-b.guard, f.Cond(c.Value, b.frame.regs))
		}
	case program.Assert:
		if b.atomic {
			cond := f.Cond(c.Value, b.frame.regs)
			b.holds = f.And(b.holds, cond)
			b.asserted = true
			b.t.violations = append(b.t.violations, assertion{
				lit: f.And(b.guard, -cond), node: b.n, edge: b.step.edge, cmd: c, step: b.step})
		}
	case program.Assign:
		t := b.dependsOn(c.Value)
		if c.Part && b.frame.whole != nil {
			t = t.join(f, on(b.frame.whole, f), f.True)
		}
		if c.Pick {
			t = t.pick(f)
		}
		b.set(c.Reg, f.Expr(c.Value, b.frame.regs))
		b.depend(c.Reg, t)
	case program.Havoc:
		v := f.FreshVec(c.Lo, c.Hi)
		f.Clause(-b.guard, -f.LtVec(v, f.Vec(c.Lo)))
		f.Clause(-b.guard, -f.LtVec(f.Vec(c.Hi), v))
		b.step.havoc = append(b.step.havoc, choice{v, c.Lo, c.Hi})
		b.set(c.Reg, v)
		b.depend(c.Reg, nil)
	case program.Load:
		b.part(c)
		v, r := b.load(c)
		b.set(c.Reg, v)
		var t taint
		if r != nil {
			t = on(r, f)
		}
		b.depend(c.Reg, t)
	case program.Store:
		b.part(c)
		b.store(c)
	}
}

// part begins an instruction, unless c is another access of the one before.
func (b *body) part(c *program.Command) {
	if !c.Part {
		b.frame.whole = nil
	}
}

// access is the address of c and the cells that it may be.
func (b *body) access(c *program.Command) (circuit.Vector, []int) {
	addr := b.f.Expr(c.Addr, b.frame.regs)
	cells := b.f.ranges.Access[c]
	if v, ok := b.f.Known(addr); ok {
		if i := b.f.ranges.CellIndex(v); i >= 0 && slices.Contains(cells, i) {
			return addr, []int{i}
		}
		return addr, nil
	}
	return addr, cells
}

// impossible says that the step cannot happen, since an access of it has no cell;
// unless the access has only gone astray.
func (b *body) impossible() {
	if !b.asserted {
		b.f.Clause(-b.guard)
	}
}

// atCell is whether addr is the address of cell i.
func (f *Formula) atCell(addr circuit.Vector, i int) solver.Lit {
	return f.EqVec(addr, f.Vec(f.ranges.Cells[i].Addr))
}

// load is the value that c loads, and its event where it has one.
func (b *body) load(c *program.Command) (circuit.Vector, *event) {
	f := b.f
	addr, cells := b.access(c)
	if len(cells) == 0 {
		b.impossible()
		return f.Vec(0), nil
	}
	if kind := f.cells[cells[0]].kind; kind != sharedCell {
		content := func(i int) circuit.Vector {
			if kind == privateCell {
				return b.frame.priv[f.cells[i].slot]
			}
			return f.Vec(f.ranges.Cells[i].Init)
		}
		v := content(cells[0])
		if b.asserted {
			v = f.IteVec(f.atCell(addr, cells[0]), v, f.Vec(0))
		}
		for _, i := range cells[1:] {
			f.poll()
			v = f.IteVec(f.atCell(addr, i), content(i), v)
		}
		return v, nil
	}
	kind := loadItem
	if b.atomic {
		kind = atomicItem
	}
	lo, hi := f.ranges.Cell[cells[0]].Min(), f.ranges.Cell[cells[0]].Max()
	for _, i := range cells[1:] {
		lo, hi = min(lo, f.ranges.Cell[i].Min()), max(hi, f.ranges.Cell[i].Max())
	}
	r := b.event(kind, c, addr, cells)
	if b.asserted {
		lo, hi, r.stray = min(lo, 0), max(hi, 0), true
	}
	r.value = f.FreshVec(lo, hi)
	f.reads = append(f.reads, r)
	r.written = b.frame.written
	if f.relational() {
		r.deps = &dependencies{addr: b.dependsOn(c.Addr), ctrl: b.controls()}
		if b.atomic {
			b.loads = append(b.loads, r)
		}
	}
	return r.value, r
}

func (b *body) store(c *program.Command) {
	f := b.f
	addr, cells := b.access(c)
	b.step.addr = addr
	if len(cells) == 0 {
		b.impossible()
		return
	}
	v := f.Expr(c.Value, b.frame.regs)
	wrapped := func(i int) circuit.Vector { return f.Wrap(v, f.ranges.Cells[i].Type) }
	if f.cells[cells[0]].kind == privateCell {
		for _, i := range cells {
			f.poll()
			slot := f.cells[i].slot
			here := f.True
			if len(cells) > 1 || b.asserted {
				here = f.atCell(addr, i)
			}
			b.frame.priv[slot] = f.IteVec(here, wrapped(i), b.frame.priv[slot])
		}
		return
	}
	kind := storeItem
	if b.atomic {
		kind = atomicItem
	}
	w := b.event(kind, c, addr, cells)
	w.write = true
	if b.asserted {
		hit := make([]solver.Lit, len(cells))
		for k, i := range cells {
			hit[k] = f.atCell(addr, i)
		}
		w.guard = f.And(w.guard, f.OrAll(hit...))
	} else if !f.relational() {
		b.frame.written = b.frame.written.with(w.id)
		f.limits.extra += 16 * int64(len(b.frame.written)) // before and after
	}
	if f.relational() {
		w.deps = &dependencies{addr: b.dependsOn(c.Addr), data: b.dependsOn(c.Value), ctrl: b.controls()}
	}
	w.value = wrapped(cells[0])
	for _, i := range cells[1:] {
		if f.ranges.Cells[i].Type != f.ranges.Cells[cells[0]].Type {
			w.value = f.IteVec(f.atCell(addr, i), wrapped(i), w.value)
		}
	}
	if !b.atomic {
		b.frame.unfenced = b.frame.unfenced.with(w.item.id)
	}
}

func (b *body) event(kind itemKind, c *program.Command, addr circuit.Vector, cells []int) *event {
	e := &event{
		id:     len(b.f.events),
		item:   b.enter(kind),
		branch: b.branch,
		index:  b.index,
		tags:   c.EventTags(b.f.p.Arch, b.atomic),
		lxsx:   !b.atomic && c.Exclusive(b.f.p.Arch),
		guard:  b.guard,
		cells:  cells,
		addr:   addr,
	}
	if b.frame.whole == nil {
		b.frame.whole = e
	}
	e.whole = b.frame.whole
	b.index++
	if kind == storeItem {
		e.item.store = e
	}
	b.f.events = append(b.f.events, e)
	return e
}
