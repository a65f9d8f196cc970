package litmus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// ppc is the instructions of 64-bit Power, as herd7 has them.
type ppc struct{}

func (ppc) count() int { return 32 }
func (ppc) zero() base { return -1 }

func (ppc) find(name string) (register, bool) {
	return numbered("r", strings.ToLower(name))
}

func (ppc) spell(r register) string { return "r" + strconv.Itoa(int(r.base)) }

func (ppc) names() []string { return numberedNames("r") }

// ppcAccesses is the loads and stores, without x for an index and u for an update.
var ppcAccesses = map[string]struct {
	bits  uint8
	sign  bool
	store bool
}{
	"lbz": {8, false, false}, "lhz": {16, false, false}, "lha": {16, true, false}, "lwz": {32, false, false}, "lwa": {32, true, false}, "ld": {64, false, false},
	"stb": {8, false, true}, "sth": {16, false, true}, "stw": {32, false, true}, "std": {64, false, true},
}

var ppcALU = map[string]program.BinaryOp{
	"add": program.Add, "sub": program.Sub, "subf": program.Sub, "and": program.BitAnd, "or": program.BitOr, "xor": program.BitXor, "andc": program.BitAnd, "orc": program.BitOr,
	"nand": program.BitAnd, "nor": program.BitOr, "eqv": program.BitXor, "slw": program.Shl, "srw": program.Shr, "mullw": program.Mul, "mulld": program.Mul,
}

var ppcImmediate = map[string]program.BinaryOp{
	"addi": program.Add, "addic": program.Add, "addic.": program.Add, "srawi": program.Shr, "addis": program.Add, "subi": program.Sub, "ori": program.BitOr, "oris": program.BitOr, "xori": program.BitXor, "xoris": program.BitXor,
	"andi.": program.BitAnd, "andis.": program.BitAnd, "mulli": program.Mul, "slwi": program.Shl, "srwi": program.Shr, "sldi": program.Shl, "srdi": program.Shr,
}

var ppcFences = []string{"sync", "hwsync", "lwsync", "eieio", "isync"}

var ppcRefused = map[string]string{
	"bl": "calls are not modelled", "bctr": "indirect jumps are not supported", "sc": "exceptions are not modelled",
	"dcbf": "caches are not modelled", "dcbst": "caches are not modelled", "icbi": "caches are not modelled", "lmw": "accesses of many words are not modelled", "stmw": "accesses of many words are not modelled",
	"divw": "division is not supported", "divd": "division is not supported",
}

func ppcNames() []string {
	names := []string{"li", "lis", "la", "mr", "neg", "not", "extsw", "cmpw", "cmpwi", "cmplw", "cmplwi", "cmpd", "cmpdi", "cmpld", "cmpldi", "b", "beq", "bne", "blt", "bge", "bgt", "ble", "blr",
		"lwarx", "stwcx.", "ldarx", "stdcx.", "nop", "sync", "lwsync", "eieio", "isync"}
	for n := range ppcAccesses {
		names = append(names, n, n+"x", n+"u")
	}
	for n := range ppcRotates {
		names = append(names, n)
	}
	for n := range ppcALU {
		names = append(names, n)
	}
	for n := range ppcImmediate {
		names = append(names, n)
	}
	return names
}

// ppcCR is a bit of a field of the condition register.
func ppcCR(field int, bit string) flagName {
	return flagName("cr" + strconv.Itoa(field) + "." + bit)
}

func (v ppc) instruction(r *risc, t token) *op {
	o := &op{}
	name := strings.ToLower(t.Text)
	if !v.access(r, o, name) && !v.exclusive(r, o, name) && !v.branch(r, o, name) && !v.compare(r, o, name) && !v.other(r, o, name) {
		r.unknown(t, ppcNames(), ppcRefused)
	}
	return o
}

