package imp

import (
	"fmt"
	"math"

	"github.com/fencepost-verifier/fencepost/program"
)

// An evaluator turns the expressions of one thread into expressions over its
// registers and the code that must run before.
type evaluator struct {
	*declarer
	thread *program.Thread
	scope  scope
	code   []step
	temps  map[program.Type][]int // the temporary registers that there are
	used   map[program.Type]int   // how many of them this statement uses
}

// begin begins the code of a statement, where every temporary is free again.
func (v *evaluator) begin() {
	v.code = nil
	v.used = map[program.Type]int{}
}

func (v *evaluator) emit(ways ...program.Command) { v.code = append(v.code, ways) }

func (v *evaluator) temp(t program.Type) int {
	n := v.used[t]
	v.used[t]++
	if n == len(v.temps[t]) {
		name := 1
		for _, rs := range v.temps {
			name += len(rs)
		}
		v.temps[t] = append(v.temps[t], len(v.thread.Regs))
		v.thread.Regs = append(v.thread.Regs, program.Register{Name: fmt.Sprintf("$%d", name), Type: t, Temp: true})
	}
	return v.temps[t][n]
}

// condition is the value of e where only its truth counts.
func (v *evaluator) condition(e expr) program.Expr { return v.value(e, nil) }

// value is the value of e. Needed is the condition under which and and or need
// it, nil for always: a fault counts only then.
func (v *evaluator) value(e expr, needed program.Expr) program.Expr {
	switch e := e.(type) {
	case *number:
		return program.Const(e.value)
	case *ref:
		sym := v.scope.lookup(e.name)
		switch {
		case sym.kind == constantSymbol:
			return program.Const(sym.value)
		case sym.kind == localSymbol:
			return v.local(e, sym, needed)
		}
		addr := v.address(e, sym, needed)
		r := v.temp(sym.typ)
		v.emit(program.Command{Op: program.Load, Reg: r, Addr: addr, Pos: e.at})
		return program.Reg(r)
	case *unary:
		return foldUnary(e.op, v.value(e.x, needed))
	case *binary:
		return v.binary(e, needed)
	case *choice:
		lo, hi := v.bounds(e)
		t := program.Int64Type
		for _, smaller := range []program.Type{program.Int32Type, program.BoolType} {
			if lo >= smaller.Min() && hi <= smaller.Max() {
				t = smaller
			}
		}
		r := v.temp(t)
		v.emit(program.Command{Op: program.Havoc, Reg: r, Lo: lo, Hi: hi, Pos: e.at})
		return program.Reg(r)
	case *rmw:
		return program.Reg(v.readModifyWrite(e, -1, needed))
	case *result:
		return program.Reg(e.reg)
	}
	panic(fmt.Sprintf("imp: unknown expression %T", e))
}

func (v *evaluator) binary(e *binary, needed program.Expr) program.Expr {
	x := v.value(e.x, needed)
	switch e.op {
	case program.LogicalAnd:
		if isFalse(x) {
			return x
		}
		return logical(e.op, x, v.value(e.y, both(needed, x)), v.isBool)
	case program.LogicalOr:
		if isTrue(x) {
			return program.Const(1)
		}
		return logical(e.op, x, v.value(e.y, both(needed, program.NotExpr(x))), v.isBool)
	}
	y := v.value(e.y, needed)
	if e.op == program.Div || e.op == program.Rem {
		if isFalse(y) {
			v.fail(e.opAt, "", "division by zero")
		}
		if _, constant := y.(program.Const); !constant {
			v.fault(program.Binary{Op: program.Ne, X: y, Y: program.Const(0)}, needed, "division by zero", e.opAt)
		}
	}
	return fold(operation(e, v.scope, x, y))
}

// both is the conjunction of conditions of which nil and constants are none.
func both(x, y program.Expr) program.Expr {
	if x == nil || isTrue(x) {
		x = y
	} else if !isTrue(y) {
		x = program.Binary{Op: program.LogicalAnd, X: x, Y: y}
	}
	if isTrue(x) {
		return nil
	}
	return x
}

// isBool is true of an expression that is always 0 or 1.
func (v *evaluator) isBool(e program.Expr) bool {
	switch e := e.(type) {
	case program.Const:
		return e == 0 || e == 1
	case program.Reg:
		return v.thread.Regs[e].Type == program.BoolType
	case program.Unary:
		return e.Op == program.LogicalNot
	case program.Binary:
		switch e.Op {
		case program.BitAnd, program.BitOr, program.BitXor:
			return v.isBool(e.X) && v.isBool(e.Y)
		}
		return e.Op.Bool()
	}
	return false
}

// fault emits the assertion of what the language demands.
func (v *evaluator) fault(holds, needed program.Expr, text string, at program.Position) {
	if needed == holds {
		return
	}
	if needed != nil {
		holds = program.Binary{Op: program.LogicalOr, X: program.NotExpr(needed), Y: holds}
	}
	v.emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: holds, Text: text, Pos: at})
}

