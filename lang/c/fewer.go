package c

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/choices"
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
)

// Programs choose freely from more values than can be tried. Package [choices] says of which that makes a difference.

// fewerByThresholds makes choices that stay in registers as small as what follows from them. Under models with speculation
// values come about in other ways.
func (u *unit) fewerByThresholds() {
	if u.opts.Speculation != target.NoSpeculation || !u.choosesWidely() {
		return
	}
	if p, r, err := u.values(nil); err == nil {
		u.choose(choices.ByThresholds(p, r, u.leastValues()))
	}
}

// sample makes choices of as many values as can be told apart, wherever they get to.
func (u *unit) sample() {
	if !u.choosesWidely() {
		return
	}
	if p, r, err := u.values(nil); err == nil {
		all, sampled := choices.Independent(p, r, u.leastValues())
		u.choose(all)
		u.sampled = u.sampled || sampled
	}
}

func (u *unit) choosesWidely() bool {
	return slices.ContainsFunc(u.threads, func(t *thread) bool {
		return slices.ContainsFunc(t.g.Edges, func(e flowgraph.Edge) bool { return e.Op == nil && choices.Wide(&e.Cmd) })
	})
}

// leastValues is how many values of a choice stay: two where it has to be seen that something changes.
func (u *unit) leastValues() int {
	if u.opts.Signals {
		return 2
	}
	return 1
}

// choose makes choices what they are to be.
func (u *unit) choose(all []choices.Choice) {
	for _, c := range all {
		t := u.threads[c.Thread]
		t.g.ChooseOf(t.origin[c.Edge], c.Values)
	}
}
