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

// Opposite is true of two checks of which always exactly one is enabled.
func Opposite(a, b *program.Command) bool {
	return a.Op == program.Check && b.Op == program.Check &&
		(reflect.DeepEqual(program.NotExpr(a.Value), b.Value) || reflect.DeepEqual(a.Value, program.NotExpr(b.Value)))
}
