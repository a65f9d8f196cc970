package explore

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// A tally is how far a search, or one worker of it, is.
type tally struct {
	states, transitions int64
	maxDepth            uint32
	full                bool    // a store was disabled for the capacity
	tries, poll         int64   // events tried; when to look at the clock
	told                int64   // how many of the states are in total
	milestones          []int64 // that are to come
}

// What is common to the workers of a search and changes: how far they are together.
type common struct {
	halt  atomic.Bool  // the search is over for all workers
	total atomic.Int64 // states stored, as far as the workers have told

	start time.Time
	mu    sync.Mutex // held to report progress
	pulse verdict.Pulse
}

// triesPerState is how many events a search tries, for each of the states until a milestone,
// before it is there anyway: where a choice has a million ways few states are much work.
const triesPerState = 32

// wordsPerLook is how many words of states a search goes through until it looks at the clock: what an
// event takes is at most in proportion to the size of the state.
const wordsPerLook = 1 << 16

// pass tells whoever waits for it that the search is at a milestone.
func (s *search) pass() {
	s.milestones = s.milestones[1:]
	s.opts.Reached()
}

// bytes is what the search holds.
func (s *search) bytes() int64 { return s.budget.Used() }

// look is done now and then: it stops the search where it has to, and reports
// progress.
func (s *search) look() {
	s.poll = s.tries + max(1, wordsPerLook/int64(len(s.next.Vals)+64))
	if why, advice := verdict.Ended(s.ctx); why != "" {
		s.stop(why, advice)
		return
	}
	if s.halt.Load() {
		s.halted = true
		return
	}
	for s.budget.Over() {
		if !s.budget.Relieve() {
			s.outOfMemory()
			return
		}
	}
	if s.opts.MaxStates == 0 {
		s.total.Add(s.states - s.told)
		s.told = s.states
	}
	if len(s.milestones) > 0 && s.tries >= triesPerState*s.milestones[0] {
		s.pass()
	}
	if s.opts.Progress == nil || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	s.pulse.Beat("%s, depth %d, %d MB", verdict.Number(s.total.Load(), "state"), s.maxDepth, s.bytes()>>20)
}
