package symbolic

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/solver"
)

// inputs choose a step: a thread; whether it flushes; which pair, and whether
// the flush takes the pair away; else, the choices on the way.
type inputs struct {
	thread   []solver.Lit   // one literal a thread, decoded from threadNo
	threadNo []solver.Lit   // a binary number
	flush    solver.Lit     // false without buffers
	pair     []solver.Lit   // one literal a pair, decoded from pairNo
	pairNo   []solver.Lit   // a binary number
	takes    solver.Lit     // the flush is destructive
	choice   [][]solver.Lit // by slot: a binary number
}

// A builder builds the circuit of a System.
type builder struct {
	*circuit.Circuit
	*System
	*meter
	p        *program.Program
	r        *program.Ranges
	buffered bool
	locks    bool // whether there are Lock commands
	seen     *flow.Visible

	start state // the current state
}

// state is everything that a step may change, as values.
type state struct {
	regs [][]circuit.Vector // by thread
	mem  []circuit.Vector
	lock []solver.Lit // by thread; nil without Lock commands
	bufs []contents
}

// point is a control state on the way of a step: whether the step gets there,
// and with what.
type point struct {
	g    solver.Lit
	regs []circuit.Vector // of the thread
	mem  []circuit.Vector
	lock []solver.Lit
	buf  contents
}

func (p *point) clone() *point {
	q := *p
	q.regs, q.mem, q.lock = slices.Clone(p.regs), slices.Clone(p.mem), slices.Clone(p.lock)
	return &q // contents are never changed in place
}

func (b *builder) build() error {
	b.locks = flow.Locks(b.p)
	b.buffered = !b.Buffer.Immediate()
	b.seen = flow.NewVisible(b.p, b.r, b.p.Properties)
	for ti := range b.p.Threads {
		b.blocks = append(b.blocks, b.findBlocks(ti))
	}
	if err := b.layOut(); err != nil {
		return err
	}
	for i := range b.lay.bufs {
		b.pairs = append(b.pairs, b.lay.bufs[i].pairs)
	}
	b.makeInputs()

	b.start = state{lock: b.curs(b.lay.lock)}
	for ti := range b.p.Threads {
		var regs []circuit.Vector
		for _, f := range b.lay.regs[ti] {
			regs = append(regs, f.vec)
		}
		b.start.regs = append(b.start.regs, regs)
		b.start.bufs = append(b.start.bufs, b.contents(&b.lay.bufs[ti]))
	}
	for i := range b.lay.cells {
		b.start.mem = append(b.start.mem, b.lay.cells[i].vec)
	}
	for i := range b.Bits {
		b.Bits[i].next = b.Bits[i].cur
	}
	b.legal, b.stray = b.False(), b.False()
	failed := b.False()
	enabled := b.False()
	for ti := range b.p.Threads {
		r, err := b.thread(ti)
		if err != nil {
			return err
		}
		sel := b.in.thread[ti]
		b.legal = b.Or(b.legal, b.And(sel, r.legal))
		b.stray = b.Or(b.stray, b.And(sel, r.stray))
		// A run ends where an assertion fails, so whether the rest of the step
		// is legal does not matter.
		failed = b.Or(failed, b.And(sel, r.failed))
		enabled = b.Or(enabled, r.enabled)
		for k, l := range r.next {
			b.Bits[k].next = b.Ite(sel, l, b.Bits[k].next)
		}
	}
	bad, err := b.violations(enabled)
	if err != nil {
		return err
	}
	b.bad = b.OrAll(failed, bad, b.stray)
	return nil
}

// fitting is an error where there is no time, or no memory for the circuit.
func (b *builder) fitting() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.limit > 0 && int64(cap(b.cnf.lits))*bytesPerNumber > b.limit {
		return fmt.Errorf("%w: the circuit does not fit the memory limit", ErrUnsupported)
	}
	return nil
}

// bitsFor is how many bits choose one of n.
func bitsFor(n int) int { return bits.Len(uint(max(n-1, 0))) }

func (b *builder) makeInputs() {
	in := &b.in
	number := func(n int) []solver.Lit {
		var lits []solver.Lit
		for range bitsFor(n) {
			lits = append(lits, b.Fresh())
		}
		b.inputs = append(b.inputs, lits...)
		return lits
	}
	decode := func(no []solver.Lit, n int) []solver.Lit {
		var lits []solver.Lit
		x := append(slices.Clone(no), b.False())
		for i := range n {
			lits = append(lits, b.EqVec(x, b.Vec(int64(i))))
		}
		return lits
	}
	in.threadNo = number(len(b.p.Threads))
	in.thread = decode(in.threadNo, len(b.p.Threads))
	in.flush, in.takes = b.False(), b.False()
	most := 0
	for _, ps := range b.pairs {
		most = max(most, len(ps))
	}
	if most > 0 {
		in.flush, in.takes = b.Fresh(), b.Fresh()
		b.inputs = append(b.inputs, in.flush, in.takes)
		in.pairNo = number(most)
		in.pair = decode(in.pairNo, most)
	}
}

