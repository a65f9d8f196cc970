package c

import (
	"fmt"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// maxEdges bounds the flow graph of a thread.
const maxEdges = 1 << 15

// A lowerer turns the functions that a thread executes into its flow graph. It writes
// at the node cur, from the beginning to the end.
type lowerer struct {
	u           *unit
	g           *flowgraph.Graph
	thread      int
	name        string // of the thread
	cur         int
	frame       *frame
	made        map[int]*operations.Site           // the registers that were given what is fresh from malloc
	pointed     cc.ExpressionNode                  // what stands behind &
	walks       map[int]lowered.Interval           // the registers of pointers that are moved in one array; see spans.go
	still       map[int]*elementOf                 // the registers of pointers that are not moved
	origins     map[int]*origin                    // of those that are, or get several values; see provenance.go
	unborn      map[*cc.Declarator]bool            // the variables of statements in an expression that is only looked at; see sequence.go
	parts       []*part                            // that are evaluated; see inPart
	volatile    bool                               // what is accessed is
	choosing    int                                // how many expressions all orders are written of, inside of each other
	dryness     int                                // what is written is thrown away
	emitted     bool                               // something was written
	constOnly   int                                // variables count as unknown
	handing     int                                // but for parameters that are constants in their call
	orders      map[cc.ExpressionNode]int          // arguments that are not constant, where each order is gone through
	noreturn    bool                               // the value of what is read and modified is not asked for; see kernel.go
	staticInit  int                                // a static object is initialised
	locals      map[*cc.Declarator]*lowered.Object // thread-locals
	inlined     int
	careless    int             // what is read need not be initialised
	wraps       bool            // what overflows wraps around
	keys, errno *lowered.Object // what this thread has of its own: see keys.go, input.go
	depth       int
	idle        cc.Node             // a call whose value nobody asks for
	contested   []cc.ExpressionNode // the accesses in no order of the expression that is looked at
	// Which blocks there are, by those around them; which one is being read; which one each node
	// is in; and the objects that come and go with them (lifetime.go).
	parents []int
	scope   int
	scopes  []int
	reached []bool // by node: a way leads there, or may in the end
	mortals []*lowered.Object
	stacked map[int][]*operations.Site // by scope, what is allocated there and is gone with it
	gaveUp  int                        // where assumptions fail; 0: nowhere
	exit    int                        // the end of the thread
	result  int                        // the register of what the thread ends with; -1: none
	// One more than the register that counts in how many atomic sections the thread is; 0: there is none.
	inSections int
	readLocks  int // one more than the register that counts the locks that it has taken to read, and the one that has their sum; 0: there is none
	// What pthread_cleanup_push was given; whether the thread calls that and ends; and one more than the
	// register that tells whether it is not to be cancelled, 0: there is none.
	cleanups    []cleanup
	ending      int
	handling    int // functions for signals that it is in
	cancelState int
	cancelType  int            // likewise, of pthread_setcanceltype
	inherited   map[string]int // see timesIn
	nesting     int            // how many of the calls that are being executed are of functions in themselves
	nestedEdges int            // the edges that these have made
	// By block: the registers of its variables whose declarations may be jumped over.
	skippable map[int][]int
	skipped   map[int]*types.Type // and their types
}

// A frame is a call that was inlined.
type frame struct {
	up                *frame
	def               *cc.FunctionDefinition
	name              string
	vars              map[*cc.Declarator]*variable
	result            *handed
	rtype             *types.Type
	exit              int
	labels            map[string]int
	breaks, continues []int
	// The variables in scope that have a function to be called, and how many there are at the nodes that
	// are gone to.
	guards   []guarded
	guarded  map[int]int
	switches []*switching
	escapes  map[*cc.Declarator]bool
	site     *operations.Site          // of the result, where that is fresh from malloc
	scope    int                       // of what is there till it returns
	more     []value                   // the arguments beyond the parameters
	again    *rounds                   // how it calls itself at its end
	round    int                       // where it goes on then
	noted    map[cc.ExpressionNode]int // see lowerer.noted
	usedBy   cc.Node                   // the call, where somebody asks for its value
	decides  bool                      // a condition is known by what is known of parameters
	// What is known of parameters that are not assigned to: the string literals that they are, and
	// what pointers to void or to bytes pointed to in the call; and their numbers.
	texts map[*cc.Declarator]string
	was   map[*cc.Declarator]*types.Type
	known map[*cc.Declarator]int64
	bases map[*cc.Declarator]int64 // the addresses that pointers are, which are known
	leads map[*cc.Declarator]bool  // what may be pointers to arrays; see leading
	from  *origin                  // of the result; nil: it is no such pointer
}

// A variable is a local variable: a register, or an object.
type variable struct {
	name string
	t    *types.Type
	reg  int
	obj  *lowered.Object
	// What an array whose size varies is allocated as; the register holds its address.
	varying bool
	fn      string // of a function inside another one: its name
	shadow  int    // one more than the register that tells whether it has been set; 0: none
}

// A value is what an expression is worth. That of an aggregate is the values of its
// scalars.
type value struct {
	t    *types.Type
	e    program.Expr
	agg  []program.Expr
	sets []program.Expr // of each of agg whether it has been written, where that is asked; nil: all are
	site *operations.Site
	real *float64         // of floating point, where that is known
	gave program.Expr     // of a thread: whether it has ended with a value; nil: it has
	span lowered.Interval // of a pointer: the array, a member of an object, that it leads into or right behind; empty: it is not known
	of   *elementOf       // of a pointer that has been made of an array just now
	was  *types.Type      // what a pointer to void or to bytes pointed to before it was converted
	// Of a pointer that has been made of an array just now: what the array is sure to be a multiple of; 0: it is aligned for its type.
	align int64
}

// A place is an lvalue: a register (addr is nil) or memory.
type place struct {
	t      *types.Type
	reg    int
	addr   program.Expr
	bits   int // a bit-field
	bitOff int
	unit   *types.Type
	fn     string // a function of that name
	// An element of an array whose address is known lies from lo to before hi;
	// both are 0 of other places.
	lo, hi int64
	// Where members of a union share a part of their bytes: the cells that lie in the place, and,
	// of a scalar, those that it is made of, if there are several.
	inside, parts []lowered.Scalar

	span    lowered.Interval // the array that it is, a member of an object, or an element of; empty: it is none
	of      *elementOf       // what it is an element of, which is to be looked at where it is accessed; nil: of none, or that has been looked at
	open    bool             // it is at the end of what a pointer leads to
	row     bool             // it is a row of an array
	lies    bool             // it is a member of a union, or in one
	wide    bool             // of a structure: a machine accesses its cells at once
	shadow  int              // of a register: see variable
	trusted bool             // an object of the library, which sees to it that it is initialised
	seen    bool             // a bit-field of a structure whose bytes are looked at
	first   *types.Field     // of a bit-field, which lies firstTo bytes behind the beginning of its structure: see firstUnit
	firstTo int64
	real    bool  // what is stored there is a part of a number of floating point of which nothing is known
	align   int64 // what its address has to be a multiple of, as far as it is aligned itself; 0: of nothing
}

func newLowerer(u *unit, thread int, name string) *lowerer {
	l := &lowerer{u: u, g: &flowgraph.Graph{}, thread: thread, name: name, locals: map[*cc.Declarator]*lowered.Object{}, made: map[int]*operations.Site{}, walks: map[int]lowered.Interval{}, still: map[int]*elementOf{}, origins: map[int]*origin{}, skippable: map[int][]int{}, stacked: map[int][]*operations.Site{}}
	l.parents = []int{afterwards: afterwards, wholeLife: afterwards}
	l.g.Start = l.node()
	l.scope = wholeLife
	l.cur = l.g.Start
	l.reached[l.cur] = true
	l.frame = &frame{vars: map[*cc.Declarator]*variable{}, labels: map[string]int{}}
	return l
}

func (l *lowerer) pos() program.Position { return l.u.here }

// at notes that n is what is being read.
func (l *lowerer) at(n cc.Node) {
	if p := l.u.tree.Locate(n.Position()); p.IsValid() {
		l.u.here = p
	}
}

// dry runs f and takes back what it has written. It reports whether that was something.
func (l *lowerer) dry(f func()) bool {
	saved, cur := l.emitted, l.cur
	nodes, edges, regs := len(l.g.Nodes), len(l.g.Edges), len(l.g.Regs)
	here := l.u.here
	sections, reads, state, kind, gaveUp := l.inSections, l.readLocks, l.cancelState, l.cancelType, l.gaveUp // registers, and a node, that may be made in it
	l.emitted = false
	l.dryness++
	f()
	l.dryness--
	l.inSections, l.readLocks, l.cancelState, l.cancelType, l.gaveUp = sections, reads, state, kind, gaveUp
	l.g.Nodes, l.g.Edges, l.g.Regs = l.g.Nodes[:nodes], l.g.Edges[:edges], l.g.Regs[:regs]
	emitted := l.emitted
	l.emitted, l.cur, l.u.here = saved, cur, here
	return emitted
}

// emit writes a command.
func (l *lowerer) emit(c program.Command) {
	next := l.node()
	l.edge(l.cur, next, c)
	l.cur = next
}

func (l *lowerer) edge(from, to int, c program.Command) {
	l.emitted = true
	if l.nesting > 0 && l.dryness == 0 {
		l.nestedEdges++
	}
	if len(l.g.Edges) > maxEdges || l.nestedEdges > maxNested && l.u.opts.depth > 1 {
		l.u.tooLarge = true
		l.u.failAt(l.pos(), "", "the program is too large once calls are inlined")
	}
	if len(l.parts) > 0 {
		c = l.tagged(c)
	}
	l.g.Add(from, to, c, l.pos())
	l.reached[to] = l.reached[to] || l.reached[from]
}

func (l *lowerer) operate(op flowgraph.Op) {
	next := l.node()
	l.operateTo(l.cur, next, op)
	l.cur = next
}

// operateTo is [lowerer.edge] with an operation.
func (l *lowerer) operateTo(from, to int, op flowgraph.Op) {
	l.emitted = true
	switch op.(type) {
	case *operations.Start, *flowgraph.Join:
		l.running()
	}
	l.g.Operate(from, to, op, l.pos())
	l.reached[to] = l.reached[to] || l.reached[from]
}

// jump goes on at node to.
func (l *lowerer) jump(to int) {
	l.edge(l.cur, to, program.Skip())
	l.cur = l.node() // nobody comes here
}

// land makes node q the place to go on, from here as well.
func (l *lowerer) land(q int) {
	l.edge(l.cur, q, program.Skip())
	l.cur = q
}

// assert writes what must hold.
func (l *lowerer) assert(e program.Expr, format string, args ...any) {
	e = flowgraph.Fold(e)
	if k, ok := e.(program.Const); ok && k != 0 {
		return
	}
	l.emit(program.Command{Op: program.Assert, Value: e, Text: fmt.Sprintf(format, args...)})
}

// register makes a register.
func (l *lowerer) register(name string, t program.Type, temp bool) int {
	l.g.Regs = append(l.g.Regs, program.Register{Name: name, Type: t, Temp: temp})
	return len(l.g.Regs) - 1
}

func (l *lowerer) temp(t *types.Type) int { return l.register("", t.Word(), true) }

// assign writes reg <- e.
func (l *lowerer) assign(reg int, e program.Expr) {
	e = flowgraph.Fold(e)
	if u, ok := e.(program.Unary); ok {
		if t, ok := u.Op.Cast(); ok && t == l.g.Regs[reg].Type {
			e = u.X // a register wraps by itself
		}
	}
	if e == program.Reg(reg) {
		return
	}
	l.emit(program.Command{Op: program.Assign, Reg: reg, Value: e})
}

// Memory orders, as C11 numbers them; plain is that of an access that is not atomic.
const (
	relaxed = target.Relaxed
	consume = target.Consume
	acquire = target.Acquire
	release = target.Release
	acqRel  = target.AcqRel
	seqCst  = target.SeqCst
	plain   = target.Plain
)

// tags are those of an access to the place.
func (p place) tags(order int) program.Tags {
	t := lowered.Tags(order, p.t)
	if p.hi > p.lo {
		t = t.With(flowgraph.WithinTag(p.lo, p.hi))
	}
	if k, known := p.addr.(program.Const); p.t.Size > 1 && p.align >= p.t.Size && p.t.Scalar() && !(known && int64(k)%p.t.Size == 0) {
		t = t.With(lowered.AlignTag)
	}
	if p.real {
		t = t.With(flowgraph.RealTag)
	}
	return t
}

// unitTags are those of an access to the unit of a bit-field.
func (p place) unitTags(order int) program.Tags {
	unit := place{t: p.unit, addr: p.addr, lo: p.lo, hi: p.hi}
	if types.UnsignedOf(p.unit.Size) != nil {
		unit.align = p.align
	}
	return unit.tags(order).With(flowgraph.BitsTag(p.bitOff, p.bits))
}

// copied are the tags of a load whose value is only put elsewhere, or of which only a part that has been
// written counts: to load what nothing was written to is nothing there.
func (l *lowerer) copied(p place, t program.Tags) program.Tags {
	switch {
	case p.trusted:
		return t.With(lowered.KeptTag)
	case l.careless > 0:
		return t.With(lowered.CopiedTag)
	}
	return t
}

// load is the value at a place.
func (l *lowerer) load(p place) value {
	if p.t.Atomic && p.addr != nil {
		return l.atomicLoad(p, seqCst)
	}
	if p.t.Volatile {
		l.volatile = true
		defer func() { l.volatile = false }()
	}
	return l.loadAs(p, plain)
}

func (l *lowerer) loadAs(p place, order int) value {
	t := p.t.Plain()
	switch {
	case p.fn != "":
		return value{t: types.PointerTo(p.t), e: l.functionAddress(p.fn)}
	case t.Kind == types.FunctionKind:
		return value{t: types.PointerTo(t), e: p.addr}
	case t.Kind == types.ArrayKind:
		if p.addr == nil {
			panic("c: an array in a register")
		}
		return value{t: types.PointerTo(t.Elem), e: p.addr, span: p.span, of: p.begins(), align: p.align}
	case t.Kind == types.OtherKind:
		l.u.refuseHere(t.Name)
	case t.Kind == types.VoidKind:
		return value{t: types.Void}
	case p.addr != nil && l.u.packed(p.t) != nil:
		cell := l.cells(p)[0]
		if !l.shadows(p) {
			return value{t: t, agg: l.u.unpacked(t, l.loadAs(cell, order).e)}
		}
		if l.constOnly > 0 {
			l.emitted = true
		}
		r, set := l.temp(cell.t), l.setLoad(cell)
		l.atOnce(program.Command{Op: program.Atomic, Text: flowgraph.WideLoad, Body: []program.Command{set, {Op: program.Load, Reg: r, Addr: cell.addr, Tags: cell.tags(order).With(lowered.CopiedTag)}}})
		return value{t: t, agg: l.u.unpacked(t, program.Reg(r)), sets: l.unpackedSets(t, program.Reg(set.Reg))}
	case t.Aggregate():
		v := value{t: t}
		if t.Incomplete() {
			l.u.failAt(l.pos(), "", "%s has no size here", t.Name)
		}
		var body []program.Command
		var truths []program.Expr // bytes that are copied as truth values, and may be others
		var noted []func()        // what makes out of loads that are one step what is beside the scalars
		for _, s := range l.u.flatten(t, "", 0, nil) {
			m := place{t: s.Type, addr: plus(p.addr, s.Off), lo: p.lo, hi: p.hi, parts: lowered.PartsOf(p.inside, s.Off, s.Type), align: lowered.AlignedAt(p.align, s.Off)}
			l.careless++
			loads, es := l.partLoads(m, order)
			l.careless--
			switch {
			case !l.shadows(p):
			case !p.wide:
				v.sets = append(v.sets, l.setOf(s, m.parts, l.loadSets(m)))
			default:
				var sets []program.Expr
				for _, c := range l.cells(m) {
					set := l.setLoad(c)
					loads, sets = append(loads, set), append(sets, program.Reg(set.Reg))
				}
				noted = append(noted, func() { v.sets = append(v.sets, l.setOf(s, m.parts, sets)) })
			}
			if !p.wide {
				l.wide(flowgraph.WideLoad, loads)
				loads = nil
			}
			body = append(body, loads...)
			v.agg = append(v.agg, l.whole(m, es).e)
			if m.parts != nil && s.Type.Kind == types.BoolKind {
				truths = append(truths, es[0])
			}
		}
		l.wide(flowgraph.WideLoad, body)
		for _, note := range noted {
			note()
		}
		for _, b := range truths {
			l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: bin(program.ULe, b, program.Const(1)), Text: "not modelled: a copy of a truth value that is neither 0 nor 1"})
		}
		return v
	case p.addr == nil:
		if l.constOnly > 0 {
			l.emitted = true
		}
		l.look(p)
		v := value{t: t, e: program.Reg(p.reg), site: l.made[p.reg], span: l.walks[p.reg], of: l.still[p.reg]}
		if from := l.origins[p.reg]; from != nil {
			v.of = from.of(v.e)
		}
		return v
	}
	if l.constOnly > 0 {
		l.emitted = true
	}
	l.look(p)
	if p.bits > 0 {
		l.touchFirst(p, order, false)
		return value{t: bitType(p), e: l.bits(p, l.unit(p, order))}
	}
	if p.parts != nil {
		return l.loadParts(p, order)
	}
	r := l.temp(t)
	l.emit(program.Command{Op: program.Load, Reg: r, Addr: p.addr, Tags: l.copied(p, p.tags(order))})
	return value{t: t, e: program.Reg(r)}
}

