package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Who initialises a mutex, or what else threads wait by, once more, or writes over it by memset or an assignment, must do so while nobody has it or
// waits for it (POSIX, pthread_mutex_init and its kin). What is in it tells whether somebody does, in objects with static storage alone: what
// an object of a function or of malloc held before it is initialised counts for nothing. Nobody is known to wait for a semaphore.

// garbage is more than any count or number of threads, and not more than what memory is overwritten with, byte by byte, before it is used again.
const garbage = 1 << 24

// renewedText is what is wrong with it.
const renewedText = " is initialised or written over while it is in use"

// renewing is before an object of type t at addr is written to, if all of it is: nobody may use what is in it.
func (l *lowerer) renewing(n cc.Node, addr program.Expr, t *types.Type) {
	if !t.Aggregate() && t.Kind != types.ArrayKind || t.Incomplete() || l.dryness > 0 || !l.u.lasts(addr) {
		return
	}
	a := addr.(program.Const)
	switch {
	case t.Library:
		l.renewingOne(n, place{t: t, addr: a})
	case t.Kind == types.ArrayKind && lowered.LibrarySpans(t.Elem, 0, nil) != nil:
		for i := range t.Len {
			l.renewing(n, plus(a, i*t.Elem.Size), t.Elem)
		}
	case t.Kind == types.StructKind:
		for _, f := range t.Fields {
			if f.Bits == 0 {
				l.renewing(n, plus(a, f.Offset), f.Type)
			}
		}
	}
}

// lasts tells whether what is at addr has static storage, as far as that is known: it is 0 at first.
func (u *unit) lasts(addr program.Expr) bool {
	a, known := addr.(program.Const)
	if !known {
		return false
	}
	o := u.lowered.ObjectAt(int64(a))
	return o != nil && o.Thread < 0 && !o.Dies
}

// noCount tells of a count in an object that nobody uses it, or that it holds something else.
func noCount(e program.Expr) program.Expr {
	return bin(program.LogicalOr, bin(program.Le, e, program.Const(0)), bin(program.Le, program.Const(garbage), e))
}

// renewingOne is renewing of an object of the library.
func (l *lowerer) renewingOne(n cc.Node, p place) {
	has := func(name string) bool { return p.t.Find(name) != nil }
	held := func(what, name string, free func(e program.Expr) program.Expr) {
		m := l.mutexMember(n, p, name)
		r := l.temp(m.t)
		c := l.loadOp(m, r, relaxed)
		c.Tags = c.Tags.With(lowered.KeptTag)
		l.emit(c)
		l.assert(flowgraph.Fold(free(program.Reg(r))), "%s", what+renewedText)
	}
	switch {
	case has("__owner"):
		held("a mutex", "__owner", noCount)
	case has("__writer") && l.u.opts.NoBlocks:
		held("a read-write lock", "__writer", func(e program.Expr) program.Expr {
			return bin(program.LogicalOr, eq(e, program.Const(lowered.Destroyed)), noCount(bin(program.BitAnd, e, program.Const(wroteUnit-1))))
		})
	case has("__writer"):
		held("a read-write lock", "__writer", noCount)
		held("a read-write lock", "__readers", noCount)
	case has("__need") && l.u.opts.Mapping.x86():
		held("a barrier", "__waiting", noCount)
	case has("__need"):
		held("a barrier", "__waiting", func(e program.Expr) program.Expr {
			return bin(program.LogicalOr, eq(bin(program.BitAnd, e, program.Const(roundUnit-1)), program.Const(0)), noCount(e))
		})
	case has("__waiting") && !has("__need"):
		l.initialisesCondition(n, p)
	}
}
