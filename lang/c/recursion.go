package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A function that makes threads and calls itself, or is what these threads execute, makes more and
// more of them. It is followed less deep than others: half as deep makes the square root of so many.

// timesIn is how often the function of that name is being executed: by this thread, and by those that made
// it when they did.
func (l *lowerer) timesIn(name string) int {
	n := l.inherited[name]
	for f := l.frame; f != nil; f = f.up {
		if f.name == name {
			n++
		}
	}
	return n
}

// legacy is what threads that are made here inherit of that.
func (l *lowerer) legacy() map[string]int {
	m := map[string]int{}
	for name, n := range l.inherited {
		m[name] = n
	}
	for f := l.frame; f != nil; f = f.up {
		if l.u.defined[f.name] != nil {
			m[f.name]++
		}
	}
	return m
}

// makesThreads is true of a function that makes a thread, or calls one that does.
func (u *unit) makesThreads(name string) bool {
	if u.makers == nil {
		u.makers = map[string]bool{}
		calls := map[string][]string{}
		for name, f := range u.defined {
			walk(f.CompoundStatement, func(n cc.Node) bool {
				if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall {
					switch to := called(x); to {
					case "pthread_create", "thrd_create", "__VERIFIER_spawn", "__VERIFIER_spawn_symmetric":
						u.makers[name] = true
					default:
						calls[name] = append(calls[name], to)
					}
				}
				return true
			})
		}
		for more := true; more; {
			more = false
			for name, to := range calls {
				for _, other := range to {
					if u.makers[other] && !u.makers[name] {
						u.makers[name], more = true, true
					}
				}
			}
		}
	}
	return u.makers[name]
}

// Recursion whose depth constants decide, as that of fib(11), is followed to its end: where a condition is known in this call no way leads
// to one of its sides, and what is called there is not looked at.

// maxDecided is how many calls are inlined at most for that, and maxDecidedDepth how deep they are.
const (
	maxDecided      = 2000
	maxDecidedDepth = 100
)

// callsItself is true of a function that does so, other than at its end.
func (u *unit) callsItself(def *cc.FunctionDefinition, name string) bool {
	is, known := u.recursive[def]
	if !known {
		assembly := false
		walk(def.CompoundStatement, func(n cc.Node) bool {
			switch n := n.(type) {
			case *cc.PostfixExpression:
				is = is || n.Case == cc.PostfixExpressionCall && called(n) == name && !u.rounds(name, def).calls[n]
			case *cc.AsmStatement:
				assembly = true // it may change a parameter
			}
			return true
		})
		is = is && !assembly
		u.recursive[def] = is
	}
	return is
}

// constant is e with what is known of parameters in their places.
func (f *frame) constant(e program.Expr) (program.Const, bool) {
	if e == nil {
		return 0, false
	}
	for d, k := range f.known {
		if x := f.vars[d]; x != nil && x.obj == nil {
			e = flowgraph.Replace(e, x.reg, program.Const(x.t.Word().Wrap(k)))
		}
	}
	k, ok := flowgraph.FoldAll(e).(program.Const)
	return k, ok
}

// decided is a condition, or what it is in this call.
func (l *lowerer) decided(e program.Expr) program.Expr {
	f := l.frame
	if _, already := e.(program.Const); already || f.def == nil || len(f.known) == 0 || !l.u.callsItself(f.def, f.name) {
		return e
	}
	if k, ok := f.constant(e); ok {
		f.decides = true
		return k
	}
	return e
}

// rounds is how a call goes on in place of calling itself: not at all where constants may decide how often it does.
func (l *lowerer) rounds(name string, def *cc.FunctionDefinition, args []value) *rounds {
	r := l.u.rounds(name, def)
	if len(r.calls) == 0 || !l.u.callsItself(def, name) || l.frame.def == def && !l.frame.decides {
		return r
	}
	for i, p := range l.u.parameters(def) {
		if _, known := l.frame.constant(args[i].e); p.t.Integer() && !known {
			return r
		}
	}
	return &rounds{}
}

// deepest is how deep a call may be inlined.
func (l *lowerer) deepest(def *cc.FunctionDefinition, args []value) int {
	f := l.frame
	if f.def != def || !f.decides || l.inlined > maxDecided || l.depth > maxDepth/2 {
		return l.u.opts.depth
	}
	for i, p := range l.u.parameters(def) {
		if was, known := f.known[p.d]; known {
			if k, ok := f.constant(args[i].e); ok && int64(k) != was {
				return max(l.u.opts.depth, maxDecidedDepth)
			}
		}
	}
	return l.u.opts.depth
}