// unit loads the unit of a bit-field.
func (l *lowerer) unit(p place, order int) program.Expr {
	w := p.unit
	if p.parts != nil {
		return l.loadParts(place{t: w, addr: p.addr, parts: p.parts, trusted: p.trusted, bits: p.bits, bitOff: p.bitOff}, order).e
	}
	r := l.temp(w)
	l.emit(program.Command{Op: program.Load, Reg: r, Addr: p.addr, Tags: l.copied(p, p.unitTags(order))})
	return program.Reg(r)
}

// bitType is the type of a bit-field's value: int where that holds all values.
func bitType(p place) *types.Type {
	if p.t.Kind == types.IntegerKind && (p.bits < 32 || p.bits == 32 && p.t.Signed && p.t.Size <= 4) {
		return types.Int
	}
	return p.t.Plain()
}

// bits takes the bit-field out of its unit.
func (l *lowerer) bits(p place, unit program.Expr) program.Expr {
	return flowgraph.Fold(un(program.Cast(program.Type{Bits: uint8(p.bits), Signed: p.t.Signed}),
		bin(program.UShr, unit, program.Const(p.bitOff))))
}

// store writes v, which has the type of the place.
func (l *lowerer) store(p place, v value) {
	if p.t.Atomic && p.addr != nil {
		l.atomicStore(p, v, seqCst)
		return
	}
	if p.t.Volatile {
		l.volatile = true
		defer func() { l.volatile = false }()
	}
	l.storeAs(p, v, plain)
}

