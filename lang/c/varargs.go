package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The variable arguments of a call lie in an array of words, which va_start makes, and a va_list
// is a pointer into it. So one can be handed on to a function, and copied by assignment.

// varargBuiltins are the operations of stdarg.h, as the header calls them.
func varargBuiltins() map[string]builtin {
	start := builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p := l.argumentList(n, args[0])
		var more []copied // a number of two words is two of them, and a structure as many as it has scalars
		for _, v := range l.frame.more {
			switch {
			case v.t.TwoWords:
				more = append(more, copied{value: value{t: types.UnsignedLong, e: v.agg[0]}}, copied{value: value{t: types.UnsignedLong, e: v.agg[1]}})
			case v.t.Aggregate():
				for i, s := range l.u.flatten(v.t, "", 0, nil) {
					one := copied{value: value{t: s.Type.Plain(), e: v.agg[i]}}
					if v.sets != nil {
						one.set = v.sets[i]
					}
					more = append(more, one)
				}
			default:
				more = append(more, copied{value: v})
			}
		}
		if len(more) == 0 {
			l.storeAs(p, number(types.VoidPointer, 0), plain)
			return nothing
		}
		if l.dryness > 0 {
			l.emitted = true
			return nothing
		}
		o := l.mortal("arguments", types.ArrayOf(types.UnsignedLong, int64(len(more))), l.scope)
		for i, v := range more {
			to := place{t: types.UnsignedLong, addr: program.Const(o.Base + int64(8*i))}
			if v.t.Integer() || v.t.Kind == types.PointerKind {
				v.value = l.convert(v.value, types.UnsignedLong)
				l.storeCopy(to, v)
			}
		}
		l.storeAs(p, number(types.VoidPointer, o.Base), plain)
		return nothing
	}}
	arg := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return l.nextArgument(l.argumentList(n, args[0]))
	}}
	copyList := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		v := l.load(l.argumentList(n, args[1]))
		l.store(l.argumentList(n, args[0]), v)
		return nothing
	}}
	return map[string]builtin{"__fp_va_start": start, "__fp_va_arg": arg, "__fp_va_copy": copyList}
}

// argumentList is the place of a va_list.
func (l *lowerer) argumentList(n cc.Node, arg cc.ExpressionNode) place {
	p := l.lvalue(arg)
	l.at(n)
	if p.t.Kind != types.PointerKind {
		l.u.fail(n, "", "%s is no va_list", p.t.Name)
	}
	return p
}

// begunList asserts that a va_list whose arguments are only printed is one that va_start or va_copy has made: what nothing has been written to is
// null or leads nowhere, and null is a list without arguments.
func (l *lowerer) begunList(n cc.Node, arg cc.ExpressionNode) {
	list := l.load(l.argumentList(n, arg))
	l.at(n)
	l.assert(ne(list.e, program.Const(1)), "%s", notInitialised)
}

// nextArgument takes the next argument from the list at p, as a word.
func (l *lowerer) nextArgument(p place) value { return l.loadAs(l.nextWord(p), plain) }

// nextWord is where that is.
func (l *lowerer) nextWord(p place) place {
	r := l.temp(types.VoidPointer)
	l.assign(r, l.load(p).e)
	l.store(p, value{t: p.t.Plain(), e: plus(program.Reg(r), 8)})
	return place{t: types.UnsignedLong, addr: program.Reg(r)}
}

// nextLarge is x, where that takes the next argument from a list, as a number of two words or a structure.
func (l *lowerer) nextLarge(x cc.ExpressionNode, t *types.Type) (v value, ok bool) {
	call, ok := unwrap(x).(*cc.PostfixExpression)
	if !ok || !t.TwoWords && !t.Aggregate() || call.Case != cc.PostfixExpressionCall || called(call) != "__fp_va_arg" {
		return value{}, false
	}
	args := arguments(call)
	if len(args) != 1 {
		return value{}, false // which is said of any call
	}
	p := l.argumentList(call, args[0])
	if !t.TwoWords {
		v.t = t.Plain()
		for _, s := range l.u.flatten(v.t, "", 0, nil) {
			c := l.loadCopy(l.nextWord(p))
			if c.set != nil {
				v.sets = append(v.sets, c.set)
			}
			if s.Type.Kind == types.FloatKind {
				c.value = someReal(s.Type)
			}
			v.agg = append(v.agg, l.convert(c.value, s.Type.Plain()).e)
		}
		return v, true
	}
	low := l.nextArgument(p).e
	return ofWords(t.Plain(), low, l.nextArgument(p).e), true
}
