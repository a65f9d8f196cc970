package litmus

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// riscv is the instructions of 64-bit RISC-V, as herd7 has them.
type riscv struct{}

// riscvABI is the registers by the names of the calling convention.
var riscvABI = map[string]base{"zero": 0, "ra": 1, "sp": 2, "gp": 3, "tp": 4, "fp": 8}

func init() {
	for i := range 7 {
		riscvABI["t"+strconv.Itoa(i)] = base(5 + i + map[bool]int{true: 20}[i > 2])
	}
	for i := range 12 {
		riscvABI["s"+strconv.Itoa(i)] = base(8 + i + map[bool]int{true: 8}[i > 1])
	}
	for i := range 8 {
		riscvABI["a"+strconv.Itoa(i)] = base(10 + i)
	}
}

func (riscv) count() int { return 32 }
func (riscv) zero() base { return 0 }

func (riscv) find(name string) (register, bool) {
	name = strings.ToLower(name)
	if b, ok := riscvABI[name]; ok {
		return register{b, all64}, true
	}
	return numbered("x", name)
}

func (riscv) spell(r register) string { return "x" + strconv.Itoa(int(r.base)) }

func (v riscv) names() []string {
	return append(numberedNames("x"), slices.Sorted(maps.Keys(riscvABI))...)
}

var riscvLoads = map[string]struct {
	bits uint8
	sign bool
}{"lb": {8, true}, "lh": {16, true}, "lw": {32, true}, "ld": {64, true}, "lbu": {8, false}, "lhu": {16, false}, "lwu": {32, false}}

var riscvStores = map[string]uint8{"sb": 8, "sh": 16, "sw": 32, "sd": 64}

// riscvALU is the instructions of two operands; with an i at the end the second one is
// a number, with a w the result has 32 bits.
var riscvALU = map[string]program.BinaryOp{
	"add": program.Add, "sub": program.Sub, "and": program.BitAnd, "or": program.BitOr, "xor": program.BitXor, "sll": program.Shl, "srl": program.Shr, "sra": program.Shr,
	"slt": program.Lt, "sltu": program.Lt, "mul": program.Mul,
}

var riscvBranches = []string{"beq", "bne", "blt", "bge", "bltu", "bgeu", "bgt", "ble", "bgtu", "bleu"}

var riscvRefused = map[string]string{
	"jal": "calls are not modelled", "jalr": "calls are not modelled", "call": "calls are not modelled", "jr": "indirect jumps are not supported",
	"ecall": "exceptions are not modelled", "ebreak": "exceptions are not modelled",
	"div": "division is not supported", "rem": "division is not supported", "divu": "division is not supported", "remu": "division is not supported",
	"sfence.vma": "translation is not modelled",
	"amocas.w":   "compare-and-swap of AMOs is not modelled", "amocas.d": "compare-and-swap of AMOs is not modelled",
	"flw": "floating point is not modelled", "fld": "floating point is not modelled", "fsw": "floating point is not modelled", "fsd": "floating point is not modelled",
}

// riscvNames lists the instructions, for hints.
func riscvNames() []string {
	names := []string{"fence", "fence.i", "fence.tso", "li", "la", "mv", "not", "neg", "seqz", "snez", "sext.w", "lui", "j", "ret", "nop", "beqz", "bnez", "bltz", "bgez", "bgtz", "blez", "negw", "sltz", "sgtz", "zext.w", "zext.h", "zext.b", "sext.h", "sext.b",
		"lr.w", "lr.d", "sc.w", "sc.d", "amoswap.w", "amoadd.w", "amoor.w", "amoand.w", "amoxor.w", "amoswap.d", "amoadd.d", "amoor.d", "amoand.d", "amoxor.d"}
	names = append(names, riscvBranches...)
	for n := range riscvLoads {
		names = append(names, n)
	}
	for n := range riscvStores {
		names = append(names, n)
	}
	for n := range riscvALU {
		names = append(names, n, n+"i", n+"w", n+"iw")
	}
	return names
}

// riscvOrder cuts .aq, .rl, .aqrl off a name.
func riscvOrder(name string) (stem string, aq, rl bool) {
	for {
		s, order := name, ""
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			s, order = name[:i], name[i+1:]
		}
		switch order {
		case "aq":
			aq = true
		case "rl":
			rl = true
		case "aqrl":
			aq, rl = true, true
		default:
			return name, aq, rl
		}
		name = s
	}
}

func riscvTags(aq, rl bool) []string {
	switch {
	case aq && rl:
		return []string{"AcqRel"}
	case aq:
		return []string{"Acq"}
	case rl:
		return []string{"Rel"}
	}
	return nil
}

func riscvExclusive(aq, rl bool) []string {
	if aq && rl {
		return []string{program.TagExclusive, "Sc"}
	}
	return append(riscvTags(aq, rl), program.TagExclusive)
}

