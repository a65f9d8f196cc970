package litmus

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fencepost-verifier/fencepost/program"
)

// aarch64 is the instructions of 64-bit Arm, as herd7 has them.
type aarch64 struct{}

const (
	armLink base = 30
	armSP   base = 31
	armZero base = 32
)

func (aarch64) count() int { return int(armZero) + 1 }
func (aarch64) zero() base { return armZero }

func (aarch64) find(name string) (register, bool) {
	name = strings.ToUpper(name)
	switch name {
	case "XZR":
		return register{armZero, all64}, true
	case "WZR":
		return register{armZero, low32}, true
	case "SP":
		return register{armSP, all64}, true
	case "WSP":
		return register{armSP, low32}, true
	case "LR":
		return register{30, all64}, true
	case "":
		return register{}, false
	}
	n, err := strconv.Atoi(name[1:])
	if err != nil || n < 0 || n > 30 || name[1:] != strconv.Itoa(n) {
		return register{}, false
	}
	switch name[0] {
	case 'X':
		return register{base(n), all64}, true
	case 'W':
		return register{base(n), low32}, true
	}
	return register{}, false
}

func (aarch64) spell(r register) string {
	letter := "X"
	if r.part == low32 {
		letter = "W"
	}
	switch r.base {
	case armZero:
		return letter + "ZR"
	case armSP:
		return strings.TrimPrefix(letter, "X") + "SP"
	}
	return letter + strconv.Itoa(int(r.base))
}

func (aarch64) names() []string {
	var names []string
	for i := range 31 {
		names = append(names, "X"+strconv.Itoa(i), "W"+strconv.Itoa(i))
	}
	return append(names, "XZR", "WZR", "SP")
}

// An armAccess is a load or a store.
type armAccess struct {
	bits  uint8 // 0: as wide as the register
	sign  bool
	store bool
	tags  []string
	pair  bool
	ex    bool
}

// An armAtomic is an instruction that reads and writes.
type armAtomic struct {
	kind     string // CAS, SWP, LD, ST
	op       string // ADD, CLR, ...
	bits     uint8
	acq, rel bool
}

// An armTable is the instructions that access memory, and the names of all.
type armTable struct {
	accesses map[string]armAccess
	atomics  map[string]armAtomic
	names    []string
}

// armSizes is what may stand at the end of the name of an access.
var armSizes = []struct {
	suffix string
	bits   uint8
	sign   bool
}{{"", 0, false}, {"B", 8, false}, {"H", 16, false}, {"SB", 8, true}, {"SH", 16, true}, {"SW", 32, true}}

// armInstructions is made when the first test asks for it.
var armInstructions = sync.OnceValue(func() *armTable {
	t := &armTable{accesses: map[string]armAccess{}, atomics: map[string]armAtomic{}}
	for name, tags := range map[string][]string{
		"LDR": nil, "LDUR": nil, "LDTR": nil, "LDAR": {"A"}, "LDLAR": {"A"}, "LDAPR": {"Q"}, "LDAPUR": {"Q"}, "LDXR": {"X"}, "LDAXR": {"A", "X"},
	} {
		for _, s := range armSizes {
			if s.sign && !strings.HasSuffix(strings.TrimSuffix(name, "R"), "LD") && !strings.HasSuffix(name, "UR") {
				continue
			}
			t.accesses[name+s.suffix] = armAccess{bits: s.bits, sign: s.sign, tags: tags, ex: slices.Contains(tags, "X")}
		}
	}
	for name, tags := range map[string][]string{"STR": nil, "STUR": nil, "STTR": nil, "STLR": {"L"}, "STLLR": {"L"}, "STLUR": {"L"}, "STXR": {"X"}, "STLXR": {"L", "X"}} {
		for _, s := range armSizes[:3] {
			t.accesses[name+s.suffix] = armAccess{bits: s.bits, store: true, tags: tags, ex: slices.Contains(tags, "X")}
		}
	}
	for name, a := range map[string]armAccess{
		"LDP": {}, "LDNP": {}, "LDPSW": {bits: 32, sign: true}, "LDXP": {tags: []string{"X"}, ex: true}, "LDAXP": {tags: []string{"A", "X"}, ex: true}, "LDIAPP": {tags: []string{"Q"}},
		"STP": {store: true}, "STNP": {store: true}, "STXP": {store: true, tags: []string{"X"}, ex: true}, "STLXP": {store: true, tags: []string{"L", "X"}, ex: true}, "STILP": {store: true, tags: []string{"L"}},
	} {
		a.pair = true
		t.accesses[name] = a
	}
	for _, order := range []string{"", "A", "L", "AL"} {
		for _, s := range armSizes[:3] {
			a := armAtomic{bits: s.bits, acq: strings.Contains(order, "A"), rel: strings.Contains(order, "L")}
			for _, kind := range []string{"CAS", "SWP"} {
				a.kind = kind
				t.atomics[kind+order+s.suffix] = a
			}
			if s.suffix == "" {
				a.kind = "CASP"
				t.atomics["CASP"+order] = a
			}
			for _, op := range []string{"ADD", "CLR", "EOR", "SET", "SMAX", "SMIN", "UMAX", "UMIN"} {
				a.kind, a.op = "LD", op
				t.atomics["LD"+op+order+s.suffix] = a
				if !a.acq {
					a.kind = "ST"
					t.atomics["ST"+op+order+s.suffix] = a
				}
			}
		}
	}
	for _, m := range []map[string]bool{keys(t.accesses), keys(t.atomics), keys(armALU), keys(armOthers)} {
		t.names = append(t.names, slices.Collect(maps.Keys(m))...)
	}
	for c := range armConditions {
		t.names = append(t.names, "B."+c)
	}
	slices.Sort(t.names)
	return t
})

