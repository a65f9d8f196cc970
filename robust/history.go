package robust

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Schedule is the run under TSO that the moves describe: who is not the
// attacker, or not delaying yet, flushes every store at once. The delayed stores
// are flushed at the end if flush says so.
func (w *Witness) Schedule(flush bool) []abstract.Event {
	var evs []abstract.Event
	delays, buffered := false, 0
	for _, m := range w.moves {
		evs = append(evs, m.Event)
		store := w.p.Threads[m.Thread].Edges[m.Edge].Cmd.Op == program.Store
		delays = delays || m.kind == delayMove
		switch {
		case !store:
		case delays && m.Thread == w.attacker:
			buffered++
		default:
			evs = append(evs, abstract.Event{Thread: m.Thread, Edge: abstract.Flush})
		}
	}
	for range buffered {
		if !flush {
			break
		}
		evs = append(evs, abstract.Event{Thread: w.attacker, Edge: abstract.Flush})
	}
	return evs
}

// evidence replays the witness under TSO and finds the cycle in its
// happens-before relation.
func (w *Witness) evidence(r *program.Ranges) (*verdict.RobustEvidence, error) {
	if w.race {
		run, err := trace(w.p, w.Schedule(false))
		if err != nil {
			return nil, fmt.Errorf("internal error: the race found does not replay: %w", err)
		}
		return &verdict.RobustEvidence{Attack: w.attack(), Run: run}, nil
	}
	h, err := newHistorian(w.p, r)
	if err != nil {
		return nil, err
	}
	w.shrink(h)
	e, err := evidence(h, w.Schedule(true))
	if err != nil {
		return nil, fmt.Errorf("internal error: the witness found %w", err)
	}
	e.Attack = w.attack()
	return e, nil
}

func (w *Witness) attack() *verdict.Attack {
	a := &verdict.Attack{Thread: w.attacker}
	for _, m := range w.moves {
		switch m.kind {
		case delayMove:
			a.Store = m.Edge
		case closeMove:
			a.Load = m.Edge
		}
	}
	return a
}

// shrink leaves out last moves of threads where the cycle does not need them.
func (w *Witness) shrink(h *replay.Historian) {
	budget := 1 << 26 // pairs of events to look at
	for again := true; again; {
		again = false
		for t := range w.p.Threads {
			for ; budget > 0; budget -= len(w.moves) * len(w.moves) {
				last := -1
				for i, m := range w.moves {
					if m.Thread == t {
						last = i
					}
				}
				if last < 0 || w.moves[last].kind != plainMove {
					break
				}
				shorter := *w
				shorter.moves = slices.Delete(slices.Clone(w.moves), last, last+1)
				if !h.Record(shorter.Schedule(true)) || !h.Cyclic() {
					break
				}
				w.moves, again = shorter.moves, true
			}
		}
	}
}

// trace executes a schedule under TSO that need not violate anything.
func trace(p *program.Program, evs []abstract.Event) (*verdict.Run, error) {
	r, err := replay.New(p, memory.TSO, nil)
	if err != nil {
		return nil, err
	}
	return r.Trace(evs)
}

func newHistorian(p *program.Program, r *program.Ranges) (*replay.Historian, error) {
	x, err := abstract.New(p, r, abstract.FIFO{}, 0)
	if err != nil {
		return nil, err
	}
	return replay.NewHistorian(x), nil
}

// evidence is the cycle in the happens-before relation of a run, and the run. The error
// says what of the run is wrong.
func evidence(h *replay.Historian, evs []abstract.Event) (*verdict.RobustEvidence, error) {
	e := &verdict.RobustEvidence{}
	if h.Record(evs) {
		e.Cycle = h.Cycle()
	}
	if e.Cycle == nil {
		return nil, errors.New("has no happens-before cycle")
	}
	var err error
	if e.Run, err = trace(h.Program(), evs[:h.Done()]); err != nil {
		return nil, fmt.Errorf("does not replay: %w", err)
	}
	e.Execution, e.Accesses = h.Execution(e.Run)
	return e, nil
}