// choose is an input that makes the choice at a site, out of n.
func (b *builder) choose(ti int, s site, used *int, n int) circuit.Vector {
	bl := &b.blocks[ti]
	sl, ok := bl.slots[s]
	if !ok {
		sl = slot{*used, n}
		*used++
		bl.slots[s] = sl
	}
	for len(b.in.choice) <= sl.index {
		b.in.choice = append(b.in.choice, nil)
	}
	for len(b.in.choice[sl.index]) < bitsFor(n) {
		l := b.Fresh()
		b.inputs = append(b.inputs, l)
		b.in.choice[sl.index] = append(b.in.choice[sl.index], l)
	}
	return append(circuit.Vector(slices.Clone(b.in.choice[sl.index][:bitsFor(n)])), b.False())
}

// A result is what a thread does if it is chosen.
type result struct {
	legal, failed solver.Lit
	stray         solver.Lit         // the step is possible, but not one of the circuit
	enabled       solver.Lit         // whether some choice is legal
	next          map[int]solver.Lit // the bits that may change
}

// thread is the steps of thread ti.
func (b *builder) thread(ti int) (result, error) {
	bl := &b.blocks[ti]
	lay := &b.lay.bufs[ti]
	r := result{legal: b.False(), failed: b.False(), stray: b.False(), enabled: b.False(), next: map[int]solver.Lit{}}
	set := func(sel solver.Lit, k int, l solver.Lit) {
		if l == b.Bits[k].cur {
			return
		}
		old, ok := r.next[k]
		if !ok {
			old = b.Bits[k].cur
		}
		r.next[k] = b.Ite(sel, l, old)
	}
	setAll := func(sel solver.Lit, ks []int, ls []solver.Lit) {
		for i, k := range ks {
			set(sel, k, ls[i])
		}
	}
	setBuffer := func(sel solver.Lit, c *contents) {
		setAll(sel, lay.in, c.in)
		setAll(sel, lay.last, c.last)
		for s := range lay.queue {
			setAll(sel, lay.queue[s], c.queue[s])
		}
	}
	arrivals := make([][]solver.Lit, len(bl.cuts)) // by cut: ways to get there
	for i, q := range bl.cuts {
		if err := b.fitting(); err != nil {
			return r, err
		}
		at := b.Bits[b.lay.at[ti][i]].cur
		o, err := b.block(ti, q)
		if err != nil {
			return r, err
		}
		r.failed = b.Or(r.failed, b.And(at, o.failed))
		r.enabled = b.Or(r.enabled, b.And(at, o.enabled))
		r.stray = b.Or(r.stray, b.And(at, o.stray))
		if o.end == nil {
			continue
		}
		for j, g := range o.at {
			arrivals[j] = append(arrivals[j], b.And(at, g))
		}
		within := b.True
		setField := func(f *field, x circuit.Vector) {
			lits, ok := b.encode(f, x)
			setAll(at, f.bits, lits)
			within = b.And(within, ok)
		}
		for reg := range o.end.regs {
			setField(&b.lay.regs[ti][reg], o.end.regs[reg])
		}
		for c := range o.end.mem {
			setField(&b.lay.cells[c], o.end.mem[c])
		}
		r.legal = b.Or(r.legal, b.AndAll(at, o.legal, within))
		r.stray = b.Or(r.stray, b.AndAll(at, o.legal, -within))
		setAll(at, b.lay.lock, o.end.lock)
		setBuffer(at, &o.end.buf)
	}
	// Exactly one arrival holds of a legal step; of others the next state
	// does not matter.
	for j, k := range b.lay.at[ti] {
		if l := b.OrAll(arrivals[j]...); l != b.Bits[k].cur {
			r.next[k] = l
		}
	}
	r.failed = b.And(-b.in.flush, r.failed)
	r.stray = b.And(-b.in.flush, r.stray)
	if len(lay.pairs) == 0 {
		r.legal = b.And(r.legal, -b.in.flush)
		return r, nil
	}
	may, of, rest := b.flush(lay, &b.start.bufs[ti])
	free := b.True
	for u, l := range b.start.lock {
		if u != ti {
			free = b.And(free, -l)
		}
	}
	r.legal = b.Ite(b.in.flush, b.And(may, free), r.legal)
	r.enabled = b.Or(r.enabled, b.And(free, -b.empty(&b.start.bufs[ti])))
	for k, l := range r.next {
		r.next[k] = b.Ite(b.in.flush, b.Bits[k].cur, l)
	}
	setBuffer(b.in.flush, &rest)
	for cell := range b.lay.cells {
		is, f := lay.byCell[cell], &b.lay.cells[cell]
		if is == nil {
			continue
		}
		for n, bit := range f.bits {
			var one, zero []solver.Lit
			for _, i := range is {
				if lits, _ := b.encode(f, b.Vec(lay.pairs[i].Value)); b.IsTrue(lits[n]) {
					one = append(one, of[i])
				} else {
					zero = append(zero, of[i])
				}
			}
			l := b.Or(b.OrAll(one...), b.And(b.Bits[bit].cur, -b.OrAll(zero...)))
			set(b.in.flush, bit, l)
		}
	}
	return r, nil
}