func keys[V any](m map[string]V) map[string]bool {
	k := map[string]bool{}
	for n := range m {
		k[n] = true
	}
	return k
}

// armALU is the instructions that compute a register from another and an operand.
// Those that end in S set the flags.
var armALU = map[string]program.BinaryOp{
	"ADD": program.Add, "SUB": program.Sub, "AND": program.BitAnd, "ORR": program.BitOr, "EOR": program.BitXor,
	"BIC": program.BitAnd, "ORN": program.BitOr, "EON": program.BitXor,
	"ADDS": program.Add, "SUBS": program.Sub, "ANDS": program.BitAnd, "BICS": program.BitAnd,
}

// armOthers is the names of all the rest.
var armOthers = keys(map[string]int{
	"MOV": 0, "MOVZ": 0, "MOVN": 0, "MOVK": 0, "MVN": 0, "NEG": 0, "CMP": 0, "CMN": 0, "TST": 0, "MUL": 0, "MADD": 0, "MSUB": 0, "LSL": 0, "LSR": 0, "ASR": 0,
	"SXTB": 0, "SXTH": 0, "SXTW": 0, "UXTB": 0, "UXTH": 0, "UXTW": 0, "CSEL": 0, "CSINC": 0, "CSINV": 0, "CSNEG": 0, "CSET": 0, "CSETM": 0, "CINC": 0,
	"B": 0, "CBZ": 0, "CBNZ": 0, "TBZ": 0, "TBNZ": 0, "RET": 0, "NOP": 0, "ISB": 0, "DMB": 0, "DSB": 0, "YIELD": 0, "WFE": 0, "WFI": 0, "SEV": 0, "SEVL": 0, "BTI": 0, "CSDB": 0, "ROR": 0, "REV": 0, "REV16": 0, "REV32": 0, "UMULL": 0, "SMULL": 0, "PRFM": 0, "CLREX": 0, "ADR": 0, "UBFX": 0, "SBFX": 0, "UBFIZ": 0, "SBFIZ": 0, "BFI": 0, "BFXIL": 0,
	"ABS": 0, "RBIT": 0, "EXTR": 0, "UBFM": 0, "SBFM": 0, "MNEG": 0, "UMADDL": 0, "SMADDL": 0, "UMSUBL": 0, "SMSUBL": 0, "UMNEGL": 0, "SMNEGL": 0, "LSLV": 0, "LSRV": 0, "ASRV": 0, "RORV": 0, "NEGS": 0, "REV64": 0, "CINV": 0, "CNEG": 0, "BL": 0, "BLR": 0, "BR": 0, "HINT": 0, "DC": 0, "IC": 0,
})

var armRefused = map[string]string{
	"SVC": "exceptions are not modelled", "HVC": "exceptions are not modelled", "SMC": "exceptions are not modelled", "ERET": "exceptions are not modelled",
	"TLBI": "translation is not modelled", "AT": "translation is not modelled",
	"MRS": "registers of the system are not modelled", "MSR": "registers of the system are not modelled",
	"STG": "tags of memory are not modelled", "LDG": "tags of memory are not modelled",
	"LD1": "vector registers are not modelled", "ST1": "vector registers are not modelled",
}

const (
	armN flagName = "N"
	armZ flagName = "Z"
	armC flagName = "C"
	armV flagName = "V"
)

