package c

import (
	"modernc.org/cc/v4"
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
