package litmus

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A riscSet is the instructions of a processor that computes in registers alone,
// and for the rest loads and stores.
type riscSet interface {
	find(name string) (register, bool)
	spell(r register) string
	count() int
	// names lists registers, for hints.
	names() []string
	// zero is the register that is always 0, or -1.
	zero() base
	// instruction reads an instruction whose name was taken.
	instruction(r *risc, name token) *op
}

// A risc reads and lowers the instructions of a riscSet.
type risc struct {
	*parser
	set    riscSet
	thread int
	code   [][]*op // by thread, see codeOf
}

func newRISC(set riscSet) func(*parser) dialect {
	return func(p *parser) dialect { return &risc{parser: p, set: set} }
}

func (r *risc) find(_ int, name string) (register, bool) { return r.set.find(name) }
func (r *risc) spell(_ int, x register) string           { return r.set.spell(x) }
func (r *risc) count(int) int                            { return r.set.count() }
func (r *risc) taken(string) bool                        { return false }

func (r *risc) hint(_ int, name string) string {
	return text.DidYouMean(name, r.set.names())
}

// An op is an instruction of a [riscSet].
type op struct {
	head
	home, nth     int // the thread in whose column it stands, and its number there
	reads, writes []register
	addressed     []token // variables whose address it takes
	mems          []*mem
	flags         []flagName // that it reads
	// emit does all but jump.
	emit func(*emitter)
	// jump is whether it jumps, when is the condition, nil where there is none; end is
	// true where it jumps to the end of the thread.
	jump, end bool
	when      func(*emitter) program.Expr
	// call is the register that gets the address of the next instruction; back is the one with
	// the address that the thread goes on from, where that comes after a call.
	call, back *register
	// exclusive says what it does to the reservation; link is the access.
	exclusive exclusivity
	// modes is the instructions that do the same and order more.
	modes []mode
}

type exclusivity uint8

const (
	notExclusive exclusivity = iota
	reserves                 // a load
	conditional              // a store
)

// A flagName is a bit of the state of the processor that comparisons set.
type flagName string

// A mem is an operand in memory: base + index + imm.
type mem struct {
	at    program.Position
	text  string
	base  *register // nil: 0
	index *register
	// extend and shift are applied to the index.
	signed bool
	shift  int64
	imm    int64
	bits   uint8
	pair   bool // two of them, one after the other
}

func (r *risc) program() {
	r.table(func(thread int, first token) instruction {
		r.thread = thread
		o := r.set.instruction(r, first)
		o.at, o.text, o.home, o.nth = first.Pos, first.Text, thread, len(r.threads[thread].code)
		r.endOfCell()
		return o
	})
}

// unknown fails: there is no such instruction.
func (r *risc) unknown(name token, known []string, refused map[string]string) {
	if why := refused[name.Text]; why != "" {
		r.refuse(name.Pos, name.Text, why)
	}
	r.fail(name.Pos, meant(name.Text, known), "unknown instruction %s", name.Text)
}

func (r *risc) each(f func(thread int, o *op)) {
	for t := range r.threads {
		for _, o := range r.codeOf(t) {
			f(t, o)
		}
	}
}

func (r *risc) names(b *builder) {
	r.each(func(t int, o *op) {
		for _, v := range o.addressed {
			if _, label := r.threads[o.home].labels[v.Text]; !label {
				b.mention(v.Text, v.Pos).taken = true
			}
		}
	})
}

func (r *risc) use(b *builder) {
	for _, d := range b.decls {
		if d.reg != nil && d.reg.base == r.set.zero() && b.regs[d.thread][d.reg.base].init != 0 {
			b.fail(d.at, "", "%s is always 0", b.spell(d.thread, *d.reg))
		}
	}
	r.each(func(t int, o *op) {
		note := func(x register, written bool) {
			if x.base == r.set.zero() {
				return
			}
			info := &b.regs[t][x.base]
			info.used = true
			if written {
				info.written = max(info.written, x.part)
			}
		}
		for _, x := range o.reads {
			note(x, false)
		}
		for _, x := range o.writes {
			note(x, true)
		}
		for _, m := range o.mems {
			for _, x := range []*register{m.base, m.index} {
				if x != nil {
					note(*x, false)
				}
			}
		}
	})
}