// armConditions is the flags that a condition reads, by its name.
var armConditions = map[string][]flagName{
	"EQ": {armZ}, "NE": {armZ}, "CS": {armC}, "HS": {armC}, "CC": {armC}, "LO": {armC}, "MI": {armN}, "PL": {armN}, "VS": {armV}, "VC": {armV},
	"HI": {armC, armZ}, "LS": {armC, armZ}, "GE": {armN, armV}, "LT": {armN, armV}, "GT": {armN, armV, armZ}, "LE": {armN, armV, armZ}, "AL": nil,
}

// armHolds is the value of a condition.
func armHolds(e *emitter, c string) program.Expr {
	flag := func(f flagName) program.Expr { return program.Reg(e.flags[f]) }
	not := program.NotExpr
	and := func(x, y program.Expr) program.Expr {
		return program.Binary{Op: program.LogicalAnd, X: x, Y: y}
	}
	switch c {
	case "EQ":
		return flag(armZ)
	case "NE":
		return not(flag(armZ))
	case "CS", "HS":
		return flag(armC)
	case "CC", "LO":
		return not(flag(armC))
	case "MI":
		return flag(armN)
	case "PL":
		return not(flag(armN))
	case "VS":
		return flag(armV)
	case "VC":
		return not(flag(armV))
	case "HI":
		return and(flag(armC), not(flag(armZ)))
	case "LS":
		return not(and(flag(armC), not(flag(armZ))))
	case "GE":
		return binary(program.Eq, flag(armN), flag(armV))
	case "LT":
		return binary(program.Ne, flag(armN), flag(armV))
	case "GT":
		return and(not(flag(armZ)), binary(program.Eq, flag(armN), flag(armV)))
	case "LE":
		return not(and(not(flag(armZ)), binary(program.Eq, flag(armN), flag(armV))))
	}
	return program.Const(1)
}

// armSet sets the flags that somebody reads.
func armSet(e *emitter, o *outcome) {
	e.flag(armZ, o.zero)
	e.flag(armN, func() program.Expr { return o.flag(sign) })
	e.flag(armV, func() program.Expr { return o.flag(overflow) })
	e.flag(armC, func() program.Expr {
		c := o.flag(carry)
		if o.kind == ofDifference { // which is that nothing is borrowed
			c = program.NotExpr(c)
		}
		return c
	})
}

func (a aarch64) instruction(r *risc, t token) *op {
	o := &op{}
	name := strings.ToUpper(t.Text)
	if acc, ok := armInstructions().accesses[name]; ok {
		a.access(r, o, t, acc)
		return o
	}
	if at, ok := armInstructions().atomics[name]; ok {
		a.atomic(r, o, at)
		o.modes = armAtomicModes(t.Text, at, o.writes)
		return o
	}
	if op, ok := armALU[name]; ok {
		a.alu(r, o, name, op)
		return o
	}
	if c, ok := strings.CutPrefix(name, "B."); ok {
		if flags, ok := armConditions[c]; ok {
			o.flags = flags
			o.when = func(e *emitter) program.Expr { return armHolds(e, c) }
			r.jumpLabel(o)
			return o
		}
	}
	if c, ok := strings.CutPrefix(name, "B"); ok && armConditions[c] != nil { // as old assemblers have it
		o.flags = armConditions[c]
		o.when = func(e *emitter) program.Expr { return armHolds(e, c) }
		r.jumpLabel(o)
		return o
	}
	if !armOthers[name] {
		r.unknown(t, armInstructions().names, armRefused)
	}
	a.other(r, o, name)
	return o
}

// number reads an immediate operand, with or without #.
func (aarch64) number(r *risc) int64 {
	r.accept("#")
	return r.number("an immediate operand is a number, such as #1")
}

func (a aarch64) isNumber(r *risc) bool {
	return r.tok.Is("#") || r.tok.Is("-") || r.tok.Kind == tokenNumber
}

// modified reads what may follow a register: LSL #1, SXTW. It returns what computes the
// value of the register so modified; rotates is whether the instruction takes ROR.
func (a aarch64) modified(r *risc, x register, rotates bool) func(e *emitter) program.Expr {
	bits := x.part.bits()
	if !r.accept(",") {
		return func(e *emitter) program.Expr { return e.get(x) }
	}
	t := r.ident("a shift or an extension", "such as LSL #1, SXTW")
	kind := strings.ToUpper(t.Text)
	if kind == "ROR" && !rotates {
		kind = ""
	}
	var n int64
	if a.isNumber(r) {
		n = a.number(r)
	}
	if n < 0 || n >= int64(bits) && n > 4 {
		r.fail(t.Pos, "", "a register of %d bits is not shifted by %d", bits, n)
	}
	return func(e *emitter) program.Expr {
		v := e.get(x)
		switch kind {
		case "LSR":
			return shiftRight(v, n, bits)
		case "ASR":
			return truncate(binary(program.Shr, signed(v, bits), program.Const(n)), bits)
		case "ROR":
			if n == 0 {
				return v
			}
			return truncate(binary(program.BitOr, shiftRight(v, n, bits), binary(program.Shl, v, program.Const(int64(bits)-n))), bits)
		case "SXTB", "SXTH", "SXTW", "SXTX":
			v = signed(v, map[byte]uint8{'B': 8, 'H': 16, 'W': 32, 'X': 64}[kind[3]])
		case "UXTB", "UXTH", "UXTW", "UXTX":
			v = truncate(v, map[byte]uint8{'B': 8, 'H': 16, 'W': 32, 'X': 64}[kind[3]])
		case "LSL":
		default:
			e.fail(t.Pos, "such as LSL #1, SXTW", "%s is no shift or extension that is supported", t.Text)
		}
		if n > 0 {
			v = binary(program.Shl, v, program.Const(n))
		}
		return v
	}
}