// indexed reads r1,r2, whose sum is the address.
func (ppc) indexed(r *risc, o *op, bits uint8) *mem {
	start := r.tok
	m := &mem{at: start.Pos, bits: bits}
	if r.tok.Kind == tokenNumber && r.tok.Text == "0" { // as r0 is
		r.advance()
	} else {
		m.base = zeroed(r.reg())
	}
	r.comma()
	x := r.reg()
	m.index = &x
	m.text = r.textFrom(start)
	o.mems = append(o.mems, m)
	return m
}

func (v ppc) access(r *risc, o *op, name string) bool {
	stem, indexed, update := name, false, false
	acc, ok := ppcAccesses[stem]
	if !ok {
		if s, x := strings.CutSuffix(stem, "x"); x {
			stem, indexed = s, true
		}
		if s, u := strings.CutSuffix(stem, "u"); u {
			stem, update = s, true
		}
		acc, ok = ppcAccesses[stem]
	}
	if !ok {
		return false
	}
	x := r.first()
	var m *mem
	if indexed {
		m = v.indexed(r, o, acc.bits)
	} else {
		m = r.displaced(o, acc.bits, "0(r2)")
	}
	if update && m.base == nil {
		r.fail(m.at, "", "%s has no base to update", name)
	}
	if acc.store {
		o.reads = []register{x}
	} else {
		o.writes = []register{x}
	}
	if update {
		o.writes = append(o.writes, *m.base)
	}
	o.emit = func(e *emitter) {
		addr := e.address(m)
		if acc.store {
			e.storeAt(e.get(x), m, addr, false)
		} else {
			e.loadAt(x, m, addr, acc.sign, false)
		}
		if update {
			e.set(*m.base, addr)
		}
	}
	return true
}

func (v ppc) exclusive(r *risc, o *op, name string) bool {
	bits := map[string]uint8{"lbarx": 8, "lharx": 16, "lwarx": 32, "ldarx": 64, "stbcx.": 8, "sthcx.": 16, "stwcx.": 32, "stdcx.": 64}[name]
	if bits == 0 {
		return false
	}
	x := r.first()
	m := v.indexed(r, o, bits)
	if name[0] == 'l' {
		o.writes, o.exclusive = []register{x}, reserves
		o.emit = func(e *emitter) { e.reserve(m); e.load(x, m, false, "X") }
		return true
	}
	o.reads, o.exclusive = []register{x}, conditional
	// Whether it succeeds depends on what is stored, and where.
	set := func(e *emitter, eq int64) {
		e.flag(ppcCR(0, "lt"), func() program.Expr { return program.Const(0) })
		e.flag(ppcCR(0, "gt"), func() program.Expr { return program.Const(0) })
		e.flag(ppcCR(0, "eq"), func() program.Expr {
			var v program.Expr = program.Const(eq)
			for _, input := range []program.Expr{e.get(x), e.address(m)} {
				if _, ok := input.(program.Const); !ok {
					v = binary(program.BitOr, v, binary(program.BitAnd, input, program.Const(0)))
				}
			}
			return v
		})
	}
	o.emit = func(e *emitter) {
		e.conditionally(m, func() { e.store(e.get(x), m, "X"); set(e, 1) }, func() { set(e, 0) })
	}
	return true
}

// field reads a field of the condition register, if there is one, with its comma.
func (ppc) field(r *risc) int {
	if r.tok.Kind == tokenNumber { // 0 is cr0
		k := r.number("")
		if k < 0 || k > 7 {
			r.fail(r.tok.Pos, "", "the fields of the condition register are cr0 to cr7")
		}
		r.comma()
		return int(k)
	}
	if n, ok := strings.CutPrefix(strings.ToLower(r.tok.Text), "cr"); ok && r.tok.Kind == tokenName {
		k, err := strconv.Atoi(n)
		if err != nil || k < 0 || k > 7 {
			r.fail(r.tok.Pos, "", "the fields of the condition register are cr0 to cr7")
		}
		r.advance()
		r.comma()
		return k
	}
	return 0
}

