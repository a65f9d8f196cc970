package explore_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var rotations = flag.Int("rotations", 300, "how many random programs with counters are searched")

// counting is a random program of two threads with counters of two or three bits, that go round.
func counting(rng *rand.Rand) *program.Program {
	word := program.Type{Bits: 2 + uint8(rng.IntN(5)/4), Signed: rng.IntN(3) == 0}
	p := &program.Program{Name: "counting", Default: program.Int64Type}
	for i, t := range []program.Type{word, word, {Bits: 2}} {
		p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: fmt.Sprintf("c%d", i), Type: t})
	}
	kept := rng.IntN(2) == 0   // registers have values from the beginning on
	breaks := rng.IntN(4) == 0 // commands for which a counter must not turn
	for ti := range 2 {
		t := &program.Thread{Name: fmt.Sprintf("T%d", ti)}
		for r, ty := range []program.Type{word, word, {Bits: 2}} {
			t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("r%d", r), Type: ty})
			if kept && r < 2 {
				t.Regs[r].Init = int64(rng.IntN(2))
			}
		}
		n := 6 + rng.IntN(3)
		for q := range n {
			t.States = append(t.States, program.State{Name: fmt.Sprintf("q%d", q)})
		}
		reg := func() program.Reg { return program.Reg(rng.IntN(2)) }
		counter := func() int64 { return int64(rng.IntN(2)) }
		k := func() program.Const { return program.Const(rng.IntN(3)) }
		bin := func(op program.BinaryOp, x, y program.Expr) program.Expr {
			return program.Binary{Op: op, X: x, Y: y}
		}
		cond := func() program.Expr {
			is := []program.BinaryOp{program.Eq, program.Ne}[rng.IntN(2)]
			if breaks && rng.IntN(3) == 0 {
				switch rng.IntN(4) {
				case 0:
					return bin(is, reg(), k())
				case 1:
					return bin(program.Lt, reg(), reg())
				case 2:
					return bin(is, bin(program.Sub, reg(), reg()), k())
				default:
					return bin(is, bin(program.Rem, reg(), program.Const(3)), k())
				}
			}
			switch rng.IntN(7) {
			case 6:
				if word.Signed {
					return bin(is, program.Reg(2), k())
				}
				return bin(is, bin(program.Rem, program.Reg(rng.IntN(2)), program.Const(2)), k())
			case 0, 1:
				return bin(is, reg(), reg())
			case 2:
				return bin(is, bin(program.BitAnd, reg(), program.Const(1)), k())
			case 3:
				return bin(is, program.Unary{Op: program.Cast(word), X: bin(program.Sub, reg(), reg())}, k())
			default:
				return bin(is, program.Reg(2), k())
			}
		}
		command := func() program.Command {
			c := counter()
			addr := program.Const(c)
			switch rng.IntN(14) {
			case 0, 1:
				return program.Command{Op: program.Load, Reg: int(reg()), Addr: addr}
			case 2:
				return program.Command{Op: program.Store, Addr: addr, Value: program.Unary{Op: program.Cast(word), X: bin(program.Add, reg(), k())}}
			case 3:
				return program.Command{Op: program.Store, Addr: addr, Value: bin(program.Sub, reg(), k())}
			case 4:
				return program.Command{Op: program.Assign, Reg: int(reg()), Value: bin(program.Add, reg(), k())}
			case 5:
				return program.Command{Op: program.Assign, Reg: 2, Value: bin(program.Sub, reg(), reg())}
			case 6:
				return program.Command{Op: program.Store, Addr: program.Const(2), Value: bin(program.Add, program.Reg(2), k())}
			case 7:
				return program.Command{Op: program.Load, Reg: 2, Addr: program.Const(2)}
			case 8:
				if rng.IntN(3) > 0 {
					return program.Command{Op: program.Fence}
				}
				return program.Command{Op: program.Assert, Value: cond(), Text: "a condition"}
			case 9, 10:
				r := reg()
				return program.Command{Op: program.Atomic, Text: "add", Body: []program.Command{
					{Op: program.Load, Reg: int(r), Addr: addr},
					{Op: program.Store, Addr: addr, Value: bin(program.Add, r, k())}}}
			case 11:
				if breaks {
					return []program.Command{{Op: program.Havoc, Reg: int(reg()), Lo: 0, Hi: 2},
						{Op: program.Store, Addr: addr, Value: k()},
						{Op: program.Assign, Reg: int(reg()), Value: bin(program.Mul, reg(), k())}}[rng.IntN(3)]
				}
				return program.Command{Op: program.Load, Reg: int(reg()), Addr: bin(program.BitAnd, reg(), program.Const(1))}
			default:
				r := reg()
				return program.Command{Op: program.Atomic, Text: "cas", Body: []program.Command{
					{Op: program.Load, Reg: int(r), Addr: addr}, {Op: program.Check, Value: cond()},
					{Op: program.Store, Addr: addr, Value: bin(program.Add, reg(), k())}}}
			}
		}
		for q := range n {
			from, next := program.StateID(q), program.StateID((q+1)%n)
			if q < 2 && !kept {
				t.Edges = append(t.Edges, program.Edge{From: from, To: next, Cmd: program.Command{Op: program.Load, Reg: q, Addr: program.Const(q % 2)}})
				continue
			}
			if q == n-1 && ti == 0 {
				t.Edges = append(t.Edges, program.Edge{From: from, To: next, Cmd: program.Command{Op: program.Assert, Value: cond(), Text: "a condition"}})
				continue
			}
			if q == 2 {
				c := program.Const(ti)
				t.Edges = append(t.Edges, program.Edge{From: from, To: next, Cmd: program.Command{Op: program.Atomic, Text: "add", Body: []program.Command{
					{Op: program.Load, Reg: 0, Addr: c}, {Op: program.Store, Addr: c, Value: bin(program.Add, program.Reg(0), program.Const(1))}}}})
				continue
			}
			if rng.IntN(3) > 0 {
				t.Edges = append(t.Edges, program.Edge{From: from, To: next, Cmd: command()})
				continue
			}
			c := cond()
			t.Edges = append(t.Edges, program.Edge{From: from, To: next, Cmd: program.Command{Op: program.Check, Value: c}},
				program.Edge{From: from, To: program.StateID(rng.IntN(n)), Cmd: program.Command{Op: program.Check, Value: program.NotExpr(c)}})
		}
		p.Threads = append(p.Threads, t)
	}
	return p
}

