// Package flow is what the automata of a program say about its runs, for all engines:
// which registers are live ([Live]) and which an edge leaves dead ([Dead]), where a thread
// runs in circles ([FindLoops], [BreakCycles], [FindCycle], [Again]), what properties can
// see of what it does ([Visible]), and whether it takes the lock or can come to its end.
//
// A program comes in that [program.Sanity] has nothing against. Nothing is changed.
package flow

import (
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Locks is true of a program with a Lock command.
func Locks(p *program.Program) bool { return slices.ContainsFunc(p.Threads, Locking) }

// Locking is true of a thread with one.
func Locking(t *program.Thread) bool {
	return slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return e.Cmd.Op == program.Lock })
}

// Ends is true of a thread that may come to its end, at one of the control states that
// are reachable: one without edges, unless it has given up there, or one at which nobody
// has started it.
func Ends(t *program.Thread, reachable []bool) bool {
	out := t.Out()
	for q := range t.States {
		switch kind := t.States[q].Kind; {
		case !reachable[q] || kind == program.GivenUp:
		case len(out[q]) == 0 || kind == program.Unstarted:
			return true
		}
	}
	return false
}

// Opposite is true of two checks of which always exactly one is enabled.
func Opposite(a, b *program.Command) bool {
	return a.Op == program.Check && b.Op == program.Check &&
		(reflect.DeepEqual(program.NotExpr(a.Value), b.Value) || reflect.DeepEqual(a.Value, program.NotExpr(b.Value)))
}

// Exclude is true of two Atomics of which at most one is enabled in any state: their
// bodies are the same, but for tags, up to a check in the one that is the negation of a
// check in the other.
func Exclude(a, b *program.Command) bool {
	for i := range min(len(a.Body), len(b.Body)) {
		x, y := a.Body[i], b.Body[i]
		if Opposite(&x, &y) {
			return true
		}
		if x.Tags, y.Tags = (program.Tags{}), (program.Tags{}); !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return false
}