// shiftRight shifts in zeros.
func shiftRight(v program.Expr, n int64, bits uint8) program.Expr {
	s := binary(program.Shr, v, program.Const(n))
	if bits == 64 && n > 0 {
		s = binary(program.BitAnd, s, program.Const(1<<(64-n)-1))
	}
	return s
}

// mem reads [X1], [X1,#4], [X1,X2], [X1,W2,SXTW #2], [X1,#8]!, [X1],#8. post is what is
// added to the base afterwards, or before where pre is true.
func (a aarch64) mem(r *risc, o *op, bits uint8) (m *mem, pre bool, by int64) {
	start := r.tok
	m = &mem{at: start.Pos, bits: bits}
	r.expect("[", "an operand in memory is such as [X1], [X1,#4], [X1,W2,SXTW]")
	b := r.reg()
	if b.part != all64 {
		r.fail(start.Pos, "", "an address is in a register of 64 bits")
	}
	m.base = &b
	if r.accept(",") {
		if a.isNumber(r) {
			m.imm = a.number(r)
		} else {
			x := r.reg()
			m.index = &x
			if r.accept(",") {
				t := r.ident("a shift or an extension", "such as LSL #2, SXTW")
				switch strings.ToUpper(t.Text) {
				case "SXTW", "SXTX":
					m.signed = true
				case "LSL", "UXTW", "UXTX":
				default:
					r.fail(t.Pos, "such as LSL #2, SXTW", "%s is no shift or extension of an index", t.Text)
				}
				if a.isNumber(r) {
					m.shift = a.number(r)
				}
				if m.shift < 0 || m.shift > 4 {
					r.fail(t.Pos, "", "an index is shifted by up to 4 bits")
				}
			}
		}
	}
	r.expect("]", "an operand in memory is such as [X1], [X1,#4], [X1,W2,SXTW]")
	m.text = r.textFrom(start)
	switch {
	case m.index != nil:
	case r.accept("!"):
		pre, by = true, m.imm
		o.writes = append(o.writes, b)
	case r.tok.Is(","):
		r.advance()
		by = a.number(r)
		o.writes = append(o.writes, b)
	}
	o.mems = append(o.mems, m)
	return m, pre, by
}

// access reads a load or a store.
func (a aarch64) access(r *risc, o *op, t token, acc armAccess) {
	var status register
	if acc.ex && acc.store {
		status = r.reg()
		o.writes = append(o.writes, status)
		r.comma()
	}
	x := r.reg()
	data := []register{x}
	r.comma()
	if acc.pair {
		y := r.reg()
		if y.part != x.part {
			r.fail(t.Pos, "", "the registers of a pair have one size")
		}
		data = append(data, y)
		r.comma()
	}
	bits := acc.bits
	if bits == 0 {
		bits = x.part.bits()
	}
	m, pre, by := a.mem(r, o, bits)
	m.pair = acc.pair
	if by == 0 && !pre && m.index == nil && m.imm == 0 && !acc.pair {
		o.modes = armModes(t.Text)
	}
	tags := acc.tags
	if acc.store {
		o.reads = append(o.reads, data...)
	} else {
		o.writes = append(o.writes, data...)
	}
	if acc.ex {
		if o.exclusive = reserves; acc.store {
			o.exclusive = conditional
		}
	}
	move := func(e *emitter) {
		if by != 0 {
			e.set(*m.base, binary(program.Add, e.get(*m.base), program.Const(by)))
		}
	}
	each := func(e *emitter) {
		addr := e.address(m)
		if by != 0 && len(data) == 2 && !acc.store {
			if _, ok := addr.(program.Const); !ok && data[0].base == m.base.base {
				e.fail(m.at, "", "the base is loaded and moved")
			}
		}
		if len(data) == 2 && !acc.store && e.touches(addr, data[0]) {
			// The address is needed once more.
			n := e.temp(program.Int64Type)
			e.assign(n, addr)
			addr = program.Reg(n)
		}
		for k := range data {
			i := k
			if pre && strings.EqualFold(t.Text, "STILP") { // which is for stacks that grow downwards
				i = len(data) - 1 - k
			}
			x := data[i]
			at, tags := offset(addr, int64(i)*int64(bits)/8), tags
			if k > 0 && !acc.ex { // an access of its own
				tags = append(slices.Clip(tags), "Second")
			}
			if acc.store {
				e.storeAt(e.get(x), m, at, k > 0, tags...)
			} else {
				e.loadAt(x, m, at, acc.sign, k > 0, tags...)
			}
		}
	}
	o.emit = func(e *emitter) {
		switch {
		case acc.ex && acc.store:
			e.conditionally(m, func() { each(e); e.set(status, program.Const(0)) }, func() { e.set(status, program.Const(1)) })
			return
		case acc.ex:
			e.reserve(m)
		}
		// Where the base moves before the access, its offset counts in the address, too.
		each(e)
		move(e)
	}
}