func (l *lowerer) storeAs(p place, v value, order int) {
	t := p.t.Plain()
	switch {
	case p.fn != "" || t.Kind == types.ArrayKind || t.Kind == types.FunctionKind:
		l.u.failAt(l.pos(), "", "%s cannot be assigned to", t.Name)
	case t.Kind == types.OtherKind:
		l.u.refuseHere(t.Name)
	case p.addr != nil && l.u.packed(p.t) != nil:
		cell := l.cells(p)[0]
		packed := l.u.pack(t, cell.t, v)
		if l.shadows(p) {
			store := program.Command{Op: program.Store, Addr: cell.addr, Value: flowgraph.Fold(packed.e), Tags: cell.tags(order)}
			l.atOnce(program.Command{Op: program.Atomic, Text: flowgraph.WideStore, Body: append([]program.Command{store}, l.setStores(p, v)...)})
			break
		}
		l.storeAs(cell, packed, order)
	case t.Aggregate():
		scalars := l.u.flatten(t, "", 0, nil)
		if len(scalars) != len(v.agg) {
			l.u.failAt(l.pos(), "", "%s is assigned to %s", v.t.Name, t.Name)
		}
		if v.sets == nil && !p.wide {
			l.mark(p, true)
		}
		v.agg = l.openedAll(t, scalars, v.agg)
		var body []program.Command
		for i, s := range scalars {
			m := place{t: s.Type, addr: plus(p.addr, s.Off), lo: p.lo, hi: p.hi, parts: lowered.PartsOf(p.inside, s.Off, s.Type), align: lowered.AlignedAt(p.align, s.Off)}
			if !p.wide {
				if v.sets != nil && l.shadows(p) {
					l.markParts(m, v.sets[i])
				}
				l.storeParts(m, value{t: s.Type, e: v.agg[i]}, order)
				continue
			}
			body = append(body, l.partStores(m, value{t: s.Type, e: v.agg[i]}, order)...)
			part := value{t: s.Type}
			if v.sets != nil {
				part.sets = []program.Expr{v.sets[i]}
				if m.parts != nil {
					part.sets = l.setsOf(m.parts, v.sets[i])
				}
			}
			body = append(body, l.setStores(m, part)...)
		}
		l.wide(flowgraph.WideStore, body)
		l.spoils(p.addr, t)
	case p.addr == nil:
		if _, walks := l.walks[p.reg]; !walks || v.span == (lowered.Interval{}) { // else see spans.go
			l.comes(l.origins[p.reg], v)
		}
		l.assign(p.reg, v.e)
		l.mark(p, true)
		if s, walks := l.walks[p.reg]; walks && l.dryness == 0 && s == (lowered.Interval{}) {
			l.walks[p.reg] = v.span
		}
		if _, stays := l.still[p.reg]; stays && l.dryness == 0 {
			l.still[p.reg] = l.settled(v.of)
		}
		if v.site != nil {
			l.made[p.reg] = v.site
		}
	case p.bits > 0:
		l.mark(p, true)
		l.touchFirst(p, order, true)
		whole := p
		whole.trusted = !p.seen || l.u.opts.Uninitialised // the other bits stay what they are
		unit := l.unit(whole, order)
		e := insert(p, unit, v.e)
		if p.parts != nil {
			to := place{t: p.unit, addr: p.addr, parts: p.parts}
			if whole.trusted {
				to.bits, to.bitOff = p.bits, p.bitOff
			}
			l.storeParts(to, value{t: p.unit, e: e}, order)
			break
		}
		t := lowered.Tags(order, p.unit)
		if whole.trusted { // else what is beside it is stored, too, with any value
			t = p.unitTags(order)
		}
		l.emit(program.Command{Op: program.Store, Addr: p.addr, Value: e, Tags: t})
	case p.parts != nil:
		l.mark(p, true)
		l.storeParts(p, v, order)
	default:
		l.mark(p, true)
		l.emit(program.Command{Op: program.Store, Addr: p.addr, Value: flowgraph.Fold(v.e), Tags: p.tags(order)})
	}
}