// roam finds the variables that accesses through registers may be of whose content is
// not constant: those whose address is in memory, or in a register that is written, or
// read for anything else than an address.
func (r *risc) roam(b *builder) {
	read := map[int]map[base]bool{}
	r.each(func(t int, o *op) {
		if read[t] == nil {
			read[t] = map[base]bool{}
		}
		for _, x := range o.reads {
			read[t][x.base] = true
		}
		for _, v := range o.addressed {
			if x := b.vars.byName[v.Text]; x != nil { // or a label
				x.roams = true
			}
		}
	})
	for _, d := range b.decls {
		for _, c := range d.init {
			if c.name != "" && (d.reg == nil || b.regs[d.thread][d.reg.base].written != 0 || read[d.thread][d.reg.base]) {
				b.vars.byName[c.name].roams = true
			}
		}
	}
}

func (r *risc) accesses(b *builder) []access {
	r.roam(b)
	var as []access
	r.each(func(t int, o *op) {
		e := &emitter{builder: b, risc: r, t: t}
		for _, m := range o.mems {
			addr := e.address(m)
			for i := range e.pieces(m) {
				a := access{at: m.at, text: m.text, in: o.text, inAt: o.at, bits: m.bits}
				if k, ok := addr.(program.Const); ok {
					a.addr = int64(k) + int64(i)*int64(m.bits)/8
					if a.v = b.vars.at(a.addr); a.v == nil {
						b.fail(m.at, "to access a variable through a register, put its address there: 0:"+b.exampleRegister()+"=x",
							"%s is not the address of a variable", m.text)
					}
				} else {
					a.among = e.among(m)
				}
				as = append(as, a)
			}
		}
	})
	return as
}

// An emitter makes the automaton of a thread.
type emitter struct {
	assembly
	*builder
	risc   *risc
	t      int
	thread *program.Thread
	code   []*op
	in     *op
	flags  map[flagName]int // registers of those that are read
	temps  map[program.Type][]int
	inUse  map[program.Type]int

	// reserved is what is known of the reservation.
	reserved reservation
	addr     program.Expr // reservedAt
	resReg   int          // the register that holds its address, or -1
	body     []program.Command
	inBody   bool
	pick     bool // what is assigned is no more than picked
}

type reservation uint8

const (
	reservedNone    reservation = iota
	reservedAt                  // addr
	reservedUnknown             // control flow meets here
)

