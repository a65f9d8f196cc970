package explore

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/explore/states"
)

// compact searches with fingerprints of 64 bits in place of states (hash
// compaction: Wolper and Leroy, CAV 1993). Only the states that are still to be
// expanded are there as a whole. A state with the fingerprint of another is
// taken for it, and what can be reached only through it is missed; so that the
// search finds violations, each with its run, and proves nothing.
func (s *search) compact() {
	first := pile{budget: s.budget, whole: true}
	s.out = &first
	if s.stopped == "" {
		s.reach()
	}
	if !s.done() {
		s.crew(max(s.opts.Workers, 1), first.batches, nil)
	}
}

// doubt says what a search without a violation is worth.
func (s *search) doubt() string {
	return fmt.Sprintf("with probability at most %.2g a state was missed (64-bit fingerprints)", states.Missed(s.states))
}