// insert is the unit of a bit-field with a new value in it.
func insert(p place, unit, v program.Expr) program.Expr {
	mask := int64(1)<<p.bits - 1
	return flowgraph.Fold(bin(program.BitOr,
		bin(program.BitAnd, unit, program.Const(^(mask<<p.bitOff))),
		bin(program.Shl, bin(program.BitAnd, v, program.Const(mask)), program.Const(p.bitOff))))
}

func plus(e program.Expr, n int64) program.Expr {
	return flowgraph.Fold(bin(program.Add, e, program.Const(n)))
}

func bin(op program.BinaryOp, x, y program.Expr) program.Expr {
	return program.Binary{Op: op, X: x, Y: y}
}
func un(op program.UnaryOp, x program.Expr) program.Expr { return program.Unary{Op: op, X: x} }

// object makes an object for a local variable of this thread.
func (l *lowerer) object(name string, t *types.Type) *lowered.Object {
	o := l.u.object(l.name+"."+name, t)
	o.Thread = l.thread
	return o
}

// variable is the place of a variable.
func (l *lowerer) variable(n cc.Node, d *cc.Declarator) place {
	if v := l.local(n, d); v != nil {
		if v.fn != "" {
			return place{t: v.t, fn: v.fn}
		}
		if v.obj != nil {
			return place{t: v.t, addr: v.obj.Address()}
		}
		if v.varying {
			return place{t: v.t, addr: program.Reg(v.reg)}
		}
		return place{t: v.t, reg: v.reg, shadow: v.shadow}
	}
	if o := l.u.statics[d]; o != nil {
		return place{t: o.Type, addr: program.Const(o.Base)}
	}
	name := d.Name()
	if x := l.u.globals[name]; l.u.absent(name) && x.t.Kind != types.FunctionKind {
		return place{t: x.t, addr: program.Const(0)}
	}
	if x := l.u.global(name); x != nil {
		if x.spec.thread {
			return place{t: x.t, addr: program.Const(l.threadLocal(x).Base)}
		}
		if x.obj != nil {
			return place{t: x.t, addr: program.Const(x.obj.Base)}
		}
	}
	if t := l.functionType(name); t != nil {
		return place{t: t, fn: name}
	}
	if r := l.u.refused[d]; r != nil {
		panic(refusal{r})
	}
	l.u.fail(n, "", "%s has no definition here", name)
	panic("unreachable")
}