// An outcome is what a block does where the thread is at its beginning.
type outcome struct {
	legal, failed, enabled solver.Lit
	stray                  solver.Lit   // see result
	at                     []solver.Lit // by cut: where the block ends
	end                    *point       // nil where it never does
}

// block executes the step of thread ti from control state q.
func (b *builder) block(ti int, q program.StateID) (outcome, error) {
	t, bl := b.p.Threads[ti], &b.blocks[ti]
	o := outcome{legal: b.False(), failed: b.False(), stray: b.False(), enabled: b.False(), at: make([]solver.Lit, len(bl.cuts))}
	for i := range o.at {
		o.at[i] = b.False()
	}
	used := 0
	first := &point{g: b.True, regs: b.start.regs[ti], mem: b.start.mem, lock: b.start.lock, buf: b.start.bufs[ti]}
	starts, passed := b.starts(ti, bl, q)
	points := map[program.StateID]*point{}
	arrive := func(points map[program.StateID]*point, q program.StateID, p *point) {
		if b.IsFalse(p.g) {
			return
		}
		if old := points[q]; old != nil {
			p = b.join(p, old)
		}
		points[q] = p
	}
	begin := q
	if bl.fence[q] {
		begin = t.Edges[bl.out[q][0]].To
		first.g = b.empty(&first.buf)
	}
	arrive(points, begin, first)
	run := func(points, then map[program.StateID]*point, s program.StateID, access bool) error {
		if err := b.fitting(); err != nil {
			return err
		}
		p := points[s]
		if p == nil {
			return nil
		}
		if !b.r.Reachable[ti][s] {
			// The analysis has not looked at what the thread does here.
			o.stray = b.Or(o.stray, p.g)
			return nil
		}
		out := bl.out[s]
		split := len(out) > 1 && !(len(out) == 2 && flow.Opposite(&t.Edges[out[0]].Cmd, &t.Edges[out[1]].Cmd))
		var pick circuit.Vector
		if split {
			pick = b.choose(ti, site{q, s, -1, -1}, &used, len(out))
		}
		for i, e := range out {
			n := p.clone()
			if split {
				n.g = b.And(n.g, b.EqVec(pick, b.Vec(int64(i))))
			}
			ok, failed, stray, err := b.event(ti, q, e, n, &used)
			if err != nil {
				return err
			}
			if access {
				o.enabled = b.Or(o.enabled, b.And(p.g, ok))
			}
			n.g = b.And(n.g, ok)
			o.stray = b.Or(o.stray, b.And(n.g, stray))
			n.g = b.And(n.g, -stray)
			o.failed = b.Or(o.failed, b.And(n.g, failed))
			arrive(then, t.Edges[e].To, n)
		}
		return nil
	}
	for _, s := range passed {
		if err := run(points, points, s, false); err != nil {
			return o, err
		}
	}
	after := map[program.StateID]*point{}
	var to, ends []program.StateID
	for _, s := range starts {
		if len(bl.out[s]) == 0 {
			if p := points[s]; p != nil && s != q {
				o.enabled = b.Or(o.enabled, p.g)
				arrive(after, s, p)
				ends = append(ends, s)
			}
			continue
		}
		if err := run(points, after, s, true); err != nil {
			return o, err
		}
		for _, e := range bl.out[s] {
			to = append(to, t.Edges[e].To)
		}
	}
	for _, s := range bl.order(t, to, bl.middle, &ends) {
		if err := run(after, after, s, false); err != nil {
			return o, err
		}
	}
	slices.Sort(ends)
	for _, s := range slices.Compact(ends) {
		p := after[s]
		if p == nil {
			continue
		}
		p = p.clone()
		for reg := range p.regs {
			if b.zeroed(ti, s, reg) {
				p.regs[reg] = b.Vec(t.Regs[reg].Init)
			}
		}
		o.at[bl.index[s]] = p.g
		o.legal = b.Or(o.legal, p.g)
		if o.end == nil {
			o.end = p
		} else {
			o.end = b.join(p, o.end)
		}
	}
	return o, nil
}

