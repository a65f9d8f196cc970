package explore

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
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestPack packs random states of random programs: unpacking gives them back,
// equal words mean equal states, and no packed state begins another.
func TestPack(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randprog.New(rng, randprog.Options{Lock: 5, AddrDep: 50})
		sys, err := abstract.Compile(p, models[seed%2], nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := newLayout(sys)
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
			words, ok := l.pack(nil, a)
			if !ok {
				t.Fatalf("seed %d: %v", seed, l.outside(sys, a))
			}
			b.Vals[rng.IntN(len(b.Vals))] = 77 // unpack must not rely on what was there
			if n := l.unpack(append(slices.Clone(words), rng.Uint64()), b); n != len(words) || !a.Equal(b) {
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
	l := newLayout(sys)
	s, u := sys.NewState(), sys.NewState()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		sys.Initial(s)
		s.PC[0] = program.StateID(rng.IntN(len(tb.Thread.States)))
		for i := range 5 {
			s.Regs[0][i] = int64(rng.Uint64()) >> (i * 7)
		}
		s.Regs[0][5] = int64(rng.IntN(2))
		words, ok := l.pack(nil, s)
		if !ok {
			t.Fatal(l.outside(sys, s))
		}
		if n := l.unpack(words, u); n != len(words) || !s.Equal(u) {
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
	l := newLayout(sys)
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
		if _, ok := l.pack(nil, s); !ok {
			t.Fatal("the initial state does not pack")
		}
		spoil()
		if _, ok := l.pack(nil, s); ok || l.outside(sys, s) == nil {
			t.Errorf("%s: packed", name)
		}
	}
}

func TestVisited(t *testing.T) {
	var a arena
	v := newVisited()
	rng := rand.New(rand.NewPCG(3, 3))
	type rec struct {
		id    uint32
		words []uint64
	}
	var recs []rec
	for i := range 50000 {
		words := make([]uint64, 1+rng.IntN(4))
		words[0] = uint64(i)
		for j := 1; j < len(words); j++ {
			words[j] = rng.Uint64()
		}
		if crowded(v.count, len(v.slots)) {
			v.grow()
		}
		hash := hashWords(words)
		slot, found := v.find(&a, hash, words)
		if found {
			t.Fatalf("%v found before it was put", words)
		}
		id, ok := a.alloc(1 + len(words))
		if !ok {
			t.Fatal("no room")
		}
		r := a.record(id)
		r[0] = header(ref(i), uint32(len(words)))
		copy(r[1:], words)
		v.put(slot, hash, id)
		recs = append(recs, rec{id, words})
	}
	next := int64(0)
	for i, r := range recs {
		slot, found := v.find(&a, hashWords(r.words), r.words)
		if !found || uint32(v.slots[slot]) != r.id {
			t.Fatalf("record %d not found", i)
		}
		if h := a.record(r.id)[0]; parentOf(h) != ref(i) || depthOf(h) != uint32(len(r.words)) {
			t.Fatalf("record %d: parent %d, depth %d", i, parentOf(h), depthOf(h))
		}
		if id := a.from(next); id != r.id {
			t.Fatalf("record %d: the walk is at %d, want %d", i, id, r.id)
		}
		next = int64(r.id) + 1 + int64(len(r.words))
	}
	if id := a.from(next); id != 0 {
		t.Errorf("the walk goes on to %d", id)
	}
}

// TestCollision: states of the same hash are told apart.
func TestCollision(t *testing.T) {
	var a arena
	v := newVisited()
	for i := range uint64(100) {
		words := []uint64{i, 0}
		slot, found := v.find(&a, 12345<<40, words)
		if found {
			t.Fatalf("%v found before it was put", words)
		}
		id, _ := a.alloc(3)
		r := a.record(id)
		r[0] = header(0, 0)
		copy(r[1:], words)
		v.put(slot, 12345<<40, id)
	}
	if _, found := v.find(&a, 12345<<40, []uint64{99, 0}); !found {
		t.Error("the last state is not found")
	}
}

func TestArenaLimits(t *testing.T) {
	var a arena
	if _, ok := a.alloc(chunkWords); ok {
		t.Error("a record as large as a chunk")
	}
	id, ok := a.alloc(chunkWords - 1)
	if !ok || a.from(0) != id {
		t.Errorf("%d, %v", id, ok)
	}
	a.end = maxArena - 1
	if _, ok := a.alloc(2); ok {
		t.Error("ids are used up")
	}
}

// A program of which every state is the same takes a word all the same.
func TestPackNothing(t *testing.T) {
	p := &program.Program{Name: "nothing", Threads: []*program.Thread{{Name: "P", States: make([]program.State, 1)}},
		Properties: []program.Property{{Kind: program.Deadlock}}}
	for _, workers := range []int{1, 2} {
		res, err := All(t.Context(), p, Options{Workers: workers})
		if err != nil || !res.Safe() || res.Stat("states") != 1 {
			t.Fatalf("%v, %v", res, err)
		}
	}
}

// Fields of no width after exactly 64 bits of others.
func TestPackFull(t *testing.T) {
	th := &program.Thread{Name: "P", States: make([]program.State, 1)}
	for range 2 {
		th.Regs = append(th.Regs, program.Register{Type: program.Int32Type})
		th.Edges = append(th.Edges, program.Edge{Cmd: program.Command{Op: program.Havoc, Reg: len(th.Regs) - 1,
			Lo: -1 << 31, Hi: 1<<31 - 1}})
	}
	p := &program.Program{Name: "full", Threads: []*program.Thread{th, {Name: "Q", States: make([]program.State, 1)}},
		Properties: []program.Property{{Kind: program.Deadlock}}}
	res, err := All(t.Context(), p, Options{MaxStates: 100, NoLive: true})
	if err != nil || res.Verdict() != verdict.IsUnknown || res.Stat("states") != 100 {
		t.Fatalf("%v, %v", res, err)
	}
}