func (v ppc) branch(r *risc, o *op, name string) bool {
	name = strings.TrimRight(name, "+-")
	if name == "b" {
		r.jumpLabel(o)
		return true
	}
	bit, not := "", false
	switch name {
	case "beq", "bne":
		bit, not = "eq", name == "bne"
	case "blt", "bge", "bnl":
		bit, not = "lt", name != "blt"
	case "bgt", "ble", "bng":
		bit, not = "gt", name != "bgt"
	default:
		return false
	}
	_ = r.accept("+") || r.accept("-") // a hint to the processor
	f := ppcCR(v.field(r), bit)
	o.flags = []flagName{f}
	r.jumpLabel(o)
	o.when = func(e *emitter) program.Expr {
		if not {
			return program.NotExpr(program.Reg(e.flags[f]))
		}
		return program.Reg(e.flags[f])
	}
	return true
}

func (v ppc) compare(r *risc, o *op, name string) bool {
	if !slices.Contains([]string{"cmpw", "cmpwi", "cmplw", "cmplwi", "cmpd", "cmpdi", "cmpld", "cmpldi"}, name) {
		return false
	}
	field := v.field(r)
	x := r.reg()
	o.reads = []register{x}
	r.comma()
	y := r.source(o, strings.HasSuffix(name, "i"))
	bits := uint8(64)
	if strings.Contains(name, "w") {
		bits = 32
	}
	o.emit = func(e *emitter) { v.setFlags(e, field, e.get(x), y(e), bits, strings.HasPrefix(name, "cmpl")) }
	return true
}

// setFlags compares two values into a field of the condition register.
func (ppc) setFlags(e *emitter, field int, a, b program.Expr, bits uint8, unsigned bool) {
	less := func(a, b program.Expr) program.Expr {
		if unsigned {
			return below(truncate(a, bits), truncate(b, bits), bits)
		}
		return binary(program.Lt, signed(a, bits), signed(b, bits))
	}
	e.flag(ppcCR(field, "lt"), func() program.Expr { return less(a, b) })
	e.flag(ppcCR(field, "gt"), func() program.Expr { return less(b, a) })
	e.flag(ppcCR(field, "eq"), func() program.Expr {
		return binary(program.Eq, e.low(a, bits), e.low(b, bits))
	})
}

func (v ppc) other(r *risc, o *op, name string) bool {
	if slices.Contains(ppcFences, name) || name == "msync" || name == "ptesync" {
		tag := name
		switch name {
		case "hwsync", "msync", "ptesync":
			tag = "sync"
		case "sync":
			if r.tok.Kind == tokenNumber {
				if r.number("") == 1 {
					tag = "lwsync"
				}
			}
		}
		o.emit = func(e *emitter) { e.fence(tag) }
		return true
	}
	dot := strings.HasSuffix(name, ".")
	put := func(d register, f func(e *emitter) program.Expr) {
		o.writes = append(o.writes, d)
		o.emit = func(e *emitter) {
			e.set(d, f(e))
			if dot {
				v.setFlags(e, 0, e.get(d), program.Const(0), 64, false)
			}
		}
	}
	switch name {
	case "nop":
		return true
	case "dcbt", "dcbtst": // a hint
		v.indexed(r, &op{}, 8)
		return true
	case "blr":
		o.jump, o.end = true, true
		return true
	case "li", "lis":
		d := r.first()
		n := r.number("")
		if name == "lis" {
			n <<= 16
		}
		put(d, func(*emitter) program.Expr { return program.Const(n) })
		return true
	case "mr", "mr.", "neg", "not", "extsw", "extsh", "extsb":
		d, x := r.first(), r.reg()
		o.reads = []register{x}
		put(d, func(e *emitter) program.Expr {
			switch y := e.get(x); name {
			case "neg":
				return program.Fold(program.Unary{Op: program.Neg, X: y})
			case "not":
				return program.Fold(program.Unary{Op: program.Complement, X: y})
			case "extsw":
				return signed(y, 32)
			case "extsh":
				return signed(y, 16)
			case "extsb":
				return signed(y, 8)
			default:
				return y
			}
		})
		return true
	}
	if strings.HasPrefix(name, "rl") || strings.HasPrefix(name, "clrl") {
		return v.rotate(r, o, strings.TrimSuffix(name, "."), put)
	}
	if op, ok := ppcImmediate[name]; ok {
		d, x := r.first(), r.first()
		o.reads = []register{x}
		n := r.number("")
		if strings.Contains(name, "is") {
			n <<= 16
		}
		zero := (name == "addi" || name == "addis") && x.base == 0
		put(d, func(e *emitter) program.Expr {
			a := e.get(x)
			switch {
			case zero:
				a = program.Const(0)
			case name == "srwi":
				return shiftRight(truncate(a, 32), n&31, 32)
			case name == "srawi":
				a, n = signed(a, 32), n&31
			case name == "srdi":
				return shiftRight(a, n&63, 64)
			case name == "slwi":
				return truncate(binary(op, a, program.Const(n&31)), 32)
			}
			return binary(op, a, program.Const(n))
		})
		return true
	}
	stem := strings.TrimSuffix(name, ".")
	op, ok := ppcALU[stem]
	if !ok {
		return false
	}
	d, x, y := r.first(), r.first(), r.reg()
	o.reads = []register{x, y}
	put(d, func(e *emitter) program.Expr {
		a, b := e.get(x), e.get(y)
		not := func(x program.Expr) program.Expr {
			return program.Fold(program.Unary{Op: program.Complement, X: x})
		}
		switch stem {
		case "slw", "srw": // by up to 63: beyond 31 nothing is left
			a, b = truncate(a, 32), binary(program.BitAnd, b, program.Const(63))
			return truncate(binary(op, a, b), 32)
		case "subf":
			return binary(op, b, a)
		case "andc", "orc":
			return binary(op, a, not(b))
		case "nand", "nor", "eqv":
			return not(binary(op, a, b))
		}
		return binary(op, a, b)
	})
	return true
}