func (r *risc) lower(b *builder, t int) {
	e := &emitter{builder: b, risc: r, t: t, thread: b.prog.Threads[t], flags: map[flagName]int{}, temps: map[program.Type][]int{}, inUse: map[program.Type]int{}, resReg: -1}
	th := b.threads[t]
	e.code = r.codeOf(t)
	e.Room(2*len(e.code) + 2)
	joins := make([]bool, len(e.code)+1)
	for i, o := range e.code {
		e.State(o.at)
		if o.jumps() {
			joins[o.target] = true
		}
		if o.call != nil {
			joins[i+1] = true
		}
		for i := range joins {
			joins[i] = joins[i] || o.back != nil && e.labelled(i)
		}
		for _, f := range o.flags {
			if _, ok := e.flags[f]; !ok {
				e.flags[f] = e.newRegister(string(f), program.BoolType)
			}
		}
	}
	if e.reservationMeets(joins) {
		e.resReg = e.newRegister("reserved", program.Int64Type)
	}
	at := th.at
	if len(e.code) > 0 {
		at = e.code[len(e.code)-1].at
	}
	end := e.State(at)
	for _, label := range th.labelAt {
		s := &e.States[th.labels[label.Text]]
		s.Labels = append(s.Labels, label.Text)
	}
	for i, o := range e.code {
		e.in, e.at, e.cur = o, o.at, i
		if len(e.inUse) > 0 {
			e.inUse = map[program.Type]int{}
		}
		if joins[i] {
			e.reserved = reservedUnknown
		}
		if o.emit != nil {
			o.emit(e)
		}
		if o.call != nil {
			e.set(*o.call, e.returnAddress(i))
		}
		if e.reserved == reservedAt && slices.ContainsFunc(o.writes, func(x register) bool {
			return x.base != r.set.zero() && contains(e.addr, e.regs[t][x.base].index)
		}) {
			e.reserved = reservedUnknown
		}
		switch {
		case !o.jump:
			e.bind(e.cur, i+1)
		case o.back != nil && e.goesTo(*o.back, end):
		case o.end:
			e.bind(e.cur, end)
		case o.when == nil:
			e.bind(e.cur, o.target)
		default:
			yes := o.when(e)
			e.edge(e.cur, o.target, program.Command{Op: program.Check, Value: yes})
			no := program.NotExpr(yes)
			if n, ok := yes.(program.Unary); ok && n.Op == program.LogicalNot {
				no = n.X
			}
			e.edge(e.cur, i+1, program.Command{Op: program.Check, Value: no})
		}
	}
	e.Finish(e.thread, 0, end)
	threadJumps(e.thread)
}

// returnAddress is where a thread goes on after a call, the i-th instruction.
func (e *emitter) returnAddress(i int) program.Const {
	home, i := e.risc.place(e.t, i)
	return program.Const(instructionAddress(home, i+1))
}

// labelled is whether the i-th instruction bears a label whose address the test may take.
func (e *emitter) labelled(i int) bool {
	home, i := e.risc.place(e.t, i)
	return e.builder.labelled(home, i)
}

// goesTo goes on where the address in a register says: after the call from which it comes or, where
// the test takes addresses of labels, at a label; to the end where it is another one; false where there is but the end.
func (e *emitter) goesTo(from register, end int) bool {
	at := e.get(from)
	none := program.Expr(program.Const(1))
	for i := range len(e.code) + 1 {
		if !(i > 0 && e.code[i-1].call != nil) && !e.labelled(i) {
			continue
		}
		here := binary(program.Eq, at, program.Const(instructionAddress(e.risc.place(e.t, i))))
		if here == program.Expr(program.Const(0)) {
			continue
		}
		e.edge(e.cur, i, program.Command{Op: program.Check, Value: here})
		none = program.Binary{Op: program.LogicalAnd, X: none, Y: program.NotExpr(here)}
	}
	if none == program.Expr(program.Const(1)) {
		return false
	}
	e.edge(e.cur, end, program.Command{Op: program.Check, Value: none})
	return true
}

// reservationMeets is whether some store-exclusive comes after a label with no
// load-exclusive in between, or after its address has changed: then only a run tells
// whether there is a reservation.
func (e *emitter) reservationMeets(joins []bool) bool {
	known := true
	for i, o := range e.code {
		known = known && !joins[i]
		switch o.exclusive {
		case reserves:
			known = true
		case conditional:
			if !known {
				return true
			}
		}
		for _, m := range o.mems {
			if o.exclusive == reserves {
				if _, ok := e.address(m).(program.Const); !ok {
					known = false
				}
			}
		}
	}
	return false
}

func (e *emitter) newRegister(name string, typ program.Type) int {
	e.thread.Regs = append(e.thread.Regs, program.Register{Name: name, Type: typ, Temp: true})
	return len(e.thread.Regs) - 1
}

// temp is a register of the type that no other value of the instruction is in.
func (e *emitter) temp(typ program.Type) int {
	n := e.inUse[typ]
	e.inUse[typ]++
	if n < len(e.temps[typ]) {
		return e.temps[typ][n]
	}
	all := 1
	for _, rs := range e.temps {
		all += len(rs)
	}
	r := e.newRegister("$"+strconv.Itoa(all), typ)
	e.temps[typ] = append(e.temps[typ], r)
	return r
}

