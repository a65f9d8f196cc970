package reduce

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// Rotation is the reduction by where counters stand: those that count for ever, round and round, such as the
// tickets of a lock, the indices of a ring, or the number of a sequence lock.
//
// A wheel is a set of cells and registers of n bits whose values the program stores to each other, adds to what has
// nothing to do with them, and otherwise only compares with each other, subtracts from each other, or asks for the lowest
// bits of. To turn the wheel by k is to add k to all of them, modulo 2^n. Where k is a multiple of 2^m, and m the number of the
// lowest bits that are asked for, this takes every step of the program to a step, by the same edge: what is checked,
// asserted or taken for an address does not change, and what is stored into the wheel turns with it. So
// states that turns make from each other can go on in the same ways, up to turns, and a violation stays
// one: no property looks at a wheel. Of all these states the search stores the one in which a
// certain cell of the wheel is less than 2^m. That the initial state is changed by turns is no matter: what is
// stored need not be a state that can be reached, but one that can be turned into such.
//
// What can be reached lies within the ranges of the program; turns need not stay there. So wheels have only members
// whose ranges are all of their types. Registers that are dead have no part: they hold what the search gives
// them. Those that are read before they are written turn like the others: a turn of the initial state is a state of
// other initial values. With reductions the argument is that of [Symmetry], and simpler: turns leave control states, the numbers of buffered pairs, the cells
// that are accessed, and the names of the threads as they are.
type Rotation struct{ wheels []wheel }

type wheel struct {
	unit   int64 // turns are by multiples of it
	anchor int   // the cell that becomes less than the unit
	types  []program.Type
	cells  []int     // the members among the cells
	member []bool    // by cell
	live   [][][]int // by thread and control state: the members among the registers that are live there
	regs   [][]program.Type
}

// maxUnit bounds how many of the lowest bits may be asked for.
const maxUnit = 1 << 16

// NewRotation finds the wheels of a search; live is by thread what [flow.Live] says. It is nil where there are none.
func NewRotation(task *Task, live [][]program.RegSet) *Rotation {
	w := newTurning(task)
	for again := true; again; again = w.drop() {
		w.begin()
		for t, th := range w.p.Threads {
			for i := range th.Edges {
				w.command(t, &th.Edges[i].Cmd)
			}
		}
	}
	return w.rotation(live)
}

// Note says which cells count for ever.
func (y *Rotation) Note(x *abstract.System) string {
	const most = 4
	var names []string
	for _, w := range y.wheels {
		for _, c := range w.cells {
			names = append(names, x.CellName(c))
		}
	}
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return "states are one that differ only in where counters stand that go round for ever: " + strings.Join(names, ", ")
}

// Cells is how many cells turn.
func (y *Rotation) Cells() (n int64) {
	for i := range y.wheels {
		n += int64(len(y.wheels[i].cells))
	}
	return n
}

// Canonical turns the wheels of s to where they are stored, and tells whether that changed anything.
func (y *Rotation) Canonical(s *abstract.State) (moved bool) {
	for i := range y.wheels {
		w := &y.wheels[i]
		if k := s.Mem[w.anchor] &^ (w.unit - 1); k != 0 {
			w.turn(s, -k)
			moved = true
		}
	}
	return moved
}

func (w *wheel) turn(s *abstract.State, k int64) {
	for _, c := range w.cells {
		s.Mem[c] = w.types[c].Wrap(s.Mem[c] + k)
	}
	for t := range s.PC {
		for _, r := range w.live[t][s.PC[t]] {
			s.Regs[t][r] = w.regs[t][r].Wrap(s.Regs[t][r] + k)
		}
		for i := range s.Buf[t].Pairs {
			if p := &s.Buf[t].Pairs[i]; p.Cell >= 0 && w.member[p.Cell] {
				p.Value = w.types[p.Cell].Wrap(p.Value + k)
			}
		}
	}
}