// ppcRotates are the instructions that rotate and mask, with the numbers that follow the registers.
var ppcRotates = map[string]int{"rlwinm": 3, "rlwimi": 3, "rldicl": 2, "rldicr": 2, "clrlwi": 1, "clrldi": 1}

// rotate reads one of them. Words are rotated in both halves of a register, as the Power ISA has it.
func (v ppc) rotate(r *risc, o *op, name string, put func(register, func(*emitter) program.Expr)) bool {
	numbers, ok := ppcRotates[name]
	if !ok {
		return false
	}
	d, x := r.first(), r.reg()
	o.reads = []register{x}
	word := strings.Contains(name, "w")
	limit := int64(63)
	if word {
		limit = 31
	}
	var ns [3]int64
	for i := range numbers {
		r.comma()
		at := r.tok.Pos
		if ns[i] = r.number(""); ns[i] < 0 || ns[i] > limit {
			r.fail(at, "", "%s counts bits from 0 to %d", name, limit)
		}
	}
	by, from, to := ns[0], ns[1], limit // as Power counts: bit 0 is the highest
	switch name {
	case "clrlwi", "clrldi":
		by, from = 0, ns[0]
	case "rldicr":
		from, to = 0, ns[1]
	case "rlwinm", "rlwimi":
		to = ns[2]
	}
	if word {
		from, to = from+32, to+32
	}
	mask := int64(^uint64(0)>>from) & (int64(-1) << (63 - to))
	if from > to {
		mask = int64(^uint64(0)>>from) | (int64(-1) << (63 - to))
	}
	if name == "rlwimi" {
		o.reads = append(o.reads, d)
	}
	put(d, func(e *emitter) program.Expr {
		a := e.get(x)
		if word {
			a = truncate(a, 32)
			a = binary(program.BitOr, a, binary(program.Shl, a, program.Const(32)))
		}
		if by != 0 { // a word twice, rotated as 64 bits, is the rotated word twice
			a = binary(program.BitOr, binary(program.Shl, a, program.Const(by)), shiftRight(a, 64-by, 64))
		}
		a = binary(program.BitAnd, a, program.Const(mask))
		if name == "rlwimi" {
			a = binary(program.BitOr, a, binary(program.BitAnd, e.get(d), program.Const(^mask)))
		}
		return a
	})
	return true
}
