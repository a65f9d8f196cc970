package states

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestPack packs random states of random programs: unpacking gives them back,
// equal words mean equal states, and no packed state begins another.
func TestPack(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randprog.New(rng, randprog.Options{Lock: 5, AddrDep: 50})
		sys, err := abstract.Compile(p, []memory.Model{memory.SC, memory.TSO}[seed%2], nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := NewLayout(sys)
		value := func(s program.ValueSet) int64 {
			if few, ok := s.Few(); ok {
				return few[rng.IntN(len(few))]
			}
			return []int64{s.Min(), s.Max(), 0}[rng.IntN(2)]
		}
		states := map[string]bool{}
		var all [][]uint64
		a, b := sys.NewState(), sys.NewState()
		for range 50 {
			sys.Initial(a)
			for ti, th := range p.Threads {
				a.PC[ti] = program.StateID(rng.IntN(len(th.States)))
				for r := range th.Regs {
					a.Regs[ti][r] = value(sys.Ranges.Reg[ti][r])
				}
				if cells := l.buffers[ti].cell; seed%2 == 1 && len(cells) > 0 {
					for range rng.IntN(6) {
						c := cells[rng.IntN(len(cells))]
						a.Buf[ti].Pairs = append(a.Buf[ti].Pairs, abstract.Pair{Cell: c, Value: value(sys.Ranges.Cell[c])})
					}
				}
			}
			for c := range a.Mem {
				a.Mem[c] = value(sys.Ranges.Cell[c])
			}
			if l.lock.bits > 0 {
				a.Lock = rng.IntN(len(p.Threads)+1) - 1
			}
			words, ok := l.Pack(nil, a)
			if !ok {
				t.Fatalf("seed %d: %v", seed, l.Outside(sys, a))
			}
			b.Vals[rng.IntN(len(b.Vals))] = 77 // unpack must not rely on what was there
			if n := l.Unpack(append(slices.Clone(words), rng.Uint64()), b); n != len(words) || !a.Equal(b) {
				t.Fatalf("seed %d: unpacked %+v from %d words, want %+v from %d", seed, b, n, a, len(words))
			}
			key := stateKey(a)
			if !states[key] {
				states[key] = true
				for _, o := range all {
					n := min(len(o), len(words))
					if slices.Equal(o[:n], words[:n]) {
						t.Fatalf("seed %d: a packed state begins another", seed)
					}
				}
				all = append(all, words)
			}
		}
	}
}

func stateKey(s *abstract.State) string {
	key := make([]rune, 0, 64)
	for _, q := range s.PC {
		key = append(key, rune(q))
	}
	for _, v := range s.Vals {
		key = append(key, []rune(program.Const(v).String()+",")...)
	}
	for t := range s.Buf {
		key = append(key, ';')
		for _, p := range s.Buf[t].Pairs {
			key = append(key, []rune(program.Const(p.Cell).String()+":"+program.Const(p.Value).String()+",")...)
		}
	}
	return string(append(key, rune(s.Lock+2)))
}

// TestPackWide has fields of all widths, up to 64 bits, across word boundaries.
func TestPackWide(t *testing.T) {
	b := progtest.New(3)
	tb := b.Thread()
	for i, r := range []string{"a", "b", "c", "d", "e"} {
		reg := tb.Reg(r)
		tb.Thread.Regs[reg].Type = program.Int64Type
		tb.Havoc(r, math.MinInt64>>(i*7), math.MaxInt64>>(i*7)-1)
	}
	tb.Havoc("flag", 0, 1)
	p := b.Build(t)
	for i := range tb.Thread.Edges { // too many outcomes to be enumerated, but not to be packed
		tb.Thread.Edges[i].Cmd = program.Command{Op: program.Assign, Reg: i, Value: program.Const(0)}
	}
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		r.Reg[0][i] = program.Interval(math.MinInt64>>(i*7), math.MaxInt64>>(i*7))
	}
	r.Reg[0][5] = program.Values(0, 1)
	sys, err := abstract.New(p, r, abstract.FIFO{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLayout(sys)
	s, u := sys.NewState(), sys.NewState()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		sys.Initial(s)
		s.PC[0] = program.StateID(rng.IntN(len(tb.Thread.States)))
		for i := range 5 {
			s.Regs[0][i] = int64(rng.Uint64()) >> (i * 7)
		}
		s.Regs[0][5] = int64(rng.IntN(2))
		words, ok := l.Pack(nil, s)
		if !ok {
			t.Fatal(l.Outside(sys, s))
		}
		if n := l.Unpack(words, u); n != len(words) || !s.Equal(u) {
			t.Fatalf("%v became %v", s.Regs, u.Regs)
		}
	}
}

// TestPackOutside: a value outside of its range is an error, never cut off.
func TestPackOutside(t *testing.T) {
	b := progtest.New(2)
	tb := b.Thread().Havoc("r", 2, 4)
	tb.Store(progtest.X, tb.Reg("r"))
	sys, err := abstract.Compile(b.Build(t), memory.TSO, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLayout(sys)
	s := sys.NewState()
	for name, spoil := range map[string]func(){
		"register":      func() { s.Regs[0][0] = 5 },
		"low register":  func() { s.Regs[0][0] = -1 },
		"cell":          func() { s.Mem[0] = 5 },
		"constant cell": func() { s.Mem[1] = 1 },
		"pair":          func() { s.Buf[0].Pairs = append(s.Buf[0].Pairs, abstract.Pair{Cell: 0, Value: 5}) },
		"cell of pair":  func() { s.Buf[0].Pairs = append(s.Buf[0].Pairs, abstract.Pair{Cell: 1, Value: 0}) },
	} {
		sys.Initial(s)
		if _, ok := l.Pack(nil, s); !ok {
			t.Fatal("the initial state does not pack")
		}
		spoil()
		if _, ok := l.Pack(nil, s); ok || l.Outside(sys, s) == nil {
			t.Errorf("%s: packed", name)
		}
	}
}
