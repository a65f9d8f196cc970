package imp

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// The elements of an array lie one after the other, those of a[1][..] behind those of
// a[0][..]. Shared ones are cells, which a computed address can name; local ones are
// registers, which nothing can, so that a computed index of those becomes a selection
// among all elements.

// offset is the place of an element in its array, or 0 for what is not one. Where needed
// is not nil and does not hold, it is some place in the array.
func (v *evaluator) offset(e *ref, sym *symbol, needed program.Expr) program.Expr {
	var sum program.Expr = program.Const(0)
	for k, index := range e.index {
		size := sym.dims[k]
		i := v.index(index, size, fmt.Sprintf("%s%s", sym.name, dimensions(sym.dims)), needed)
		sum = program.Fold(program.Binary{Op: program.Add,
			X: program.Fold(program.Binary{Op: program.Mul, X: sum, Y: program.Const(size)}), Y: i})
	}
	return sum
}

// dimensions is how the sizes of an array are written: [2][3].
func dimensions(dims []int64) string {
	s := ""
	for _, n := range dims {
		s += fmt.Sprintf("[%d]", n)
	}
	return s
}

// index is the value of one index, for a dimension of that size of the array.
func (v *evaluator) index(e expr, size int64, array string, needed program.Expr) program.Expr {
	at := e.pos()
	i := v.value(e, needed)
	if c, ok := i.(program.Const); ok {
		if c < 0 || int64(c) >= size {
			v.fail(at, "", "index %s is outside %s", v.scope.format(e, int64(c)), array)
		}
		return c
	}
	r, plain := i.(program.Reg)
	if !plain {
		r = program.Reg(v.temp(program.Int64Type))
		v.emit(program.Command{Op: program.Assign, Reg: int(r), Value: i, Pos: at})
	}
	if t := v.thread.Regs[r].Type; t.Min() >= 0 && t.Max() < size {
		return r
	}
	n := program.Const(size)
	v.fault(program.Binary{Op: program.LogicalAnd,
		X: program.Binary{Op: program.Le, X: program.Const(0), Y: r},
		Y: program.Binary{Op: program.Lt, X: r, Y: n},
	}, needed, "index outside "+array, at)
	if needed == nil {
		return r
	}
	// The load is done even where its value is not needed, so it must
	// stay within the array: the index modulo the size.
	rem := program.Binary{Op: program.Rem, X: r, Y: n}
	return program.Binary{Op: program.Rem, X: program.Binary{Op: program.Add, X: rem, Y: n}, Y: n}
}

// local is the value of a local variable or element.
func (v *evaluator) local(e *ref, sym *symbol, needed program.Expr) program.Expr {
	offset := v.offset(e, sym, needed)
	if c, ok := offset.(program.Const); ok {
		return program.Reg(sym.base + int64(c))
	}
	if _, plain := offset.(program.Reg); !plain {
		offset = v.saved(offset, e.at)
	}
	return v.selected(sym, offset)
}

// selected is the element at a computed offset: the disjunction, bit by bit, of the
// elements, of which all but that one are masked out.
func (v *evaluator) selected(sym *symbol, offset program.Expr) program.Expr {
	var value program.Expr
	for k := range sym.size {
		x := masked(offset, k, program.Reg(sym.base+k))
		if value == nil {
			value = x
		} else {
			value = program.Binary{Op: program.BitOr, X: value, Y: x}
		}
	}
	return value
}

// masked is x where the offset is k, and else 0.
func masked(offset program.Expr, k int64, x program.Expr) program.Expr {
	mask := program.Unary{Op: program.Neg, X: program.Binary{Op: program.Eq, X: offset, Y: program.Const(k)}}
	return program.Binary{Op: program.BitAnd, X: mask, Y: x}
}

// assignElement is the code of a[i] := e for a local array and an index that is not
// constant: every element is assigned what it is, or the value.
func (v *evaluator) assignElement(sym *symbol, offset program.Expr, e expr, at program.Position) {
	offset = v.saved(offset, at)
	value := v.saved(v.converted(e, sym.typ), at)
	for k := range sym.size {
		r := program.Reg(sym.base + k)
		other := program.Unary{Op: program.Neg, X: program.Binary{Op: program.Ne, X: offset, Y: program.Const(k)}}
		v.emit(program.Command{Op: program.Assign, Reg: int(r), Pos: at, Value: program.Binary{Op: program.BitOr,
			X: masked(offset, k, value),
			Y: program.Binary{Op: program.BitAnd, X: other, Y: r}}})
	}
}

// saved is a value that assignments to elements do not change.
func (v *evaluator) saved(x program.Expr, at program.Position) program.Expr {
	if _, ok := x.(program.Const); ok {
		return x
	}
	r := v.temp(program.Int64Type)
	v.emit(program.Command{Op: program.Assign, Reg: r, Value: x, Pos: at})
	return program.Reg(r)
}
