package refine

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// pending is the part of TSO that is left where a program is robust: a buffer that
// holds one store may flush it, and one that was given more never flushes again. So
// only the last value by cell counts, and over finite data the states are finite
// even where loops store. Its runs are runs under TSO.
//
// Let a program be robust, computations with stores left in the buffers included
// (these come last in coherence). Then every state that a run under TSO reaches,
// what buffers hold disregarded, is reached by a run of this kind. For let w be a
// run under TSO, P the stores that are in buffers at its end. All of a thread's
// stores after one in P are in P, and no fence, lock or atomic block follows it.
// The happens-before relation of w is acyclic; take a linear order of its events,
// an atomic block or a locked section being one. Should a thread u hold the lock at
// the end of w, stores to memory and accesses of others all came before its section
// in w. So nothing but P is happens-after that section, and it may be taken to the
// end, the accesses of others before it. Run the events in this order and flush
// every store that is not in P at once. A load gets its value as in w: from its
// thread's newest store in P for the cell, if there is one before it in program
// order, as no store of the thread to the cell comes between; else from the last
// store to the cell in the order that is not in P, by rf, co and fr. And memory ends
// as in w: the last of those stores, by cell.
//
// A deadlock is not a matter of the state alone: here a full buffer is for ever.
type pending struct{}

func (pending) Immediate() bool { return false }

// Add makes p the last value of its cell. Contents are ascending by cell; where
// several stores were to one cell, and nothing else is buffered, the pair is there
// twice, to tell it from a single store.
func (pending) Add(c *abstract.Contents, p abstract.Pair) {
	single := c.Empty()
	c.Pairs = slices.DeleteFunc(c.Pairs, func(q abstract.Pair) bool { return q.Cell == p.Cell })
	c.Pairs = slices.Compact(c.Pairs) // if it was another pair that was there twice
	i, _ := slices.BinarySearchFunc(c.Pairs, p.Cell, func(q abstract.Pair, cell int) int { return q.Cell - cell })
	c.Pairs = slices.Insert(c.Pairs, i, p)
	if !single && len(c.Pairs) == 1 {
		c.Pairs = append(c.Pairs, p)
	}
}

func (pending) Barrier(*abstract.Contents) {}

func (pending) Last(c *abstract.Contents, cell int) (int64, bool) {
	return abstract.FIFO{}.Last(c, cell)
}

// Flushes is 1 for a single store.
func (pending) Flushes(c *abstract.Contents) int {
	if len(c.Pairs) == 1 {
		return 1
	}
	return 0
}

func (pending) Flushed(c *abstract.Contents, _ int) abstract.Pair { return c.Pairs[0] }
func (pending) Flush(c *abstract.Contents, _ int)                 { c.Pairs = c.Pairs[:0] }

// checkPending decides the properties of the program that x extends, where the
// extension is robust: at the moments that SC does not have, stores are pending.
func checkPending(ctx context.Context, p *program.Program, x *extension, opts Options) (res *verdict.Result, states int64, err error) {
	o := opts.explore(pending{})
	o.Reduction = explore.NoReduction // a store by a full buffer disables its flush
	r, err := explore.Check(ctx, x.p, o)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case r.Candidate() != nil:
		if res, err = unsafe(p, x.buffered(replay.Schedule(r.Candidate()))); err != nil {
			return nil, 0, err
		}
	case r.Safe():
		res = verdict.Safe(p, memory.TSO, verdict.RobustPending, nil)
	default:
		res = unknown(p, memory.TSO, "robust; with last stores pending: "+r.Reason(), r.Advice)
	}
	return res, r.Stat("states"), nil
}

// buffered is the run of the original program that a run of the extension with
// store buffers stands for.
func (x *extension) buffered(run []abstract.Event) []abstract.Event {
	var evs []abstract.Event
	for _, ev := range run {
		if ev.Edge == abstract.Flush {
			evs = append(evs, ev)
		} else if o := x.origin[ev.Thread][ev.Edge]; o >= 0 {
			evs = append(evs, abstract.Event{Thread: ev.Thread, Edge: o, Choice: ev.Choice})
		}
	}
	return evs
}

// unsafe is the answer that a run of p under TSO leads to, which violates something.
func unsafe(p *program.Program, run []abstract.Event) (*verdict.Result, error) {
	res, err := replay.Convict(p, memory.TSO, run)
	if err != nil {
		return nil, fmt.Errorf("internal error: a run of the extended program does not replay: %w", err)
	}
	return res, nil
}
