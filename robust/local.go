package robust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// The local-events-first reduction (thesis 4.3) of the search for a witness: see
// [witnessSearch.expand].

// isLocal is true of an edge whose command no other thread can see or influence,
// under SC.
func (s *witnessSearch) isLocal(e *program.Edge) bool {
	switch e.Cmd.Op {
	case program.Check, program.Assign, program.Havoc, program.Assert, program.Fence:
		return true
	case program.Load, program.Store:
		return !s.locks && !slices.ContainsFunc(s.r.Access[&e.Cmd], func(c int) bool { return s.disputed[c] })
	}
	return false
}

// isDelayLocal is the same for the attacker while it delays: its stores go to
// the shadow, and what drains is disabled for good. A load may be local: see
// choose.
func (s *witnessSearch) isDelayLocal(e *program.Edge) bool {
	switch e.Cmd.Op {
	case program.Check, program.Assign, program.Havoc, program.Assert, program.Store:
		return true
	case program.Load:
		return !s.locks && len(s.r.Access[&e.Cmd]) == 1
	}
	return e.Cmd.Drains() || e.Cmd.Op == program.Fence
}

// localStates are the control states that only local edges leave, less those
// that a retreating edge of a depth-first walk among them leaves.
func (s *witnessSearch) localStates(ti int, eligible func(*program.Edge) bool) []bool {
	t := s.p.Threads[ti]
	out := t.Out()
	local := make([]bool, len(t.States))
	for q := range local {
		local[q] = len(out[q]) > 0
		for _, e := range out[q] {
			local[q] = local[q] && eligible(&t.Edges[e])
		}
	}
	flow.BreakCycles(t, out, local)
	return local
}

// choose picks a thread whose next steps are local, or -1, and the edge, where
// there is just one step, or -1.
func (s *witnessSearch) choose(st *witnessState) (thread, edge int) {
	thread = -1
	for _, t := range s.active {
		local := s.local[t]
		if t == s.threat.thread {
			switch st.phase {
			case closing:
				continue
			case delaying:
				local = s.delayLocal
			}
		}
		if !local[st.PC[t]] {
			continue
		}
		n, first := int64(0), -1
		for _, e := range s.x.Out(t, st.PC[t]) {
			if s.x.Enabled(st.State, t, e) != abstract.Done {
				continue
			}
			c := &s.p.Threads[t].Edges[e].Cmd
			if c.Op == program.Assert && program.EvalRegs(c.Value, st.Regs[t]) == 0 {
				continue // the run would end, and with it what others could do
			}
			if st.phase == delaying && t == s.threat.thread && c.Op == program.Load {
				// Local if it is served by the shadow, or nobody
				// else writes the cell.
				cell := s.r.Access[c][0]
				if _, ok := (shadow{}).Last(&st.Buf[t], cell); !ok && s.disputed[cell] {
					n = 0
					break
				}
			}
			if first < 0 {
				first = e
			}
			n += s.x.Choices(t, e)
		}
		if n == 1 {
			return t, first
		}
		if n > 1 && thread < 0 {
			thread = t
		}
	}
	return thread, -1
}
