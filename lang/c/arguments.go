package c

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The arguments of main are those that the options say, and else there are none: argc is 1. A proof tells of nothing else, and says so.

// arguments is argv.
func (u *unit) arguments() *lowered.Object {
	_, made := u.operations.Helpers["argv"]
	argv := u.operations.Helper("argv", types.ArrayOf(types.PointerTo(types.Char), int64(len(u.opts.Args)+2)))
	if made {
		return argv
	}
	_, file := path.Split(u.src.Name)
	for i, text := range append([]string{strings.TrimSuffix(file, path.Ext(file))}, u.opts.Args...) {
		o := u.operations.Helper(fmt.Sprintf("argv[%d]", i), types.ArrayOf(types.Char, int64(len(text)+1)))
		for k := range len(text) {
			o.Init[int64(k)] = int64(int8(text[k]))
		}
		argv.Init[int64(i)*types.VoidPointer.Size] = o.Base
	}
	return argv
}

// given is what a proof has to say of arguments: where main looks at them, and there are none.
func (u *unit) given() []string {
	if u.looksAtArguments == nil {
		main := u.defined["main"]
		used := namesIn(main.CompoundStatement)
		looks := slices.ContainsFunc(u.parameters(main), func(p parameter) bool { return p.d != nil && used[p.d.Name()] })
		u.looksAtArguments = &looks
	}
	if len(u.opts.Args) > 0 || !*u.looksAtArguments {
		return nil
	}
	return []string{"main is called without arguments, so that argc is 1; --arg gives it some"}
}

// ownArguments is true of the arguments of main itself, which it does not assign to.
func (l *lowerer) ownArguments(args []cc.ExpressionNode) bool {
	ps := l.u.parameters(l.u.defined["main"])
	if len(ps) != 2 || len(args) < 2 {
		return false
	}
	for i, p := range ps {
		if p.d == nil || identifier(args[i]) == nil || identifier(args[i]) != p.d || l.u.isAssigned(p.d.Name()) {
			return false
		}
	}
	return true
}

// namesIn are the names in an expression.
func namesIn(n cc.Node) map[string]bool {
	names := map[string]bool{}
	walk(n, func(n cc.Node) bool {
		if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
			names[p.Token.SrcStr()] = true
		}
		return true
	})
	return names
}

// isAssigned is whether something of this name is assigned to anywhere in the text, or its address taken, but for its declaration.
func (u *unit) isAssigned(name string) bool {
	if u.assignedNames == nil {
		u.assignedNames = map[string]bool{}
		note := func(n cc.ExpressionNode) {
			if p, ok := unwrap(n).(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
				u.assignedNames[p.Token.SrcStr()] = true
			}
		}
		for _, f := range u.defined {
			walk(f, func(n cc.Node) bool {
				switch x := n.(type) {
				case *cc.AssignmentExpression:
					if x.Case != cc.AssignmentExpressionCond {
						note(x.UnaryExpression)
					}
				case *cc.PostfixExpression:
					if x.Case == cc.PostfixExpressionInc || x.Case == cc.PostfixExpressionDec {
						note(x.PostfixExpression)
					}
				case *cc.UnaryExpression:
					switch x.Case {
					case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
						note(x.UnaryExpression)
					case cc.UnaryExpressionAddrof:
						note(x.CastExpression)
					}
				}
				return true
			})
		}
	}
	return u.assignedNames[name]
}

// argumentBuiltins are the functions that look for options.
func argumentBuiltins() map[string]builtin {
	long := builtin{5, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		argc := l.kept(l.convert(l.expr(args[0]), types.Int))
		evaluateAll(l, args[1:])
		l.at(n)
		some, none := l.node(), l.node()
		l.split(bin(program.Lt, program.Const(1), argc.e), some, none)
		l.cur = some
		l.operate(&flowgraph.Bound{What: "not modelled: " + called(n) + " with arguments"})
		l.jump(none)
		l.cur = none
		return number(types.Int, -1)
	}}
	return map[string]builtin{
		"getopt": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if l.u.defined["__fp_getopt"] == nil {
				if len(l.u.opts.Args) == 0 && l.ownArguments(args) {
					evaluateAll(l, args)
					return number(types.Int, -1)
				}
				l.u.refuse(n, "getopt without our unistd.h")
			}
			argc, argv, spec := l.convert(l.expr(args[0]), types.Int), l.convert(l.expr(args[1]), types.VoidPointer), l.convert(l.expr(args[2]), types.VoidPointer)
			l.at(n)
			return l.call(n, "__fp_getopt", []value{argc, argv, spec})
		}},
		"getopt_long": long, "getopt_long_only": long,
		"__fp_beyond": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			what, _ := stringOf(args[0])
			l.at(n)
			l.operate(&flowgraph.Bound{What: "not modelled: " + strings.TrimRight(what, "\x00")})
			return number(types.Int, 0)
		}},
	}
}
