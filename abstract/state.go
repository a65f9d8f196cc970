package abstract

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A State is a state (pc, val, buf, lock) of the transition system, unpacked.
// States of one System share a layout; NewState makes them.
type State struct {
	PC   []program.StateID // by thread
	Regs [][]int64         // by thread and register; windows into Vals
	Mem  []int64           // by index into Ranges.Cells; a window into Vals
	Buf  []Contents        // by thread
	Lock int               // the thread that holds the global lock, or -1
	// Vals is the valuation in one piece: the registers of thread 0, those of
	// thread 1 and so on, then the memory.
	Vals []int64
	// Failed is the assertion that failed where [System.Step] said so.
	Failed *program.Command

	saved  []int64 // registers before an atomic block
	writes []Pair  // memory before the stores of an atomic block
	group  []Pair  // of a store of several cells
}

// Copy makes s equal to src, a state of the same system.
func (s *State) Copy(src *State) {
	copy(s.PC, src.PC)
	copy(s.Vals, src.Vals)
	for t := range s.Buf {
		s.Buf[t].Copy(&src.Buf[t])
	}
	s.Lock = src.Lock
}

// Equal is true where s and o are the same state.
func (s *State) Equal(o *State) bool {
	if s.Lock != o.Lock || !slices.Equal(s.PC, o.PC) || !slices.Equal(s.Vals, o.Vals) {
		return false
	}
	for t := range s.Buf {
		if !slices.Equal(s.Buf[t].Pairs, o.Buf[t].Pairs) {
			return false
		}
	}
	return true
}

// undo takes back what the atomic block that thread t executed last has done so
// far.
func (s *State) undo(t int) {
	copy(s.Regs[t], s.saved)
	for i := len(s.writes) - 1; i >= 0; i-- {
		s.Mem[s.writes[i].Cell] = s.writes[i].Value
	}
}
