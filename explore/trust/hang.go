package trust

import (
	"context"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Hangs explores the graphs of p, and looks for one in which it hangs for ever, however fair
// the machine is to stores on their way: every thread has come to its end, or waits, having read
// what is the last of each cell in coherence, and one of them waits (see [replay.Hang]). Nothing
// else is looked for, but faults; a run ends where an assertion fails. A thread that goes in circles that are
// no waiting loop is followed until a bound is met, and from there by itself.
func Hangs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	asked := *p
	asked.Filter, asked.Properties = nil, nil
	r, err := run(ctx, &asked, opts, verdict.Liveness, func(*abstract.State) {})
	if err != nil || r.Unsafe() {
		return r, err
	}
	effort := r.Effort
	var h *verdict.Result
	if r.Safe() {
		h = verdict.NeverHangs(p, r.Model(), r.Argument())
	} else {
		h = verdict.HangUnknown(p, r.Model(), r.Reason())
	}
	h.Effort = effort
	return h, nil
}

// A hang tells of the ends of graphs whether the program hangs there.
type hang struct {
	*replay.Hang
	s *abstract.State
}

// newHang has the system of states that the model has, or that of TSO, since a thread that is
// still to store does not wait.
func newHang(x *explorer) (*hang, error) {
	system := x.system
	if x.opts.Model != memory.SC {
		m := memory.TSO
		if x.opts.Model == memory.PSO {
			m = memory.PSO
		}
		var err error
		if system, err = abstract.CompileContext(x.ctx, x.p, m, nil, 0); err != nil {
			return nil, err
		}
	}
	return &hang{replay.NewHang(system), system.NewState()}, nil
}

// hangs takes note of a hang: of the graph, to which nothing is to be added, and which ends as
// x.end says, or meets a bound there.
func (x *explorer) hangs(cut bool) {
	if x.hang == nil {
		return
	}
	s := x.hang.s
	copy(s.PC, x.end.PC)
	copy(s.Mem, x.end.Mem)
	for t := range s.Regs {
		copy(s.Regs[t], x.end.Regs[t])
	}
	if !x.hang.At(s) {
		if cut {
			x.hang.GaveUp = false // there is more to see with a higher bound
		} else if x.hang.GaveUp {
			x.stop("a thread that can do so much by itself that it was not followed to where it comes to again", "")
		}
		return
	}
	x.ends(x.hang.Violation(s))
}
