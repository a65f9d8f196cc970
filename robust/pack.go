package robust

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/program"
)

// witnessLayout says how states are packed. Only what can differ takes bits: the
// ranges of the values are known.
type witnessLayout struct {
	target  uint
	rounds  uint
	cells   []states.Field
	shadow  []int         // cells that the attacker stores to
	mark    uint          // of a disputed cell
	threads []threadBlock // by thread; of active ones
	// groups are the active threads but for the attacker. Threads of a group
	// run the same automaton, so that states that differ by a permutation
	// within a group are one: their blocks are sorted.
	groups [][]int
	blocks []uint64
}

type threadBlock struct {
	pc   uint
	regs []states.Field
	size uint
}

func newWitnessLayout(s *witnessSearch) witnessLayout {
	l := witnessLayout{target: uint(bits.Len(uint(len(s.threat.targets)))), mark: 2}
	if s.locks {
		l.mark = 3
	}
	if s.threat.counts != nil {
		l.rounds = uint(bits.Len(uint(s.threat.rounds)))
	}
	for c := range s.r.Cells {
		l.cells = append(l.cells, states.NewField(s.r.Cell[c]))
		if s.r.Writers[c][s.threat.thread] {
			l.shadow = append(l.shadow, c)
		}
	}
	l.threads = make([]threadBlock, len(s.p.Threads))
	for _, t := range s.active {
		b := threadBlock{pc: uint(bits.Len(uint(len(s.p.Threads[t].States) - 1)))}
		b.size = b.pc + 2 // lock, joined
		for r := range s.p.Threads[t].Regs {
			f := states.NewField(s.r.Reg[t][r])
			b.regs = append(b.regs, f)
			b.size += f.Bits()
		}
		l.threads[t] = b
		if t == s.threat.thread {
			continue
		}
		g := slices.IndexFunc(l.groups, func(g []int) bool {
			return b.size <= 64 && sameAutomaton(s.p.Threads[g[0]], s.p.Threads[t])
		})
		if g < 0 {
			l.groups = append(l.groups, []int{t})
		} else {
			l.groups[g] = append(l.groups[g], t)
		}
	}
	return l
}

// sameAutomaton is true of threads that differ in names and positions only.
func sameAutomaton(a, b *program.Thread) bool {
	if a.Initial != b.Initial || len(a.States) != len(b.States) || len(a.Edges) != len(b.Edges) || len(a.Regs) != len(b.Regs) {
		return false
	}
	for r := range a.Regs {
		if a.Regs[r].Type != b.Regs[r].Type || a.Regs[r].Init != b.Regs[r].Init {
			return false
		}
	}
	for i := range a.Edges {
		e, f := &a.Edges[i], &b.Edges[i]
		if e.From != f.From || e.To != f.To || !sameCommand(&e.Cmd, &f.Cmd) {
			return false
		}
	}
	return true
}

func sameCommand(a, b *program.Command) bool {
	if a.Op != b.Op || a.Reg != b.Reg || a.Lo != b.Lo || a.Hi != b.Hi || a.Kind != b.Kind || a.Tags != b.Tags ||
		len(a.Body) != len(b.Body) || !reflect.DeepEqual(a.Addr, b.Addr) || !reflect.DeepEqual(a.Value, b.Value) {
		return false
	}
	for i := range a.Body {
		if !sameCommand(&a.Body[i], &b.Body[i]) {
			return false
		}
	}
	return true
}

func (l *witnessLayout) pack(s *witnessSearch, words []uint64, st *witnessState) []uint64 {
	w := states.NewWriter(words)
	w.Put(uint64(st.phase), 2)
	if st.phase != before {
		w.Put(uint64(st.target), l.target)
	}
	for c := range l.cells {
		s.put(&w, st.Mem[c], &l.cells[c])
	}
	attacker := s.threat.thread
	switch st.phase {
	case delaying:
		w.Put(uint64(st.rounds), l.rounds)
		pairs := st.Buf[attacker].Pairs
		for _, c := range l.shadow {
			if len(pairs) == 0 || pairs[0].Cell != c {
				w.Put(0, 1)
				continue
			}
			w.Put(1, 1)
			s.put(&w, pairs[0].Value, &l.cells[c])
			pairs = pairs[1:]
		}
	case closing:
		for _, c := range s.marked {
			w.Put(uint64(st.marks[c]), l.mark)
		}
	}
	if st.phase != closing {
		l.packThread(s, &w, st, attacker)
	}
	for _, g := range l.groups {
		if len(g) == 1 {
			l.packThread(s, &w, st, g[0])
			continue
		}
		l.blocks = l.blocks[:0]
		for _, t := range g {
			b := states.NewWriter(nil)
			l.packThread(s, &b, st, t)
			l.blocks = append(l.blocks, b.Done()[0])
		}
		slices.Sort(l.blocks)
		for _, v := range l.blocks {
			w.Put(v, l.threads[g[0]].size)
		}
	}
	return w.Done()
}

// put packs a value. One outside of its range is an error in the analysis.
func (s *witnessSearch) put(w *states.Writer, v int64, f *states.Field) {
	if !f.Put(w, v) {
		s.stray = fmt.Errorf("internal error: the value %d is outside of its inferred range", v)
		w.Put(0, f.Bits())
	}
}

func (l *witnessLayout) packThread(s *witnessSearch, w *states.Writer, st *witnessState, t int) {
	b := &l.threads[t]
	w.Put(uint64(st.PC[t]), b.pc)
	w.Put(uint64(program.Bool(st.Lock == t)), 1)
	w.Put(uint64(program.Bool(st.phase == closing && st.joined[t])), 1)
	for r := range b.regs {
		s.put(w, st.Regs[t][r], &b.regs[r])
	}
}

// unpack tells how many words the state takes.
func (l *witnessLayout) unpack(s *witnessSearch, words []uint64, st *witnessState) int {
	r := states.NewReader(words)
	s.x.Initial(st.State) // threads that are not active
	st.phase = uint8(r.Get(2))
	st.target = 0
	if st.phase != before {
		st.target = int(r.Get(l.target))
	}
	for c := range l.cells {
		st.Mem[c] = l.cells[c].Get(&r)
	}
	attacker := s.threat.thread
	clear(st.marks)
	clear(st.joined)
	switch st.phase {
	case delaying:
		st.rounds = int(r.Get(l.rounds))
		b := &st.Buf[attacker]
		for _, c := range l.shadow {
			if r.Get(1) != 0 {
				b.Pairs = append(b.Pairs, abstract.Pair{Cell: c, Value: l.cells[c].Get(&r)})
			}
		}
	case closing:
		for _, c := range s.marked {
			st.marks[c] = uint8(r.Get(l.mark))
		}
	}
	if st.phase != closing {
		l.unpackThread(&r, st, attacker)
	}
	for _, g := range l.groups {
		for _, t := range g {
			l.unpackThread(&r, st, t)
		}
	}
	return r.Words()
}

func (l *witnessLayout) unpackThread(r *states.Reader, st *witnessState, t int) {
	b := &l.threads[t]
	st.PC[t] = program.StateID(r.Get(b.pc))
	if r.Get(1) != 0 {
		st.Lock = t
	}
	st.joined[t] = r.Get(1) != 0
	for i := range b.regs {
		st.Regs[t][i] = b.regs[i].Get(r)
	}
}
