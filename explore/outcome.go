package explore

import (
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An ending is how a search came to its end.
type ending struct {
	stopped string // why it ended early
	advice  string
	halted  bool // another worker has ended it
	err     error

	// violated: there is a violation, in the state with id at, or, where at is
	// 0, at the end of trace from parent: an assertion that fails.
	violated bool
	at       states.Ref

	bounded bool // of a search for hangs: a bound was met
	gaveUp  bool // likewise: where a thread comes to by itself was not found out
}

// done is true where the search is over.
func (s *search) done() bool {
	return s.violated || s.hit || s.stopped != "" || s.err != nil || s.halted
}

func (s *search) stop(why, advice string) { s.stopped, s.advice = why, advice }

func (s *search) outOfMemory() {
	if s.err = s.failure(); s.err == nil {
		s.stop("the memory limit", "allow more memory")
	}
}

func (s *search) stats() []verdict.Stat {
	return []verdict.Stat{
		{Name: "states", Value: s.states},
		{Name: "transitions", Value: s.transitions},
		{Name: "depth", Value: int64(s.maxDepth)},
		{Name: "bytes", Value: s.bytes()},
	}
}

// result is what the search found: of what, where it found none, says what.
func (s *search) result(what string) (*verdict.Result, error) {
	stats := s.stats() // before the evidence is sought
	var res *verdict.Result
	if s.violated {
		var err error
		if res, err = s.evidence(); err != nil {
			return nil, err
		}
	} else {
		res = s.outcome(what)
	}
	res.Engine, res.Abstraction, res.Stats = "explicit", abstract.Name(s.opts.Abstraction), stats
	res.Elapsed = time.Since(s.start)
	if s.note != "" {
		res.Notes = append(res.Notes, s.note)
	}
	if s.symmetry != nil {
		res.Stats = append(res.Stats, verdict.Stat{Name: "symmetric orders", Value: s.symmetry.Orders()})
	}
	if s.rotation != nil {
		res.Stats = append(res.Stats, verdict.Stat{Name: verdict.TurnedCounters, Value: s.rotation.Cells()})
		res.Notes = append(res.Notes, s.rotation.Note(s.x))
	}
	return res, nil
}

// outcome is the answer of a search that found no violation.
func (s *search) outcome(what string) *verdict.Result {
	unknown := func(reason string, args ...any) *verdict.Result {
		if reason = fmt.Sprintf(reason, args...); s.opts.Compact {
			reason += "; " + s.doubt()
		}
		return verdict.Unknown(s.p, s.opts.Model, reason)
	}
	var res *verdict.Result
	switch {
	case s.stopped != "" && s.Lists():
		res = unknown("not all final states: %s came after %s", s.stopped, verdict.Number(s.states, "state"))
		res.Advice = s.advice
	case s.stopped != "":
		res = unknown("%s among %s (depth up to %d); stopped by %s", what, verdict.Number(s.states, "state"), s.maxDepth, s.stopped)
		res.Advice = s.advice
	case s.full && s.opts.Buffer == 0:
		max := s.opts.Abstraction.(abstract.Multiset).Max
		res = unknown("no violation where no store is buffered more than %d times", max)
		res.Bound, res.BoundUnit = max, Counts
	case s.full:
		res = unknown("%s with store buffers of up to %s stores", what, verdict.Thousands(int64(s.x.Capacity)))
		res.Bound, res.BoundUnit = s.x.Capacity, "buffered stores"
		res.Advice = "allow more buffered stores"
	case s.opts.Compact:
		res = unknown("%s among %s", what, verdict.Number(s.states, "state"))
		res.Advice = "search without fingerprints for a proof"
	case s.opts.Abstraction != nil:
		res = verdict.Safe(s.p, s.opts.Model, verdict.Closed, nil)
	default:
		res = verdict.Safe(s.p, s.opts.Model, verdict.Exhaustive, nil)
	}
	if s.stopped != "" {
		if s.storesForEver() {
			res.Advice = "a thread may store without end: bound the store buffers"
		}
		if s.opts.Reduction == NoReduction && !s.opts.DepthFirst && s.depth > 0 {
			res.Bound, res.BoundUnit = int(s.depth)-1, "steps"
		}
	}
	if s.opts.Compact { // not complete up to any bound
		res.Bound, res.BoundUnit = 0, ""
	}
	return res
}

// storesForEver is true where nothing bounds a store buffer: under TSO without a
// capacity, where some loop stores and does not have to empty the buffer. It is a
// guess from the automata, for advice only.
func (s *search) storesForEver() bool {
	if s.x.Buffer.Immediate() || s.x.Capacity > 0 {
		return false
	}
	for _, t := range s.x.Program.Threads {
		for i := range t.Edges {
			if t.Edges[i].Cmd.Enters() && flow.Again(t, &t.Edges[i], keepsBuffer) {
				return true
			}
		}
	}
	return false
}

// keepsBuffer is true of a command that need not wait for an empty buffer.
func keepsBuffer(c *program.Command) bool {
	switch c.Op {
	case program.Lock, program.Unlock:
		return false
	case program.Atomic:
		return c.Wide
	case program.Fence:
		return !c.FullFence()
	}
	return true
}