// threadLocal is the object that this thread has for a thread-local variable.
func (l *lowerer) threadLocal(x *declared) *lowered.Object {
	o := l.locals[x.d]
	if o == nil {
		if x.t.Incomplete() {
			l.u.fail(x.d, "", "%s has a type without a size", x.d.Name())
		}
		o = l.mortal(x.d.Name(), x.t, wholeLife)
		o.Fix(x.d.Name())
		l.locals[x.d] = o
		if x.init != nil {
			l.u.static(o, x.init)
		}
	}
	return o
}

// functionType is the type of the function of that name, or nil.
func (l *lowerer) functionType(name string) *types.Type {
	if f := l.u.defined[name]; f != nil {
		return l.u.definedType(f)
	}
	if x := l.u.globals[name]; x != nil && x.t.Kind == types.FunctionKind {
		return x.t
	}
	return nil
}

func (u *unit) definedType(f *cc.FunctionDefinition) *types.Type {
	x := u.declared[f.Declarator]
	if x.t == nil {
		x.spec = u.maker.specifiers(f.DeclarationSpecifiers)
		x.t = u.maker.declarator(x.spec.t, f.Declarator)
	}
	return x.t
}

// takes is whether a function may be called with so many arguments.
func (u *unit) takes(def *cc.FunctionDefinition, args int) bool {
	t, params := u.definedType(def), len(u.parameters(def))
	return args == params || args > params && (!t.Prototype || t.Variadic)
}