func (v riscv) instruction(r *risc, t token) *op {
	o := &op{}
	name, aq, rl := riscvOrder(strings.ToLower(t.Text))
	stem, width, _ := strings.Cut(name, ".")
	bits := map[string]uint8{"b": 8, "h": 16, "w": 32, "d": 64}[width]
	if l, ok := riscvLoads[name]; ok {
		d := r.first()
		m := r.displaced(o, l.bits, "0(x6)")
		o.writes = []register{d}
		o.emit = func(e *emitter) { e.load(d, m, l.sign, riscvTags(aq, rl)...) }
		return o
	}
	if b, ok := riscvStores[name]; ok {
		s := r.first()
		m := r.displaced(o, b, "0(x6)")
		o.reads = []register{s}
		o.emit = func(e *emitter) { e.store(e.get(s), m, riscvTags(aq, rl)...) }
		return o
	}
	switch {
	case stem == "lr" && bits >= 32:
		d := r.first()
		m := r.displaced(o, bits, "0(x6)")
		o.writes, o.exclusive = []register{d}, reserves
		o.modes = riscvModes(t.Text, aq, rl, "aq")
		o.emit = func(e *emitter) { e.reserve(m); e.load(d, m, true, riscvExclusive(aq, rl)...) }
		return o
	case stem == "sc" && bits >= 32:
		status, s := r.first(), r.first()
		m := r.displaced(o, bits, "0(x6)")
		o.reads, o.writes, o.exclusive = []register{s}, []register{status}, conditional
		o.modes = riscvModes(t.Text, aq, rl, "rl")
		o.emit = func(e *emitter) {
			e.conditionally(m, func() {
				e.store(e.get(s), m, riscvExclusive(aq, rl)...)
				// What the register holds depends on the store.
				if status.base != 0 {
					e.do(program.Command{Op: program.Assign, Reg: e.regs[e.t][status.base].index, Value: program.Const(0), Part: true})
				}
			}, func() { e.set(status, program.Const(1)) })
		}
		return o
	case strings.HasPrefix(stem, "amo") && bits >= 32:
		o.modes = riscvModes(t.Text, aq, rl, "aq", "rl")
		if v.atomic(r, o, strings.TrimPrefix(stem, "amo"), bits, riscvTags(aq, rl)) {
			return o
		}
	}
	if aq || rl || !v.other(r, o, name) {
		r.unknown(t, riscvNames(), riscvRefused)
	}
	return o
}

// riscvUpdates is what atomic instructions make of memory, as AArch64 calls it.
var riscvUpdates = map[string]string{
	"swap": "SWP", "add": "ADD", "and": "AND", "or": "SET", "xor": "EOR", "max": "SMAX", "min": "SMIN", "maxu": "UMAX", "minu": "UMIN",
}

// atomic reads an instruction that reads and writes memory at once.
func (v riscv) atomic(r *risc, o *op, kind string, bits uint8, tags []string) bool {
	if riscvUpdates[kind] == "" {
		return false
	}
	d, s := r.first(), r.first()
	m := r.displaced(o, bits, "0(x6)")
	o.reads, o.writes = []register{s}, []register{d}
	o.emit = func(e *emitter) {
		x := e.get(s)
		e.update(d, m, true, tags, tags, func(old program.Expr) program.Expr {
			switch kind {
			case "swap":
				return x
			case "and":
				return binary(program.BitAnd, old, x)
			}
			return updated(riscvUpdates[kind], old, x, bits)
		})
	}
	return true
}