// do takes a step, or puts the command into the atomic block that is open.
func (e *emitter) do(c program.Command) {
	if e.inBody {
		e.body = append(e.body, c)
		return
	}
	e.step(c)
}

func (e *emitter) assign(r int, v program.Expr) {
	e.do(program.Command{Op: program.Assign, Reg: r, Value: v, Pick: e.pick})
}

// atomically makes one command of what f does.
func (e *emitter) atomically(f func()) program.Command {
	e.body, e.inBody = nil, true
	f()
	e.inBody = false
	return program.Command{Op: program.Atomic, Text: e.in.text, Body: e.body}
}

// get is the value of a register.
func (e *emitter) get(r register) program.Expr {
	if r.base == e.risc.set.zero() {
		return program.Const(0)
	}
	return e.builder.reg(e.t, r)
}

// set writes a register. The value may have more bits than it, which do not count;
// those above the part are cleared.
func (e *emitter) set(r register, v program.Expr) {
	if r.base == e.risc.set.zero() {
		return
	}
	index := e.regs[e.t][r.base].index
	typ := e.thread.Regs[index].Type
	if bits := r.part.bits(); bits < typ.Bits {
		v = e.low(v, bits)
	}
	e.assign(index, v)
}

// low is the low bits of a value.
func (e *emitter) low(v program.Expr, bits uint8) program.Expr {
	if x, ok := v.(program.Reg); ok {
		if t := e.thread.Regs[x].Type; t.Bits < bits || t.Bits == bits && !t.Signed {
			return v
		}
	}
	return truncate(v, bits)
}

// address computes the address of an operand.
func (e *emitter) address(m *mem) program.Expr {
	var sum program.Expr = program.Const(m.imm)
	if m.index != nil {
		sum = binary(program.Add, e.indexOf(m), sum)
	}
	if m.base != nil {
		sum = binary(program.Add, e.get(*m.base), sum)
	}
	return sum
}

func (e *emitter) indexOf(m *mem) program.Expr {
	i := e.get(*m.index)
	if m.signed {
		i = signed(i, m.index.part.bits())
	}
	if m.shift > 0 {
		i = binary(program.Shl, i, program.Const(m.shift))
	}
	return i
}

// among is the variable that an address is in which is computed from that of the
// variable; nil where it can be anyone.
func (e *emitter) among(m *mem) *variable {
	for _, r := range []*register{m.base, m.index} {
		if r != nil {
			if k, ok := e.get(*r).(program.Const); ok {
				if v := e.vars.at(int64(k)); v != nil {
					return v
				}
			}
		}
	}
	return nil
}

// pieces is how many operands of its width there are at m.
func (e *emitter) pieces(m *mem) int {
	if m.pair {
		return 2
	}
	return 1
}

// A spot is a cell that an access reaches.
type spot struct {
	addr program.Expr
	off  uint8 // in the value, in bits
	bits uint8
	part bool // not the first of its instruction
}

// spots is the cells that an operand of the given width from addr on reaches.
func (e *emitter) spots(m *mem, addr program.Expr, second bool) []spot {
	return e.spotsOf(addr, m.bits, e.cellOf(m, addr), second)
}

// spotsOf is the cells of a size, where 0 is any, that an access reaches.
func (b *builder) spotsOf(addr program.Expr, bits, cell uint8, second bool) []spot {
	if cell == 0 || cell > bits {
		cell = bits
	}
	var ss []spot
	for off := uint8(0); off < bits; off += cell {
		at := b.significance(int64(off)/8, int64(cell)/8, int64(bits)/8)
		ss = append(ss, spot{offset(addr, int64(off)/8), uint8(at), cell, second || off > 0})
	}
	return ss
}

// offset is an address some bytes further on.
func offset(addr program.Expr, n int64) program.Expr {
	if n == 0 {
		return addr
	}
	return binary(program.Add, addr, program.Const(n))
}