// call inlines a function that is defined in the program.
func (l *lowerer) call(n cc.Node, name string, args []value) value {
	return l.callBody(n, name, l.u.defined[name], args)
}

// callBody is a call of what def is, which has that name.
func (l *lowerer) callBody(n cc.Node, name string, def *cc.FunctionDefinition, args []value) value {
	ft := l.u.definedType(def)
	result := ft.Elem.Plain()
	if l.dryness > 0 {
		l.emitted = true
		return l.zero(result)
	}
	defer l.inCall()()
	params := l.u.parameters(def)
	if !l.u.takes(def, len(args)) {
		l.u.fail(n, "", "%s has %d parameters and is called with %d arguments", name, len(params), len(args))
	}
	depth := l.timesIn(name)
	if depth > l.deepest(def, args) || depth > 0 && !l.reached[l.cur] || l.inherited[name] > 0 && depth > l.u.opts.depth*3/8 && l.u.makesThreads(name) {
		l.operate(&flowgraph.Bound{What: l.u.tooDeep(name, depth-1)})
		return l.zero(result)
	}
	if depth > 0 && !l.frame.decides { // else that does not depend on how deep others are followed
		l.u.nested = true
		l.nesting++
		defer func() { l.nesting-- }()
	}
	if l.inlined++; l.inlined > 20000 {
		l.u.tooLarge = true
		l.u.fail(n, "", "the program is too large once calls are inlined")
	}
	f := &frame{
		up: l.frame, def: def, name: name, rtype: result,
		vars: map[*cc.Declarator]*variable{}, labels: map[string]int{}, guarded: map[int]int{},
		escapes: l.u.escapes(def),
		more:    args[min(len(params), len(args)):],
		again:   l.rounds(name, def, args),
	}
	here := l.u.here
	_, isCall := n.(*cc.PostfixExpression)
	if isCall && l.idle != n && result.Kind != types.VoidKind && name != "main" {
		f.usedBy = n
	}
	f.exit = l.node()
	f.result = l.handedIn(result)
	given := map[*cc.Declarator]bool{}
	for i, p := range params {
		if v := args[i]; p.d != nil && v.t.Kind == types.PointerKind && (v.of != nil || v.span.Hi > v.span.Lo) {
			given[p.d] = true
		}
	}
	f.leads = l.u.leading(def, given)
	if result.Kind == types.PointerKind && l.u.returnsLeading(def, given) {
		f.from = l.origin()
	}
	around := l.scope
	last := l.thread == 0 && f.up.up == nil && name == "main" && !l.u.callsAtEnd() // when main returns the program ends, and with it what main has
	if !last || !l.endsProgram() {
		l.openScope()
	}
	if last {
		around = l.scope
		l.scopes[f.exit] = l.scope
	}
	f.scope = l.scope
	for i, p := range params {
		if p.d == nil {
			continue
		}
		v := l.coerce(n, l.asUnion(args[i], p.t), p.t.Plain())
		if !l.u.assigned(def)[p.d] && !f.escapes[p.d] && !f.again.changed[p.d] {
			f.keep(p.d, v, l.u)
			if k, ok := l.base(v); ok {
				if f.bases == nil {
					f.bases = map[*cc.Declarator]int64{}
				}
				f.bases[p.d] = k
			}
			if k, ok := l.frame.number(v); ok && p.t.Integer() {
				f.known[p.d] = k
			}
		}
		l.frame = f
		l.define(f, p.d, p.t)
		l.frame = f.up
		l.init(f, p.d, v)
	}
	if len(f.again.calls) > 0 {
		l.land(l.node())
		f.round = l.cur
		l.openScope() // the variables of one round are not those of the next
	}
	l.frame = f
	up := l.u.cur
	l.u.cur = l
	for _, p := range params {
		if p.d != nil && p.t.HasVarying() {
			f.vars[p.d].t = l.called(p.t)
		}
	}
	l.items(def.CompoundStatement, false)
	l.u.cur = up
	l.noValue(f)
	l.jump(f.exit)
	l.scope = around
	l.cur = f.exit
	l.frame = f.up
	l.u.here = here
	v := f.result.value(result)
	v.site = f.site
	if v.e != nil {
		v.of = f.from.of(v.e)
	}
	return v
}