// TestRotation compares searches that turn counters with searches that do not.
func TestRotation(t *testing.T) {
	n := *rotations
	if testing.Short() {
		n = min(n, 300)
	}
	turned, fewer, skipped, seen := 0, 0, 0, map[string]int{}
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 31))
		p := counting(rng)
		if err := program.Sanity(p); err != nil {
			t.Fatal(err)
		}
		m := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
		by := explore.Reductions()[seed%len(explore.Reductions())]
		opts := explore.Options{Model: m, Buffer: 1, MaxStates: 1 << 14, Reduction: by, DepthFirst: rng.IntN(2) == 0, Symmetry: explore.Symmetric(rng.IntN(3) % 2)}
		ask := explore.Check
		if rng.IntN(4) == 0 {
			ask = explore.Hangs
		}
		got, err := ask(t.Context(), p, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		opts.NoRotation = true
		want, err := ask(t.Context(), p, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if strings.Contains(got.Reason()+want.Reason(), "limit") {
			skipped++
			continue
		}
		if got.Verdict() != want.Verdict() {
			t.Errorf("seed %d, %s, %s: %v, and %v without turning: %s", seed, m, by, got.Verdict(), want.Verdict(), want.Reason())
		}
		if slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "go round for ever") }) {
			turned++
			seen[got.Verdict().String()]++
			if got.Stats[0].Value < want.Stats[0].Value {
				fewer++
			}
		}
	}
	t.Logf("%d programs, %d with counters that turn, %d of these with fewer states, %d too large; %v", n, turned, fewer, skipped, seen)
	if turned < n/20 || fewer < turned/8 || seen["SAFE"] == 0 || seen["UNSAFE"] == 0 {
		t.Error("that is too few")
	}
}