// touches is whether writing a register changes the value of v.
func (e *emitter) touches(v program.Expr, x register) bool {
	return x.base != e.risc.set.zero() && contains(v, e.regs[e.t][x.base].index)
}

// atomic reads an instruction that reads and writes memory at once.
func (a aarch64) atomic(r *risc, o *op, at armAtomic) {
	if at.kind == "CASP" {
		a.swapPair(r, o, at)
		return
	}
	s := r.first()
	d := register{armZero, s.part}
	if at.kind != "ST" {
		d = r.first()
	}
	bits := at.bits
	if bits == 0 {
		bits = s.part.bits()
	}
	m, _, _ := a.mem(r, o, bits)
	var read, write []string
	if at.acq && (d.base != armZero || at.kind == "CAS") {
		read = append(read, "A")
	}
	if at.rel {
		write = append(write, "L")
	}
	if d.base == armZero && at.kind != "CAS" && at.kind != "SWP" {
		read = append(read, "NoRet")
	}
	if at.kind == "CAS" {
		// The first register is compared, and gets what was there.
		o.reads, o.writes = []register{s, d}, []register{s}
		o.emit = func(e *emitter) {
			e.compareSwap(m, []swap{{s, e.low(e.get(s), bits), e.get(d)}}, read, write)
		}
		return
	}
	o.reads, o.writes = []register{s}, []register{d}
	o.emit = func(e *emitter) {
		v := e.get(s)
		e.update(d, m, false, read, write, func(old program.Expr) program.Expr {
			if at.kind == "SWP" {
				return v
			}
			return updated(at.op, old, v, bits)
		})
	}
}

// swapPair reads CASP: two registers are compared, and two take their place in memory.
func (a aarch64) swapPair(r *risc, o *op, at armAtomic) {
	start := r.tok.Pos
	regs := []register{r.first(), r.first(), r.first(), r.first()}
	for i, x := range regs {
		if x.part != regs[0].part || i%2 == 1 && x.base != regs[i-1].base+1 {
			r.fail(start, "such as CASP X2,X3,X4,X5,[X1]", "the registers of a pair have one size, and follow one another")
		}
	}
	m, _, _ := a.mem(r, o, regs[0].part.bits())
	m.pair = true
	var read, write []string
	if at.acq {
		read = append(read, "A")
	}
	if at.rel {
		write = append(write, "L")
	}
	o.reads, o.writes = regs, regs[:2]
	o.emit = func(e *emitter) {
		var swaps []swap
		for i, x := range regs[:2] {
			swaps = append(swaps, swap{x, e.low(e.get(x), m.bits), e.get(regs[i+2])})
		}
		e.compareSwap(m, swaps, read, write)
	}
}

// alu reads an instruction of two operands.
func (a aarch64) alu(r *risc, o *op, name string, op program.BinaryOp) {
	d, x := r.first(), r.reg()
	o.writes, o.reads = []register{d}, []register{x}
	var y func(*emitter) program.Expr
	if r.accept(",") {
		y = a.operand(r, o, op != program.Add && op != program.Sub)
	} else { // as herd7 takes it: the destination is the first operand, too
		o.reads = append(o.reads, d)
		z := x
		x = d
		y = func(e *emitter) program.Expr { return e.get(z) }
	}
	bits := d.part.bits()
	negated := name == "ORN" || name == "EON" || strings.HasPrefix(name, "BIC")
	setFlags := strings.HasSuffix(name, "S")
	o.emit = func(e *emitter) {
		u, v := e.get(x), y(e)
		if negated {
			v = program.Fold(program.Unary{Op: program.Complement, X: v})
		}
		v = e.low(v, bits)
		if setFlags {
			armFlags(e, op, u, v, bits, func(result program.Expr) { e.set(d, result) })
			return
		}
		e.set(d, binary(op, u, v))
	}
}