// noValue asserts that nobody uses the value of a function that comes to its end without one (C11, 6.9.1); whether somebody uses that
// of a thread is known when it has been waited for.
func (l *lowerer) noValue(f *frame) {
	if l.thread > 0 && f.up.up == nil && f.rtype.Scalar() {
		l.operate(&operations.Valueless{})
	}
	if f.usedBy != nil {
		l.assertThat(program.Const(0), f.usedBy, "%s has come to a value", "the value of "+plainName(f.name)+" is used, which comes to its end without one")
	}
}

// base is the address that a pointer is, where that is known: a constant, or a parameter that is one in this call.
func (l *lowerer) base(v value) (int64, bool) {
	if v.t.Kind != types.PointerKind {
		return 0, false
	}
	switch e := v.e.(type) {
	case program.Const:
		return int64(e), true
	case program.Reg:
		for d, k := range l.frame.bases {
			if x := l.frame.vars[d]; x != nil && x.obj == nil && program.Reg(x.reg) == e {
				return k, true
			}
		}
	}
	return 0, false
}

// keep notes what is known of a parameter.
func (f *frame) keep(d *cc.Declarator, v value, u *unit) {
	if f.texts == nil {
		f.texts, f.was, f.known = map[*cc.Declarator]string{}, map[*cc.Declarator]*types.Type{}, map[*cc.Declarator]int64{}
	}
	if s, ok := u.textAt(v); ok {
		f.texts[d] = s
	}
	if v.was != nil {
		f.was[d] = v.was
	}
}