// other reads what does not access memory.
func (v riscv) other(r *risc, o *op, name string) bool {
	put := func(d register, f func(e *emitter) program.Expr) {
		o.writes = append(o.writes, d)
		o.emit = func(e *emitter) { e.set(d, f(e)) }
	}
	switch name {
	case "nop", "pause", "wfi":
		return true
	case "ret":
		o.jump, o.end = true, true
		return true
	case "j":
		r.jumpLabel(o)
		return true
	case "jal": // a jump where nobody wants to come back
		if r.tok.Kind != tokenName || r.tok.Text != "x0" && r.tok.Text != "zero" {
			return false
		}
		r.reg()
		r.comma()
		r.jumpLabel(o)
		return true
	case "fence.i":
		o.emit = func(e *emitter) { e.fence("Fence.i") }
		return true
	case "fence.tso":
		o.emit = func(e *emitter) { e.fence("Fence.tso") }
		return true
	case "fence":
		before, after := "rw", "rw"
		if !r.atEndOfCell() {
			before = v.set(r)
			r.comma()
			after = v.set(r)
		}
		if before != "" && after != "" { // devices alone are none of ours
			o.emit = func(e *emitter) { e.fence("Fence." + before + "." + after) }
		}
		return true
	case "beqz", "bnez", "bltz", "bgez", "bgtz", "blez":
		x := r.first()
		o.reads = []register{x}
		r.jumpLabel(o)
		op := map[string]program.BinaryOp{"eq": program.Eq, "ne": program.Ne, "lt": program.Lt, "ge": program.Ge, "gt": program.Gt, "le": program.Le}[name[1:3]]
		o.when = func(e *emitter) program.Expr { return binary(op, e.get(x), program.Const(0)) }
		return true
	case "li", "lui":
		d := r.first()
		n := r.number("")
		if name == "lui" {
			n = program.Int32Type.Wrap(n << 12)
		}
		put(d, func(*emitter) program.Expr { return program.Const(n) })
		return true
	case "la":
		d := r.first()
		s := r.ident("a variable", "")
		o.addressed = []token{s}
		put(d, func(e *emitter) program.Expr { return e.symbol(s.Text) })
		return true
	case "mv", "not", "neg", "negw", "seqz", "snez", "sltz", "sgtz", "sext.w", "sext.h", "sext.b", "zext.w", "zext.h", "zext.b":
		d, x := r.first(), r.reg()
		o.reads = []register{x}
		put(d, func(e *emitter) program.Expr {
			switch y := e.get(x); name {
			case "not":
				return program.Fold(program.Unary{Op: program.Complement, X: y})
			case "neg":
				return program.Fold(program.Unary{Op: program.Neg, X: y})
			case "negw":
				return signed(program.Fold(program.Unary{Op: program.Neg, X: y}), 32)
			case "sltz":
				return binary(program.Lt, y, program.Const(0))
			case "sgtz":
				return binary(program.Lt, program.Const(0), y)
			case "sext.h", "sext.b":
				return signed(y, map[byte]uint8{'h': 16, 'b': 8}[name[5]])
			case "zext.w", "zext.h", "zext.b":
				return truncate(y, map[byte]uint8{'w': 32, 'h': 16, 'b': 8}[name[5]])
			case "seqz":
				return binary(program.Eq, y, program.Const(0))
			case "snez":
				return binary(program.Ne, y, program.Const(0))
			case "sext.w":
				return signed(y, 32)
			default:
				return y
			}
		})
		return true
	}
	if slices.Contains(riscvBranches, name) {
		x, y := r.first(), r.first()
		o.reads = []register{x, y}
		r.jumpLabel(o)
		o.when = func(e *emitter) program.Expr {
			a, b := e.get(x), e.get(y)
			unsigned := strings.HasSuffix(name, "u")
			kind := strings.TrimSuffix(name, "u")[1:]
			if kind == "gt" || kind == "le" {
				a, b = b, a
			}
			less := func() program.Expr {
				if unsigned {
					return below(a, b, 64)
				}
				return binary(program.Lt, a, b)
			}
			switch kind {
			case "eq":
				return binary(program.Eq, a, b)
			case "ne":
				return binary(program.Ne, a, b)
			case "lt", "gt":
				return less()
			}
			return program.NotExpr(less())
		}
		return true
	}
	return v.alu(r, o, name, put)
}

// set reads one side of a fence: any of i, o, r, w. Devices are not modelled.
func (riscv) set(r *risc) string {
	t := r.ident("a set of accesses: r, w or rw", "a fence is such as: fence rw,w")
	s := ""
	for _, c := range "rw" {
		if strings.ContainsRune(t.Text, c) {
			s += string(c)
		}
	}
	if strings.Trim(t.Text, "iorw") != "" {
		r.fail(t.Pos, "a fence is such as: fence rw,w", "%s is no set of accesses", t.Text)
	}
	return s
}

// alu reads an instruction of two operands.
func (v riscv) alu(r *risc, o *op, name string, put func(register, func(*emitter) program.Expr)) bool {
	stem, bits := name, uint8(64)
	op, ok := riscvALU[stem]
	if !ok {
		if s, w := strings.CutSuffix(stem, "w"); w {
			stem, bits = s, 32
			op, ok = riscvALU[stem]
		}
	}
	immediate := false
	if !ok {
		s, i := strings.CutSuffix(stem, "i")
		if name == "sltiu" {
			s, i = "sltu", true
		}
		if i {
			stem, immediate = s, true
			op, ok = riscvALU[stem]
		}
	}
	if !ok || immediate && (stem == "sub" || stem == "mul") {
		return false
	}
	d, x := r.first(), r.first()
	o.reads = []register{x}
	y := r.source(o, immediate || r.tok.Kind == tokenNumber || r.tok.Is("-"))
	put(d, func(e *emitter) program.Expr {
		a, b := e.get(x), y(e)
		if op == program.Shl || op == program.Shr {
			b = binary(program.BitAnd, b, program.Const(int64(bits)-1))
		}
		switch {
		case stem == "sltu":
			return below(a, b, 64)
		case stem == "srl":
			a = logicalShift(truncate(a, bits), b, bits)
		case stem == "sra":
			a = binary(op, signed(a, bits), b)
		default:
			a = binary(op, a, b)
		}
		if bits == 32 {
			a = signed(a, 32)
		}
		return a
	})
	return true
}
