package symbolic

import (
	"context"
	"fmt"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
)

// A ClosedSet is a proof that a program is safe: a set of states, as a decision
// diagram, that has the initial one, is closed under every step, and has no
// violation.
type ClosedSet struct {
	space *space
	store *diagram.Store
	set   diagram.Node
}

// States is how many states the set has, about.
func (c *ClosedSet) States() float64 { return c.store.Count(c.set) }

func (c *ClosedSet) String() string {
	what := fmt.Sprintf("%.4g states", c.States())
	switch c.space.b.(type) {
	case abstract.None, abstract.FIFO:
	default:
		what += " of the abstraction " + abstract.Name(c.space.b)
	}
	return what + " are closed under all steps, and violate nothing"
}

// Check verifies the set, from nothing but its local states, values and nodes and
// the rules of package abstract. The error is a [RefutedError] where it is no
// proof.
func (c *ClosedSet) Check(ctx context.Context) error {
	c.space.meter = &meter{ctx: ctx}
	init, ok := c.space.initial()
	if !ok || !c.store.Has(c.set, init) {
		return &RefutedError{"the initial state is not in the set", -1}
	}
	good, wrong, err := c.space.steps()
	if err != nil {
		return err
	}
	for _, r := range relate(c.store, good) {
		closed, err := c.store.Closed(ctx, c.set, r)
		if err != nil {
			return err
		}
		if !closed {
			return &RefutedError{"a step leads out of the set", -1}
		}
	}
	for _, r := range relate(c.store, wrong) {
		met, err := c.store.Meets(ctx, c.set, r)
		if err != nil {
			return err
		}
		if met {
			return &RefutedError{"an assertion fails, or a step leads to a local state or a value that is not listed", -1}
		}
	}
	violated, err := c.space.violated(c.store, c.set)
	if err != nil {
		return err
	}
	if violated {
		return &RefutedError{"a state in the set violates a property", -1}
	}
	return nil
}