// join is p where its guard holds, else q.
func (b *builder) join(p, q *point) *point {
	j := &point{g: b.Or(p.g, q.g)}
	for i := range p.regs {
		j.regs = append(j.regs, b.iteVec(p.g, p.regs[i], q.regs[i]))
	}
	for i := range p.mem {
		j.mem = append(j.mem, b.iteVec(p.g, p.mem[i], q.mem[i]))
	}
	j.lock = b.iteAll(p.g, p.lock, q.lock)
	j.buf = b.iteContents(p.g, &p.buf, &q.buf)
	return j
}

func (b *builder) iteVec(sel solver.Lit, x, y circuit.Vector) circuit.Vector {
	if slices.Equal(x, y) {
		return x
	}
	return b.IteVec(sel, x, y)
}

// held is where a thread other than ti holds the lock.
func (b *builder) held(lock []solver.Lit, ti int) solver.Lit {
	held := b.False()
	for u, l := range lock {
		if u != ti {
			held = b.Or(held, l)
		}
	}
	return held
}

// event performs edge e at p: whether it is enabled; whether an assertion fails
// in it; and whether it is stray, that is, accesses an address or stores a value
// that the analysis of the program ruled out. The guards are those of
// abstract.System.Enabled and Step.
func (b *builder) event(ti int, from program.StateID, e int, p *point, used *int) (ok, failed, stray solver.Lit, err error) {
	t := b.p.Threads[ti]
	c := &t.Edges[e].Cmd
	ok, failed, stray = b.True, b.False(), b.False()
	switch c.Op {
	case program.Load:
		ok = -b.held(p.lock, ti)
	case program.Store:
		if !b.buffered {
			ok = -b.held(p.lock, ti)
		}
	case program.Fence:
		if b.buffered && c.FullFence() {
			ok = b.empty(&p.buf)
		}
	case program.Lock:
		ok = b.AndAll(b.empty(&p.buf), -b.held(p.lock, ti), -p.lock[ti])
		for u := range p.lock {
			p.lock[u] = b.Constant(u == ti)
		}
	case program.Unlock:
		ok = b.False()
		if len(p.lock) > 0 {
			ok = b.And(b.empty(&p.buf), p.lock[ti])
			p.lock[ti] = b.False()
		}
	case program.Atomic:
		ok = b.And(b.empty(&p.buf), -b.held(p.lock, ti))
		havocs := 0
		for i := range c.Body {
			if c.Body[i].Op == program.Check && havocs > 0 && b.deadlocks() {
				return ok, failed, stray, fmt.Errorf("%w: a deadlock may depend on a free choice in an atomic block", ErrUnsupported)
			}
			step, fails, strays := b.command(ti, site{from, -1, e, havocs}, &c.Body[i], p, used, true)
			ok = b.And(ok, step)
			// After a failed assertion, which may be what guards it, an
			// access may go anywhere.
			stray = b.Or(stray, b.And(strays, -failed))
			failed = b.Or(failed, fails)
			if c.Body[i].Op == program.Havoc {
				havocs++
			}
		}
		return ok, b.And(ok, failed), stray, nil
	}
	step, failed, stray := b.command(ti, site{from, -1, e, 0}, c, p, used, false)
	return b.And(ok, step), failed, stray, nil
}

// deadlocks is true where a deadlock is a violation.
func (y *System) deadlocks() bool {
	return slices.ContainsFunc(y.Program.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock })
}