// armFlags computes and sets the flags; write gets the result.
func armFlags(e *emitter, op program.BinaryOp, u, v program.Expr, bits uint8, write func(program.Expr)) {
	kind := ofLogic
	switch op {
	case program.Add:
		kind = ofSum
	case program.Sub:
		kind = ofDifference
	}
	result := truncate(binary(op, u, v), bits)
	armSet(e, &outcome{kind: kind, bits: bits, a: u, b: v, result: result})
	if write != nil {
		write(result)
	}
}

// operand reads the last operand of an instruction: a number, or a register that may be
// shifted or extended.
func (a aarch64) operand(r *risc, o *op, rotates bool) func(*emitter) program.Expr {
	if a.isNumber(r) {
		n := a.number(r)
		if r.accept(",") { // LSL #12
			t := r.ident("a shift", "LSL #12")
			if !strings.EqualFold(t.Text, "LSL") {
				r.fail(t.Pos, "LSL #12", "a number can be shifted to the left alone")
			}
			k := a.number(r)
			if k < 0 || k > 63 {
				r.fail(t.Pos, "", "a shift by %d bits", k)
			}
			n <<= k
		}
		return func(*emitter) program.Expr { return program.Const(n) }
	}
	y := r.reg()
	o.reads = append(o.reads, y)
	return a.modified(r, y, rotates)
}

// other reads the rest of the instructions.
func (a aarch64) other(r *risc, o *op, name string) {
	switch name {
	case "NOP", "YIELD", "WFE", "WFI", "SEV", "SEVL", "BTI", "CSDB", "CLREX":
		if name == "CLREX" {
			o.emit = func(e *emitter) { e.reserved = reservedNone; e.release() }
		}
	case "HINT":
		a.number(r)
	case "DC", "IC":
		r.note(o.at, "%s does nothing: caches are not modelled, and no test changes its own code", name)
		r.ident("what is done to the cache", "")
		if r.accept(",") {
			o.reads = []register{r.reg()}
		}
	case "PRFM":
		r.ident("the kind of the prefetch", "")
		r.comma()
		a.mem(r, &op{}, 64)
	case "BL":
		link := register{armLink, all64}
		o.call, o.writes = &link, []register{link}
		r.jumpLabel(o)
	case "BR", "BLR":
		at := r.tok.Pos
		to := r.reg()
		o.jump, o.end, o.back, o.reads = true, true, &to, []register{to}
		if link := (register{armLink, all64}); name == "BLR" {
			if to.base == link.base {
				r.fail(at, "take another register", "BLR of the register that it writes is not supported")
			}
			o.call, o.writes = &link, []register{link}
		}
	case "RET":
		back := register{armLink, all64}
		if !r.atEndOfCell() {
			back = r.reg()
		}
		o.jump, o.end, o.back, o.reads = true, true, &back, []register{back}
	case "ISB":
		if !r.atEndOfCell() {
			r.ident("SY", "")
		}
		o.emit = func(e *emitter) { e.fence("ISB") }
	case "DMB", "DSB":
		t := r.ident("an option, such as SY", "options are SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD, OSHST, NSH, NSHLD, NSHST")
		option := strings.ToUpper(t.Text)
		if !slices.Contains([]string{"SY", "LD", "ST", "ISH", "ISHLD", "ISHST", "OSH", "OSHLD", "OSHST", "NSH", "NSHLD", "NSHST"}, option) {
			r.fail(t.Pos, "options are SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD, OSHST, NSH, NSHLD, NSHST", "%s has no option %s", name, t.Text)
		}
		o.emit = func(e *emitter) { e.fence(name + "." + option) }
	case "B":
		r.jumpLabel(o)
	case "CBZ", "CBNZ":
		x := r.reg()
		o.reads = []register{x}
		r.comma()
		r.jumpLabel(o)
		op := program.Eq
		if name == "CBNZ" {
			op = program.Ne
		}
		o.when = func(e *emitter) program.Expr { return binary(op, e.get(x), program.Const(0)) }
	case "TBZ", "TBNZ":
		x := r.reg()
		o.reads = []register{x}
		r.comma()
		at := r.tok.Pos
		n := a.number(r)
		if n < 0 || n >= int64(x.part.bits()) {
			r.fail(at, "", "the register has no bit %d", n)
		}
		r.comma()
		r.jumpLabel(o)
		op := program.Eq
		if name == "TBNZ" {
			op = program.Ne
		}
		o.when = func(e *emitter) program.Expr {
			return binary(op, binary(program.BitAnd, binary(program.Shr, e.get(x), program.Const(n)), program.Const(1)), program.Const(0))
		}
	case "CMP", "CMN", "TST":
		x := r.reg()
		o.reads = []register{x}
		r.comma()
		y := a.operand(r, o, name == "TST")
		op := map[string]program.BinaryOp{"CMP": program.Sub, "CMN": program.Add, "TST": program.BitAnd}[name]
		bits := x.part.bits()
		o.emit = func(e *emitter) { armFlags(e, op, e.get(x), e.low(y(e), bits), bits, nil) }
	case "CSET", "CSETM":
		d := r.reg()
		o.writes = []register{d}
		r.comma()
		c := a.condition(r, o)
		o.emit = func(e *emitter) {
			v := program.Const(1)
			if name == "CSETM" {
				v = -1
			}
			e.choose(armHolds(e, c), d, v, program.Const(0))
		}
	case "CSEL", "CSINC", "CSINV", "CSNEG", "CINC", "CINV", "CNEG":
		a.selects(r, o, name)
	default:
		a.moves(r, o, name)
	}
}