// cellOf is the size of the cells that an operand reaches.
func (e *emitter) cellOf(m *mem, addr program.Expr) uint8 {
	if _, ok := addr.(program.Const); !ok {
		if v := e.among(m); v != nil {
			return v.cell.Bits
		}
	}
	return e.finest(addr)
}

// finest is the size of the cells at an address, or of the smallest that it may be one of.
func (b *builder) finest(addr program.Expr) uint8 {
	if k, ok := addr.(program.Const); ok {
		return b.vars.at(int64(k)).cell.Bits
	}
	bits := uint8(0)
	for _, v := range b.vars.sorted {
		if v.roams && v.split && (bits == 0 || v.cell.Bits < bits) {
			bits = v.cell.Bits
		}
	}
	return bits
}

// guard asserts that the address is one of a cell.
func (e *emitter) guard(m *mem, addr program.Expr) {
	if _, ok := addr.(program.Const); ok {
		return
	}
	e.do(program.Command{Op: program.Assert, Kind: program.Fault, Value: e.reaches(addr, m.bits, e.among(m)),
		Text: fmt.Sprintf("%s is not the address of a variable of %d bits", m.text, m.bits)})
}

// load reads memory into a register, zero-extended or with the sign.
func (e *emitter) load(dst register, m *mem, sign bool, tags ...string) {
	addr := e.address(m)
	e.loadAt(dst, m, addr, sign, false, tags...)
}

func (e *emitter) loadAt(dst register, m *mem, addr program.Expr, sign, second bool, tags ...string) {
	e.guard(m, addr)
	ss := e.spots(m, addr, second)
	if len(ss) == 1 && dst.base != e.risc.set.zero() {
		index := e.regs[e.t][dst.base].index
		if typ := e.thread.Regs[index].Type; typ.Bits == m.bits || typ.Bits > m.bits && e.signedCells == sign && (!sign || dst.part.bits() == typ.Bits) {
			e.do(program.Command{Op: program.Load, Reg: index, Addr: ss[0].addr, Tags: program.NewTags(tags...), Part: ss[0].part})
			return
		}
	}
	v := e.fetch(ss, tags...)
	if sign {
		v = signed(v, m.bits)
	}
	e.set(dst, v)
}

// fetch loads cells into temporaries, and is the value that they make.
func (e *emitter) fetch(ss []spot, tags ...string) program.Expr {
	var v program.Expr
	for _, s := range ss {
		r := e.temp(word(s.bits))
		e.do(program.Command{Op: program.Load, Reg: r, Addr: s.addr, Tags: program.NewTags(tags...), Part: s.part})
		var x program.Expr = program.Reg(r)
		if s.off > 0 {
			x = binary(program.Shl, x, program.Const(s.off))
		}
		if v == nil {
			v = x
		} else {
			v = binary(program.BitOr, v, x)
		}
	}
	return v
}

// store writes memory.
func (e *emitter) store(v program.Expr, m *mem, tags ...string) {
	e.storeAt(v, m, e.address(m), false, tags...)
}

func (e *emitter) storeAt(v program.Expr, m *mem, addr program.Expr, second bool, tags ...string) {
	e.guard(m, addr)
	e.put(e.spots(m, addr, second), v, tags...)
}

func (e *emitter) put(ss []spot, v program.Expr, tags ...string) {
	for _, s := range ss {
		x := v
		if s.off > 0 {
			x = binary(program.Shr, x, program.Const(s.off))
		}
		if k, ok := x.(program.Const); ok {
			x = program.Const(e.cellType(s.bits).Wrap(int64(k)))
		}
		e.do(program.Command{Op: program.Store, Addr: s.addr, Value: x, Tags: program.NewTags(tags...), Part: s.part})
	}
}

func (e *emitter) fence(tags ...string) {
	e.do(program.Command{Op: program.Fence, Tags: program.NewTags(tags...)})
}