// command performs a command other than those that only have guards.
func (b *builder) command(ti int, s site, c *program.Command, p *point, used *int, atomic bool) (ok, failed, stray solver.Lit) {
	t := b.p.Threads[ti]
	ok, failed, stray = b.True, b.False(), b.False()
	switch c.Op {
	case program.Check:
		ok = b.Cond(c.Value, p.regs)
	case program.Assert:
		failed = -b.Cond(c.Value, p.regs)
	case program.Assign:
		p.regs[c.Reg] = b.Wrap(b.Expr(c.Value, p.regs), t.Regs[c.Reg].Type)
	case program.Havoc:
		n := int(c.Hi - c.Lo + 1)
		v := circuit.Vector{b.False()}
		if n > 1 {
			v = b.choose(ti, s, used, n)
			p.g = b.And(p.g, b.LtVec(v, b.Vec(int64(n))))
		}
		p.regs[c.Reg] = b.Wrap(b.Binary(program.Add, v, b.Vec(c.Lo)), t.Regs[c.Reg].Type)
	case program.Load:
		addr := b.Expr(c.Addr, p.regs)
		v := b.Vec(0)
		stray = b.True
		for _, cell := range b.r.Access[c] {
			x := p.mem[cell]
			if !atomic && b.buffered {
				l := &b.lay.bufs[ti]
				newest, has := b.newest(l, &p.buf, cell)
				x = b.IteVec(has, newest, x)
			}
			here := b.EqVec(addr, b.Vec(b.r.Cells[cell].Addr))
			stray = b.And(stray, -here)
			v = b.IteVec(here, x, v)
		}
		p.regs[c.Reg] = b.Wrap(v, t.Regs[c.Reg].Type)
	case program.Store:
		addr := b.Expr(c.Addr, p.regs)
		v := b.Expr(c.Value, p.regs)
		at := map[int]solver.Lit{}
		stray = b.True
		for _, cell := range b.r.Access[c] {
			here := b.EqVec(addr, b.Vec(b.r.Cells[cell].Addr))
			stray = b.And(stray, -here)
			if atomic || !b.buffered {
				p.mem[cell] = b.iteVec(here, b.Wrap(v, b.r.Cells[cell].Type), p.mem[cell])
			} else {
				at[cell] = here
			}
		}
		if !atomic && b.buffered {
			// The types of the cells may differ.
			for _, cell := range b.r.Access[c] {
				var within solver.Lit
				p.buf, within = b.add(&b.lay.bufs[ti], &p.buf, cell, at[cell], b.Wrap(v, b.r.Cells[cell].Type))
				stray = b.Or(stray, -within)
			}
		}
	}
	return ok, failed, stray
}

// violations is where the state violates a property; enabled is where some step
// is possible.
func (b *builder) violations(enabled solver.Lit) (solver.Lit, error) {
	final, givenUp := b.True, b.False()
	for ti, t := range b.p.Threads {
		bl := &b.blocks[ti]
		var over []solver.Lit
		for i, q := range bl.cuts {
			here := b.Bits[b.lay.at[ti][i]].cur
			switch kind := t.States[q].Kind; {
			case kind == program.GivenUp:
				givenUp = b.Or(givenUp, here)
			case kind == program.Unstarted:
				start := b.lay.cells[b.r.CellIndex(t.StartCell(q))].vec
				over = append(over, b.And(here, -b.NonZero(start)))
			case len(bl.out[q]) == 0:
				over = append(over, here)
			}
		}
		final = b.AndAll(final, b.OrAll(over...), b.empty(&b.start.bufs[ti]))
	}
	counts := final
	if b.p.Filter != nil {
		counts = b.And(final, b.NonZero(b.property(b.p.Filter)))
	}
	bad := b.False()
	for i := range b.p.Properties {
		pr := &b.p.Properties[i]
		switch pr.Kind {
		case program.Forbid:
			bad = b.Or(bad, b.NonZero(b.property(pr.Cond)))
		case program.Exists:
			bad = b.Or(bad, b.And(counts, b.NonZero(b.property(pr.Cond))))
		case program.Forall:
			bad = b.Or(bad, b.And(counts, -b.NonZero(b.property(pr.Cond))))
		case program.Deadlock:
			bad = b.Or(bad, b.AndAll(-final, -givenUp, -enabled))
		default:
			return bad, fmt.Errorf("%w: %s", ErrUnsupported, pr.Kind)
		}
	}
	return bad, nil
}

// property is the value of a condition in the current state.
func (b *builder) property(e program.Expr) circuit.Vector {
	switch e := e.(type) {
	case program.Const:
		return b.Vec(int64(e))
	case program.Unary:
		return b.Unary(e.Op, b.property(e.X))
	case program.Binary:
		return b.Binary(e.Op, b.property(e.X), b.property(e.Y))
	case program.Mem:
		return b.lay.cells[b.r.CellIndex(e.Addr)].vec
	case program.ThreadReg:
		return b.lay.regs[e.Thread][e.Reg].vec
	case program.At:
		at := b.False()
		for i, q := range b.blocks[e.Thread].cuts {
			if slices.Contains(e.States, q) {
				at = b.Or(at, b.Bits[b.lay.at[e.Thread][i]].cur)
			}
		}
		return b.BoolVec(at)
	}
	panic("symbolic: " + e.String() + " in a property")
}