// bounds are the constants of any(lo..hi).
func (v *evaluator) bounds(e *choice) (lo, hi int64) {
	lo, hi = v.constant(e.lo, v.scope), v.constant(e.hi, v.scope)
	for _, bound := range []expr{e.lo, e.hi} {
		if v.scope.unsigned(bound) && v.constant(bound, v.scope) < 0 {
			v.fail(bound.pos(), "", "the bounds of any are at most %d", int64(math.MaxInt64))
		}
	}
	if lo > hi {
		v.fail(e.at, "", "the range %d..%d is empty", lo, hi)
	}
	return lo, hi
}

func (v *evaluator) fittingBounds(e *choice, t program.Type) (lo, hi int64) {
	lo, hi = v.bounds(e)
	v.fit(lo, false, t, e.lo.pos())
	v.fit(hi, false, t, e.hi.pos())
	return lo, hi
}

// address is the address of a shared variable or element.
func (v *evaluator) address(e *ref, sym *symbol, needed program.Expr) program.Expr {
	return program.Fold(program.Binary{Op: program.Add, X: program.Const(sym.base), Y: v.offset(e, sym, needed)})
}

// assign is the code of target := e.
func (v *evaluator) assign(to *ref, e expr, at program.Position) {
	sym := v.scope.lookup(to.name)
	if sym.kind == sharedSymbol {
		addr := v.address(to, sym, nil)
		value := v.converted(e, sym.typ)
		v.emit(program.Command{Op: program.Store, Addr: addr, Value: value, Pos: at})
		return
	}
	offset := v.offset(to, sym, nil)
	k, constant := offset.(program.Const)
	if !constant {
		v.assignElement(sym, offset, e, at)
		return
	}
	r := int(sym.base + int64(k))
	switch e := e.(type) {
	case *choice:
		lo, hi := v.fittingBounds(e, sym.typ)
		v.emit(program.Command{Op: program.Havoc, Reg: r, Lo: lo, Hi: hi, Pos: e.at})
		return
	case *ref:
		from := v.scope.lookup(e.name)
		if from.kind == sharedSymbol && !narrows(from.typ, sym.typ) {
			v.emit(program.Command{Op: program.Load, Reg: r, Addr: v.address(e, from, nil), Pos: e.at})
			return
		}
	case *rmw:
		// fetch_add adds to what it has read, so that must not be wrapped
		// around to the type of r.
		from := v.scope.lookup(e.target.name).typ
		if e.op == "cas" || sym.typ.Min() <= from.Min() && from.Max() <= sym.typ.Max() {
			if got := v.readModifyWrite(e, r, nil); got != r {
				v.emit(program.Command{Op: program.Assign, Reg: r, Value: program.Reg(got), Pos: at})
			}
			return
		}
	}
	v.emit(program.Command{Op: program.Assign, Reg: r, Value: v.converted(e, sym.typ), Pos: at})
}

// narrows is true where a number becomes a bool, for which wrapping around is
// not enough: every other number than 0 is true.
func narrows(from, to program.Type) bool {
	return to == program.BoolType && from != program.BoolType
}

// converted is the value of e as a variable of type t takes it.
func (v *evaluator) converted(e expr, t program.Type) program.Expr {
	if e, ok := e.(*choice); ok {
		v.fittingBounds(e, t)
	}
	x := v.value(e, nil)
	if c, ok := x.(program.Const); ok {
		v.fit(int64(c), v.scope.unsigned(e), t, e.pos())
	} else if t == program.BoolType {
		x = truth(x, v.isBool)
	}
	return x
}

// fetchOps are the read-modify-writes that compute.
var fetchOps = map[string]program.BinaryOp{
	"fetch_add": program.Add, "fetch_sub": program.Sub,
	"fetch_or": program.BitOr, "fetch_and": program.BitAnd, "fetch_xor": program.BitXor,
}

func isFetch(t token) bool {
	_, ok := fetchOps[t.Text]
	return ok && t.Kind == tokenKeyword
}

// readModifyWrite is the code of cas, xchg and fetch_add and its kin; the result is in a
// register, which is to unless that one is -1 or among the operands.
func (v *evaluator) readModifyWrite(e *rmw, to int, needed program.Expr) int {
	sym := v.scope.lookup(e.target.name)
	addr := v.address(e.target, sym, needed)
	args := make([]program.Expr, len(e.args))
	for i, a := range e.args {
		if _, fetch := fetchOps[e.op]; fetch && sym.typ != program.BoolType {
			args[i] = v.value(a, needed)
		} else if i == len(e.args)-1 {
			args[i] = v.converted(a, sym.typ)
		} else {
			args[i] = v.value(a, needed)
			if c, ok := args[i].(program.Const); ok {
				v.fit(int64(c), v.scope.unsigned(a), sym.typ, a.pos())
			}
		}
	}
	for _, x := range append(args, addr) {
		program.Walk(x, func(x program.Expr) {
			if x == program.Reg(to) {
				to = -1
			}
		})
	}
	resultType := sym.typ
	if e.op == "cas" {
		resultType = program.BoolType
	}
	if to < 0 {
		to = v.temp(resultType)
	}
	switch e.op {
	case "cas":
		ok, failed := program.CompareAndSwap(to, v.temp(sym.typ), addr, args[0], args[1], e.at)
		v.emit(ok, failed)
	case "xchg":
		v.emit(program.Exchange(to, addr, args[0], e.at))
	default:
		v.emit(program.FetchOp(e.op, fetchOps[e.op], to, addr, args[0], e.at))
	}
	return to
}
