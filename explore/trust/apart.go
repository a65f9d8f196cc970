package trust

import (
	"context"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Of Weakestmo2's executions it is asked that read-modify-writes are atomic, of the event structures that
// justify them it is not (definition C.9 of the paper): two of different threads may read from the same write there, so long as one of them
// does so in a run that is not part of the execution. The paper asks for it there in vain, since a sound
// transformation would be none then (appendix E). Where nothing that a run may promise comes before a read-modify-write that
// makes no difference, and the exploration keeps the halves together. Where
// something does, all is explored once more with the halves apart: as a read and a write that know of
// each other for release sequences, and nothing else. At the end of an execution it is seen whether they are atomic.

// part takes note that read-modify-writes race, so that they would have to be parted.
func (w *weak) part() {
	w.parts = true
	w.doubt("read-modify-writes race, and their load buffering was not explored")
}

// apart is whether the halves of read-modify-writes need not be next to each other in coherence.
func (x *explorer) apart() bool { return x.torn || x.weak != nil && x.weak.apart }

// atomic is whether every write of a read-modify-write comes right after what its read reads from.
func (g *graph) atomic() bool {
	for e := range g.events {
		ev := &g.events[e]
		if ev.kind == write && ev.half && g.events[g.events[g.threads[ev.thread][ev.index-1]].rf].place != ev.place-1 {
			return false
		}
	}
	return true
}

// parting explores p under Weakestmo2 with x, which keeps read-modify-writes together, and if they have to be parted, or somebody is
// to be told of what is met, with another explorer, which it returns. Otherwise nobody is told of anything.
func (x *explorer) parting(ctx context.Context, p *program.Program, opts Options, asked verdict.Question, quiet *bool, found func(*abstract.State)) (*explorer, *verdict.Result, error) {
	if !x.updates() {
		x.explore()
		return x, nil, nil
	}
	x.opts.Graph, *quiet = nil, true
	x.explore()
	*quiet = false
	apart := x.weak.parts && x.found == nil && x.stopped == "" && x.err == nil && !x.blocks
	if !apart && opts.Graph == nil && found == nil {
		return x, nil, nil
	}
	x.total.Close()
	y, res, err := prepare(ctx, p, opts, asked, found)
	if y == nil {
		return nil, res, err
	}
	y.weak.apart = apart
	y.explore()
	return y, nil, nil
}

// updates is whether there are read-modify-writes.
func (x *explorer) updates() bool {
	for k, c := range x.classes {
		if k.atomic && k.cmd.Op == program.Load && c.order&relaxed != 0 {
			return true
		}
	}
	return false
}