// update is a read-modify-write: what f makes of the old value is written. The old
// value goes to dst.
func (e *emitter) update(dst register, m *mem, sign bool, read, write []string, f func(old program.Expr) program.Expr) {
	addr := e.address(m)
	e.step(e.atomically(func() {
		e.guard(m, addr)
		ss := e.spots(m, addr, false)
		old := e.fetch(ss, read...)
		e.put(ss, f(old), write...)
		if sign {
			old = signed(old, m.bits)
		}
		e.set(dst, old)
	}))
}

// compareSwap writes the values where memory holds what is expected, and is two ways to
// go on. The old values go to dst in either; where it is what is expected, it counts as
// picked on Arm.
func (e *emitter) compareSwap(m *mem, swaps []swap, read, write []string) {
	addr := e.address(m)
	from, done := e.cur, e.State(e.at)
	used := e.inUse
	for _, succeeds := range []bool{true, false} {
		e.inUse = maps.Clone(used)
		e.edge(from, done, e.atomically(func() {
			spots, olds := make([][]spot, len(swaps)), make([]program.Expr, len(swaps))
			var same program.Expr
			for i, s := range swaps {
				at := offset(addr, int64(i)*int64(m.bits)/8)
				e.guard(m, at)
				spots[i] = e.spots(m, at, i > 0)
				olds[i] = e.fetch(spots[i], read...)
				equal := binary(program.Eq, olds[i], s.expected)
				if same == nil {
					same = equal
				} else {
					same = program.Binary{Op: program.LogicalAnd, X: same, Y: equal}
				}
			}
			if !succeeds {
				same = program.NotExpr(same)
			}
			e.do(program.Command{Op: program.Check, Value: same})
			for i, s := range swaps {
				if succeeds {
					e.put(spots[i], s.value, write...)
				}
			}
			e.pick = e.prog.Arch.Picks() && succeeds
			for i, s := range swaps {
				e.set(s.dst, olds[i])
			}
			e.pick = false
		}))
	}
	e.cur = done
}

// A swap is what a compare-and-swap does with a cell, or one of two.
type swap struct {
	dst             register
	expected, value program.Expr
}

// reserve notes that the address is reserved.
func (e *emitter) reserve(m *mem) {
	e.reserved, e.addr = reservedAt, e.address(m)
	if e.resReg >= 0 {
		e.assign(e.resReg, e.addr)
	}
}

// conditionally does what succeed does where a store-exclusive to m can succeed, and
// what fail does, which it always can.
func (e *emitter) conditionally(m *mem, succeed, fail func()) {
	addr := e.address(m)
	possible := e.reserved != reservedNone
	if e.reserved == reservedAt {
		k, ok := addr.(program.Const)
		j, ok2 := e.addr.(program.Const)
		possible = !ok || !ok2 || k == j
	}
	from, done := e.cur, e.State(e.at)
	used := e.inUse
	if possible {
		if e.resReg >= 0 {
			e.step(program.Command{Op: program.Check, Value: binary(program.Eq, program.Reg(e.resReg), addr)})
		}
		succeed()
		e.release()
		e.bind(e.cur, done)
	}
	e.cur, e.inUse = from, maps.Clone(used)
	fail()
	e.release()
	if e.cur == from && possible { // where nobody asks, failing is a step that does nothing
		e.step(program.Skip())
	}
	e.bind(e.cur, done)
	e.cur = done
	e.reserved = reservedNone
}

func (e *emitter) release() {
	if e.resReg >= 0 {
		e.assign(e.resReg, program.Const(0))
	}
}

// flag writes a flag, where somebody reads it.
func (e *emitter) flag(f flagName, v func() program.Expr) {
	if r, ok := e.flags[f]; ok {
		e.assign(r, v())
	}
}

// symbol is the address of a variable.
func (e *emitter) symbol(name string) program.Expr {
	if i, ok := e.threads[e.in.home].labels[name]; ok {
		return program.Const(instructionAddress(e.in.home, i))
	}
	return program.Const(e.vars.byName[name].addr)
}

// The operands of instructions.

func (r *risc) comma() { r.expect(",", "operands are separated by commas") }