// condition reads the name of a condition.
func (aarch64) condition(r *risc, o *op) string {
	t := r.ident("a condition, such as EQ", "")
	c := strings.ToUpper(t.Text)
	flags, ok := armConditions[c]
	if !ok {
		r.fail(t.Pos, "conditions are EQ, NE, CS, CC, MI, PL, VS, VC, HI, LS, GE, LT, GT, LE, AL", "%s is no condition", t.Text)
	}
	o.flags = append(o.flags, flags...)
	return c
}

// choose gives a register one of two values, on which it depends; the condition picks it.
func (e *emitter) choose(cond program.Expr, d register, yes, no program.Expr) {
	from, done := e.cur, e.State(e.at)
	for _, way := range []struct{ cond, v program.Expr }{{cond, yes}, {program.NotExpr(cond), no}} {
		e.edge(from, done, e.atomically(func() {
			e.do(program.Command{Op: program.Check, Value: way.cond})
			e.set(d, way.v)
		}))
	}
	e.cur = done
}

// selects reads the instructions that choose between two registers.
func (a aarch64) selects(r *risc, o *op, name string) {
	d, x := r.first(), r.first()
	y := x
	if name[1] == 'S' {
		y = r.first()
	}
	c := a.condition(r, o)
	o.writes, o.reads = []register{d}, []register{x, y}
	o.emit = func(e *emitter) {
		yes, v := e.get(x), e.get(y)
		switch name {
		case "CSINC":
			v = binary(program.Add, v, program.Const(1))
		case "CSINV":
			v = program.Fold(program.Unary{Op: program.Complement, X: v})
		case "CSNEG":
			v = program.Fold(program.Unary{Op: program.Neg, X: v})
		case "CINC":
			yes = binary(program.Add, v, program.Const(1))
		case "CINV":
			yes = program.Fold(program.Unary{Op: program.Complement, X: v})
		case "CNEG":
			yes = program.Fold(program.Unary{Op: program.Neg, X: v})
		}
		e.choose(armHolds(e, c), d, yes, v)
	}
}