// TestRotationOfRegisters has a ring whose sides keep what they know of each other in registers, which are read before
// they are written.
func TestRotationOfRegisters(t *testing.T) {
	word := program.Uint64Type
	p := &program.Program{Name: "ring", Default: program.Int64Type}
	for i, name := range []string{"head", "tail"} {
		p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: name, Type: word})
	}
	bin := func(op program.BinaryOp, x, y program.Expr) program.Expr { return program.Binary{Op: op, X: x, Y: y} }
	const mine, cached = program.Reg(0), program.Reg(1)
	for ti := range 2 { // the consumer, and the producer
		room, between := bin(program.Ne, mine, cached), bin(program.Sub, cached, mine)
		if ti == 1 {
			between = bin(program.Sub, mine, cached)
			room = bin(program.ULt, between, program.Const(4))
		}
		th := &program.Thread{Name: fmt.Sprintf("T%d", ti), Regs: []program.Register{{Name: "mine", Type: word}, {Name: "cached", Type: word}}}
		th.Edges = []program.Edge{
			{From: 0, To: 1, Cmd: program.Command{Op: program.Load, Reg: 0, Addr: program.Const(ti)}},
			{From: 1, To: 2, Cmd: program.Command{Op: program.Assert, Value: bin(program.ULe, between, program.Const(4)), Text: "no more than there is room for"}},
			{From: 2, To: 3, Cmd: program.Command{Op: program.Check, Value: room}},
			{From: 2, To: 4, Cmd: program.Command{Op: program.Check, Value: program.NotExpr(room)}},
			{From: 3, To: 0, Cmd: program.Command{Op: program.Store, Addr: program.Const(ti), Value: bin(program.Add, mine, program.Const(1))}},
			{From: 4, To: 0, Cmd: program.Command{Op: program.Load, Reg: 1, Addr: program.Const(1 - ti)}},
		}
		for q := range 5 {
			th.States = append(th.States, program.State{Name: fmt.Sprintf("q%d", q)})
		}
		p.Threads = append(p.Threads, th)
	}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		if r, err := explore.Check(t.Context(), p, explore.Options{Model: m, MaxStates: 1 << 12}); err != nil || !r.Safe() {
			t.Errorf("%s: %v %v %s", m, err, r.Verdict(), r.Reason())
		}
	}
}

// TestRotationFromRoot asks for a run that begins with counters that are turned at once, among threads that are alike.
func TestRotationFromRoot(t *testing.T) {
	word := program.Type{Bits: 8}
	p := &program.Program{Name: "root", Default: program.Int64Type}
	for i, name := range []string{"c", "x0", "x1"} {
		p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: name, Type: word, Init: 255})
	}
	for ti := range 2 {
		x := program.Const(1 + ti)
		th := &program.Thread{Name: fmt.Sprintf("T%d", ti), States: []program.State{{Name: "q0"}, {Name: "q1"}},
			Regs: []program.Register{{Name: "r", Type: word}, {Name: "s", Type: word}}}
		more := program.Binary{Op: program.Add, X: program.Reg(0), Y: program.Const(1)}
		ahead := program.Unary{Op: program.Cast(word), X: program.Binary{Op: program.Sub, X: program.Reg(0), Y: program.Reg(1)}}
		th.Edges = []program.Edge{
			{From: 0, To: 0, Cmd: program.Command{Op: program.Atomic, Text: "add", Body: []program.Command{
				{Op: program.Load, Reg: 0, Addr: program.Const(0)}, {Op: program.Store, Addr: program.Const(0), Value: more}, {Op: program.Store, Addr: x, Value: more}}}},
			{From: 0, To: 1, Cmd: program.Command{Op: program.Atomic, Text: "see", Body: []program.Command{
				{Op: program.Load, Reg: 0, Addr: program.Const(0)}, {Op: program.Load, Reg: 1, Addr: x},
				{Op: program.Check, Value: program.Binary{Op: program.Eq, X: ahead, Y: program.Const(3)}}}}},
		}
		p.Threads = append(p.Threads, th)
	}
	at := func(t int) program.Expr {
		return program.At{Thread: t, States: []program.StateID{1}}
	}
	p.Properties = []program.Property{{Kind: program.Forbid, Cond: program.Binary{Op: program.LogicalOr, X: at(0), Y: at(1)}}}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	for _, by := range explore.Reductions() {
		r, err := explore.Check(t.Context(), p, explore.Options{Model: memory.SC, Reduction: by, Symmetry: explore.Symmetry})
		if err != nil {
			t.Errorf("%s: %v", by, err)
		} else if !r.Unsafe() || !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "go round for ever") }) {
			t.Errorf("%s: %v %s %v", by, r.Verdict(), r.Reason(), r.Notes)
		}
	}
}