// number is what is known of a value: a constant, or a parameter of f that is one.
func (f *frame) number(v value) (int64, bool) {
	switch e := v.e.(type) {
	case program.Const:
		return int64(e), true
	case program.Reg, program.Unary, program.Binary:
		if k, ok := f.constant(e); ok {
			return v.t.Word().Wrap(int64(k)), true
		}
	}
	return 0, false
}

// zero is any value of type t.
func (l *lowerer) zero(t *types.Type) value {
	v := value{t: t, e: program.Const(0)}
	if t.Aggregate() {
		v.e = nil
		for range l.u.flatten(t, "", 0, nil) {
			v.agg = append(v.agg, program.Const(0))
		}
	}
	return v
}

// define gives a local variable a place.
func (l *lowerer) define(f *frame, d *cc.Declarator, t *types.Type) *variable {
	v := &variable{name: d.Name(), t: t}
	if t.Scalar() && t.Kind != types.FloatKind && t.Kind != types.OtherKind && !f.escapes[d] && !t.Atomic {
		v.reg = l.register(d.Name(), t.Word(), false)
		l.mayBeSkipped(f, v)
		if f.def != nil && l.dryness == 0 && t.Kind == types.PointerKind && l.u.walkers(f.def)[d] && (f.again == nil || !f.again.changed[d]) {
			l.walks[v.reg] = lowered.Interval{}
			if !l.u.assigned(f.def)[d] {
				l.still[v.reg] = nil
			}
		}
		if l.dryness == 0 && f.leads[d] && (l.u.assigned(f.def)[d] || f.again != nil && f.again.changed[d]) {
			l.origins[v.reg] = l.origin()
		}
		if f.def != nil && l.u.valueless() && l.u.joinedInto(f.def)[d] {
			v.shadow = l.register(d.Name()+" is set", program.BoolType, false) + 1
			l.assign(v.shadow-1, program.Const(1))
		}
	} else {
		v.obj = l.mortal(d.Name(), t, l.scope)
		v.obj.Unset = !t.Library || l.u.opts.Uninitialised
		v.obj.Fix(d.Name())
		l.twinned(d, v.obj)
	}
	f.vars[d] = v
	return v
}

func (l *lowerer) init(f *frame, d *cc.Declarator, v value) {
	x := f.vars[d]
	p := place{t: x.t, reg: x.reg}
	if x.obj != nil {
		p.addr = x.obj.Address()
	}
	l.first(x.obj, func() { l.storeAs(p, v, plain) })
}