// reg reads a register.
func (r *risc) reg() register {
	t := r.ident("a register", "")
	x, ok := r.set.find(t.Text)
	if !ok {
		hint := r.hint(r.thread, t.Text)
		r.fail(t.Pos, hint, "%s is not a register of %s", t.Text, r.arch)
	}
	return x
}

// first reads a register that is not the last operand.
func (r *risc) first() register {
	x := r.reg()
	r.comma()
	return x
}

// source reads the last operand: a number or a register.
func (r *risc) source(o *op, immediate bool) func(*emitter) program.Expr {
	if immediate {
		n := r.number("")
		return func(*emitter) program.Expr { return program.Const(n) }
	}
	x := r.reg()
	o.reads = append(o.reads, x)
	return func(e *emitter) program.Expr { return e.get(x) }
}

// displaced reads an operand such as 4(x6) or (x6), where register 0 stands for 0.
func (r *risc) displaced(o *op, bits uint8, example string) *mem {
	hint := "an operand in memory is such as " + example
	start := r.tok
	m := &mem{at: start.Pos, bits: bits}
	if !r.tok.Is("(") {
		m.imm = r.number(hint)
	}
	r.expect("(", hint)
	m.base = zeroed(r.reg())
	r.expect(")", hint)
	m.text = r.textFrom(start)
	o.mems = append(o.mems, m)
	return m
}

// zeroed is a register of an address, where register 0 stands for 0.
func zeroed(x register) *register {
	if x.base == 0 {
		return nil
	}
	return &x
}

// jumpLabel reads the label that o jumps to.
func (r *risc) jumpLabel(o *op) {
	o.jump = true
	if r.tok.Kind == tokenName && r.tok.Text == "." { // .+8
		at := r.advance().Pos
		r.accept("+")
		n := int(max(-4*maxInstructions-4, min(r.number("a jump without a label is such as .+8"), 4*maxInstructions+4)))
		if n%4 != 0 {
			r.fail(at, "", "an instruction has 4 bytes: %d is no distance between two", n)
		}
		n /= 4
		o.skip = &n
		return
	}
	if r.tok.Kind == tokenNumber {
		r.fail(r.tok.Pos, "", "a jump leads to a label with a name")
	}
	o.label = r.ident("a label", "")
}

// textFrom is the source from a token on, up to what was read.
func (r *risc) textFrom(t token) string {
	s := r.src.Text[t.Off:r.end]
	if len(s) > text.MaxWord {
		return "the operand"
	}
	return s
}

// numbered is one of 32 registers, by its name.
func numbered(prefix, name string) (register, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n > 31 || digits != strconv.Itoa(n) {
		return register{}, false
	}
	return register{base(n), all64}, true
}

// numberedNames lists 32 registers.
func numberedNames(prefix string) (names []string) {
	for i := range 32 {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names
}

// updated is what an atomic instruction makes of what memory holds.
func updated(op string, old, v program.Expr, bits uint8) program.Expr {
	switch op {
	case "ADD":
		return binary(program.Add, old, v)
	case "CLR":
		return binary(program.BitAnd, old, program.Fold(program.Unary{Op: program.Complement, X: v}))
	case "EOR":
		return binary(program.BitXor, old, v)
	case "SET":
		return binary(program.BitOr, old, v)
	}
	v = truncate(v, bits)
	var less program.Expr
	if op[0] == 'S' {
		less = binary(program.Lt, signed(old, bits), signed(v, bits))
	} else {
		less = below(old, v, bits)
	}
	if strings.HasSuffix(op, "MAX") {
		return choose(less, v, old)
	}
	return choose(less, old, v)
}

// choose is x where cond is 1, y where it is 0. It depends on all three.
func choose(cond, x, y program.Expr) program.Expr {
	mask := program.Fold(program.Unary{Op: program.Neg, X: cond})
	return binary(program.BitXor, y, binary(program.BitAnd, mask, binary(program.BitXor, x, y)))
}
