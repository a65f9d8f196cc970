package c

import (
	"maps"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// Some of what a program has to note makes a difference in few programs: that something has been destroyed (destroyed.go), and who waits for conditions
// (waiting.go). Whether it does has to be known before there is a program to analyse, and so is made out from the graphs, in which
// an element of an array of threads, or what a pointer points to, is not known. Where that leaves it open, the program is read with all
// of that; and what its values show then is known when it is read once more.

// A findings is what reading a program has shown of it.
type findings struct {
	joins map[lowered.JoinKey]int // the threads that are waited for
	agree bool                    // nobody waits for a condition with another mutex than somebody else
	stays bool                    // no memory is given back, and no block left, of a condition that somebody may wait for, and none is initialised
	wary  bool                    // others store to what main was foreseen to read; see foreseen.go
	// What declares variables that may be accessed by pointers from earlier rounds of their blocks; see earlier.go.
	outlived map[cc.Node]bool
	observed map[cc.ExpressionNode]observedPart // see observe
	padded   map[types.Specified]bool           // the structures whose bytes are looked at; see padding.go
	renewed  bool                               // barriers may be initialised again where memory does not tell; see mayRenew
}

// findsMore is what is known now, and whether the program has to be read once more, since that may make it smaller.
func (u *unit) findsMore() (all findings, more bool) {
	if len(u.lowered.Found.Outlived) > 0 {
		all = u.known
		all.outlived = map[cc.Node]bool{}
		for o := range u.lowered.Found.Outlived {
			all.outlived[u.declares[o]] = true
		}
		maps.Copy(all.outlived, u.known.outlived)
		return all, true
	}
	if len(u.lowered.Looked) > 0 {
		all = u.known
		all.padded = maps.Clone(u.lowered.Looked)
		maps.Copy(all.padded, u.known.padded)
		return all, true
	}
	if u.renewed && !u.known.renewed {
		all = u.known
		all.renewed = true
		return all, true
	}
	if u.orders != nil {
		all = u.known
		all.observed = u.orders
		return all, true
	}
	all = findings{maps.Clone(u.known.joins), u.known.agree, u.known.stays, u.known.wary || u.lowered.Found.Wary, u.known.outlived, u.known.observed, u.known.padded, u.known.renewed}
	if !u.lowered.Doubtful || all.wary != u.known.wary {
		return all, all.wary != u.known.wary
	}
	if all.joins == nil {
		all.joins = map[lowered.JoinKey]int{}
	}
	maps.Copy(all.joins, u.lowered.Found.Joins)
	if len(u.lowered.Mixes) > 0 {
		all.agree = u.lowered.Found.Agree
	}
	if u.operations.Ends && !u.known.stays {
		all.stays = u.lowered.Found.Stays
	}
	return all, len(all.joins) > len(u.known.joins) || all.agree != u.known.agree || all.stays != u.known.stays
}