// moves reads moves, shifts, extensions and products.
func (a aarch64) moves(r *risc, o *op, name string) {
	d := r.reg()
	bits := d.part.bits()
	o.writes = []register{d}
	r.comma()
	put := func(f func(e *emitter) program.Expr) {
		o.emit = func(e *emitter) { e.set(d, f(e)) }
	}
	if a.bits(r, o, name, d) {
		return
	}
	switch name {
	case "NEGS":
		v := a.operand(r, o, false)
		o.emit = func(e *emitter) {
			armFlags(e, program.Sub, program.Const(0), e.low(v(e), bits), bits, func(result program.Expr) { e.set(d, result) })
		}
	case "MOV", "MVN", "NEG":
		v := a.operand(r, o, name == "MVN")
		put(func(e *emitter) program.Expr {
			switch x := v(e); name {
			case "MVN":
				return program.Fold(program.Unary{Op: program.Complement, X: x})
			case "NEG":
				return program.Fold(program.Unary{Op: program.Neg, X: x})
			default:
				return x
			}
		})
	case "MOVZ", "MOVN", "MOVK":
		at := r.tok.Pos
		n := a.number(r)
		var k int64
		if r.accept(",") {
			if t := r.ident("LSL", ""); !strings.EqualFold(t.Text, "LSL") {
				r.fail(t.Pos, "", "expected LSL")
			}
			k = a.number(r)
		}
		if n < 0 || n > 0xffff || k < 0 || k > 48 || k%16 != 0 {
			r.fail(at, "", "%s takes a number of 16 bits, shifted by 0, 16, 32 or 48", name)
		}
		if name == "MOVK" {
			o.reads = []register{d}
		}
		put(func(e *emitter) program.Expr {
			switch name {
			case "MOVN":
				return truncate(program.Const(^(n << k)), bits)
			case "MOVK":
				return binary(program.BitOr, binary(program.BitAnd, e.get(d), program.Const(^(int64(0xffff)<<k))), program.Const(n<<k))
			}
			return program.Const(n << k)
		})
	case "ADR":
		v := r.ident("a variable", "")
		o.addressed = []token{v}
		put(func(e *emitter) program.Expr { return e.symbol(v.Text) })
	case "LSL", "LSR", "ASR", "ROR", "LSLV", "LSRV", "ASRV", "RORV":
		name := strings.TrimSuffix(name, "V")
		x := r.reg()
		o.reads = []register{x}
		r.comma()
		var n func(e *emitter) program.Expr
		if a.isNumber(r) {
			k := a.number(r) & int64(bits-1)
			n = func(*emitter) program.Expr { return program.Const(k) }
		} else {
			y := r.reg()
			o.reads = append(o.reads, y)
			n = func(e *emitter) program.Expr {
				return binary(program.BitAnd, e.get(y), program.Const(int64(bits-1)))
			}
		}
		put(func(e *emitter) program.Expr {
			switch v := e.get(x); name {
			case "LSL":
				return binary(program.Shl, v, n(e))
			case "ASR":
				return binary(program.Shr, signed(v, bits), n(e))
			case "ROR":
				back := binary(program.BitAnd, binary(program.Sub, program.Const(int64(bits)), n(e)), program.Const(int64(bits-1)))
				return binary(program.BitOr, logicalShift(e.low(v, bits), n(e), bits), binary(program.Shl, v, back))
			default:
				return logicalShift(v, n(e), bits)
			}
		})
	case "REV", "REV16", "REV32", "REV64":
		x := r.reg()
		o.reads = []register{x}
		// Bytes are reversed in groups of so many bits.
		group := map[string]uint8{"REV": bits, "REV16": 16, "REV32": 32, "REV64": 64}[name]
		put(func(e *emitter) program.Expr {
			var v program.Expr = program.Const(0)
			for at := uint8(0); at < bits; at += 8 {
				to := at/group*group + group - 8 - at%group
				b := truncate(binary(program.Shr, e.get(x), program.Const(at)), 8)
				v = binary(program.BitOr, v, binary(program.Shl, b, program.Const(to)))
			}
			return v
		})
	case "UMULL", "SMULL":
		x, y := r.first(), r.reg()
		o.reads = []register{x, y}
		put(func(e *emitter) program.Expr {
			if name == "SMULL" {
				return binary(program.Mul, signed(e.get(x), 32), signed(e.get(y), 32))
			}
			return binary(program.Mul, truncate(e.get(x), 32), truncate(e.get(y), 32))
		})
	case "SXTB", "SXTH", "SXTW", "UXTB", "UXTH", "UXTW":
		x := r.reg()
		o.reads = []register{x}
		from := map[byte]uint8{'B': 8, 'H': 16, 'W': 32}[name[3]]
		put(func(e *emitter) program.Expr {
			if name[0] == 'S' {
				return signed(e.get(x), from)
			}
			return truncate(e.get(x), from)
		})
	case "MUL", "MADD", "MSUB":
		x, y := r.first(), r.reg()
		o.reads = []register{x, y}
		z := register{armZero, all64}
		if name != "MUL" {
			r.comma()
			z = r.reg()
			o.reads = append(o.reads, z)
		}
		put(func(e *emitter) program.Expr {
			v := binary(program.Mul, e.get(x), e.get(y))
			if name == "MSUB" {
				return binary(program.Sub, e.get(z), v)
			}
			return binary(program.Add, e.get(z), v)
		})
	}
}

// logicalShift shifts to the right by a number of bits that is computed.
func logicalShift(v, n program.Expr, bits uint8) program.Expr {
	if k, ok := n.(program.Const); ok {
		return shiftRight(v, int64(k), bits)
	}
	if bits < 64 {
		return binary(program.Shr, v, n)
	}
	// What the sign shifted in is cleared: (v >> n) & ~((-1 << 1) << (63-n)).
	ones := binary(program.Shl, program.Const(-2), binary(program.Sub, program.Const(63), n))
	return binary(program.BitAnd, binary(program.Shr, v, n), program.Fold(program.Unary{Op: program.Complement, X: ones}))
}
