package c

import (
	"regexp"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may use a mutex, or what else threads wait by, that has been destroyed, and nobody may destroy one that is held (POSIX,
// pthread_mutex_destroy and its kin). In most programs main destroys everything when everything is over, and nothing is there to
// check: so it costs nothing unless something is destroyed somewhere else, or before main has to do with threads and the like
// again, or where not all threads have been waited for.

// destroyed is what a cell holds of something that has been destroyed: the owner of a mutex, the writer of a read-write lock,
// who waits for a condition, the count of a semaphore.
const destroyed = -1

// destroyers are the functions that destroy something, by what the functions on it begin with.
var destroyers = map[string]string{
	"pthread_mutex_destroy": "pthread_mutex_", "pthread_spin_destroy": "pthread_spin_", "mtx_destroy": "mtx_", "pthread_rwlock_destroy": "pthread_rwlock_",
	"pthread_cond_destroy": "pthread_cond_", "cnd_destroy": "cnd_", "sem_destroy": "sem_",
}

// destroysEarly is whether what these functions destroy may be destroyed before all is over.
func (u *unit) destroysEarly(functions ...string) bool {
	if u.destruction == nil {
		u.destruction = map[string]bool{}
		alone := u.joinsAll() && !slices.ContainsFunc(afterMain, u.files.mention)
		for name, f := range u.defined {
			u.findDestruction(u.callsOf(f), name == "main" && alone)
		}
	}
	return slices.ContainsFunc(functions, func(name string) bool { return u.destruction[destroyers[name]] })
}

// afterMain are names of what may be done when main has come to its end.
var afterMain = []string{"atexit", "on_exit", "destructor", "cleanup", "pthread_key_create", "tss_create"}

// A textCall is a call where it stands in the text of a function; one in a loop may come after what stands behind it, and is there again.
type textCall struct {
	name          string
	n             *cc.PostfixExpression
	looped, again bool
}

// callsOf lists the calls of a function, in the order of the text. Where it jumps, all of it is a loop.
func (u *unit) callsOf(f *cc.FunctionDefinition) []textCall {
	var calls []textCall
	var list func(n cc.Node, looped, again bool)
	list = func(n cc.Node, looped, again bool) {
		walk(n, func(n cc.Node) bool {
			switch n := n.(type) {
			case *cc.IterationStatement:
				if !looped {
					list(n, true, false)
					list(n, true, true)
					return false
				}
			case *cc.PostfixExpression:
				if n.Case == cc.PostfixExpressionCall {
					calls = append(calls, textCall{called(n), n, looped, again})
				}
			}
			return true
		})
	}
	list(f.CompoundStatement, false, false)
	jumps := false
	walk(f.CompoundStatement, func(n cc.Node) bool {
		j, ok := n.(*cc.JumpStatement)
		jumps = jumps || ok && (j.Case == cc.JumpStatementGoto || j.Case == cc.JumpStatementGotoExpr)
		return !jumps
	})
	if jumps {
		list(f.CompoundStatement, true, true)
	}
	return calls
}

// An object by its name, or a member of it, and one that is an element.
var (
	aName     = regexp.MustCompile(`^\s*&\s*\w+(\.\w+)*\s*$`)
	anElement = regexp.MustCompile(`^\s*(&\s*\w+(\.\w+)*\[\w+\](\.\w+)*|\w+\s*\+\s*\w+)\s*$`)
)

// findDestruction notes what these calls destroy early; last is true of those of main, where nobody is there after them.
func (u *unit) findDestruction(calls []textCall, last bool) {
	gone, which := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		if kind, ok := destroyers[c.name]; ok && u.defined[c.name] == nil {
			object := kind + cc.NodeSource(c.n.ArgumentExpressionList)
			// In the next round of a loop another element is another object; and of names each is, but there is no telling of others.
			same := which[object] && !(c.again && anElement.MatchString(object[len(kind):]) && u.changesInLoops(c.n.ArgumentExpressionList))
			named := aName.MatchString(object[len(kind):])
			another := gone[kind] && !which[object] && (!named || which[kind])
			u.destruction[kind] = u.destruction[kind] || !last || same || another
			gone[kind], which[object] = true, true
			which[kind] = which[kind] || !named
			continue
		}
		for kind := range gone {
			if u.defined[c.name] != nil || c.name == "" || makesThread[c.name] || joinsThread[c.name] ||
				strings.HasPrefix(c.name, kind) && !strings.HasSuffix(c.name, "_init") {
				u.destruction[kind] = true
			}
		}
	}
}

// changesInLoops is true of an expression with a variable in it that is assigned to in a loop, or in another function than main.
func (u *unit) changesInLoops(n cc.Node) bool {
	for name := range namesIn(n) {
		if a := u.assignments(name); a != nil && a.elsewhere && !a.address {
			return true
		}
	}
	return false
}

// makeDestroyed makes something one that nobody may use, which the cell tells; it must be free, as the cell, which is loaded into old, and what
// else is looked at, tell.
func (l *lowerer) makeDestroyed(cell place, what string, old int, look []program.Command, free program.Expr) {
	body := append([]program.Command{l.loadOp(cell, old, relaxed)}, look...)
	body = append(body, program.Command{Op: program.Assert, Value: free, Text: what + " is destroyed that is in use, or has been destroyed"},
		l.storeOp(cell, program.Const(destroyed), relaxed))
	l.emit(atomicOp("destroy", body...))
}

// afterDestruction adds, to where something is used, that it must not have been destroyed.
func (l *lowerer) afterDestruction(from int, cell place, what string) {
	old := l.temp(cell.t)
	l.edge(from, l.node(), atomicOp("use", l.loadOp(cell, old, relaxed), checkOp(eq(program.Reg(old), program.Const(destroyed))),
		program.Command{Op: program.Assert, Value: program.Const(0), Text: what + " is used that has been destroyed"}))
}

// destroyMutex is for mutexes and spin locks.
func (l *lowerer) destroyMutex(n *cc.PostfixExpression, m place) {
	if l.u.destroysEarly(called(n)) {
		owner := l.mutexMember(n, m, "__owner")
		old := l.temp(owner.t)
		l.makeDestroyed(owner, "a mutex", old, nil, eq(program.Reg(old), program.Const(0)))
	}
}

// usesMutex is where one is taken.
func (l *lowerer) usesMutex(from int, owner place) {
	if l.u.destroysEarly("pthread_mutex_destroy", "pthread_spin_destroy", "mtx_destroy") {
		l.afterDestruction(from, owner, "a mutex")
	}
}

// destroyCondition is for conditions. Who waits for one is known where signals are.
func (l *lowerer) destroyCondition(n *cc.PostfixExpression, c place) {
	if l.u.destroysEarly(called(n)) {
		waiting := l.mutexMember(n, c, "__waiting")
		old := l.temp(waiting.t)
		l.makeDestroyed(waiting, "a condition", old, nil, eq(program.Reg(old), program.Const(0)))
	}
}

// usesCondition is where one is waited for or signalled.
func (l *lowerer) usesCondition(n *cc.PostfixExpression, c place) {
	l.initialised(l.mutexMember(n, c, "__waiting"))
	if l.u.destroysEarly("pthread_cond_destroy", "cnd_destroy") {
		l.afterDestruction(l.cur, l.mutexMember(n, c, "__waiting"), "a condition")
	}
}

// destroySemaphore is for semaphores, any count of which is free.
func (l *lowerer) destroySemaphore(n *cc.PostfixExpression, s place) {
	if l.u.destroysEarly(called(n)) {
		count := l.mutexMember(n, s, "__count")
		old := l.temp(count.t)
		l.makeDestroyed(count, "a semaphore", old, nil, ne(program.Reg(old), program.Const(destroyed)))
	}
}

// usesSemaphore is what is done with one but for destroying it.
func (l *lowerer) usesSemaphore(count place) {
	l.initialised(count)
	if l.u.destroysEarly("sem_destroy") {
		l.afterDestruction(l.cur, count, "a semaphore")
	}
}

// destroyRWLock is for read-write locks.
func (l *lowerer) destroyRWLock(n *cc.PostfixExpression, p place) {
	if !l.u.destroysEarly(called(n)) {
		return
	}
	k := rwLock{l.mutexMember(n, p, "__writer"), l.mutexMember(n, p, "__readers")}
	w, r := l.temp(longType), l.temp(longType)
	if l.u.opts.NoBlocks {
		l.makeDestroyed(k.writer, "a read-write lock", w, nil, eq(bin(program.BitAnd, program.Reg(w), program.Const(wroteUnit-1)), program.Const(0)))
		return
	}
	l.makeDestroyed(k.writer, "a read-write lock", w, []program.Command{l.loadOp(k.readers, r, relaxed)},
		flowgraph.Fold(bin(program.LogicalAnd, eq(program.Reg(w), program.Const(0)), eq(program.Reg(r), program.Const(0)))))
}

// usesRWLock is where one is taken.
func (l *lowerer) usesRWLock(k rwLock) {
	if l.u.destroysEarly("pthread_rwlock_destroy") {
		l.afterDestruction(l.cur, k.writer, "a read-write lock")
	}
}
