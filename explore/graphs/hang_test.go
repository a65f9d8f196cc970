package graphs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestHangs has programs that can hang for ever, and such that cannot, under the models of processors and IMM.
func TestHangs(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       verdict.Verdict
		waits      int // threads
	}{
		{"nobody comes", "process P begin await x = 1 end", verdict.IsUnsafe, 1},
		{"somebody comes", "process P begin await x = 1 end process Q begin x := 1 end", verdict.IsSafe, 0},
		{"a signal is lost", "process P begin await x = 1 end process Q begin x := 1; x := 0 end", verdict.IsUnsafe, 1},
		{"both announce", "process P begin x := 1; await y = 1 end process Q begin y := 1; await x = 1 end", verdict.IsSafe, 0},
		{"both wait", "process P begin await y = 1; x := 1 end process Q begin await x = 1; y := 1 end", verdict.IsUnsafe, 2},
		{"the last of two stores", "process P begin x := 1 end process Q begin x := 2 end process R begin await x = 1 end", verdict.IsUnsafe, 1},
		{"who has read too early", "process Q begin x := 1 end process P local r begin r := x; assume r = 1 end", verdict.IsUnsafe, 1},
		{"what fails is not looked at", "process P begin assert x = 1 end process Q begin await y = 1 end", verdict.IsSafe, 0},
		{"a lock that is not given back", `process P local l begin l := 1; while l = 1 do l := xchg(x, 1) od end
			process Q local l begin l := 1; while l = 1 do l := xchg(x, 1) od; x := 0 end`, verdict.IsUnsafe, 1},
		// Each reads what the other stores after its load.
		{"load buffering", `process P local r begin r := x; y := 1; if r = 1 then await z = 1 fi end
			process Q local s begin s := y; x := 1; if s = 0 then z := 1 fi end`, verdict.IsUnsafe, 1},
		{"load buffering, fenced", `process P local r begin r := x; fence; y := 1; if r = 1 then await z = 1 fi end
			process Q local s begin s := y; fence; x := 1; if s = 0 then z := 1 fi end`, verdict.IsSafe, 0},
		{"store buffering", `process P local r begin x := 1; r := y; if r = 0 then await z = 1 else z := 1 fi end
			process Q local r begin y := 1; r := x; if r = 0 then await z = 1 else z := 1 fi end`, verdict.IsUnsafe, 2},
	} {
		for _, hw := range hardware {
			p, err := imp.Parse(&program.Source{Name: "p.imp", Text: "program P variables x, y, z; " + test.text}, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.Arch = hw.arch
			for _, th := range p.Threads {
				for i := range th.Edges {
					if c := &th.Edges[i].Cmd; c.Op == program.Fence {
						c.Tags = program.NewTags(map[memory.Model]string{memory.IMM: "SC", memory.ARMv8: "DMB.SY", memory.Power: "sync", memory.RISCV: "Fence.rw.rw"}[hw.model])
					}
				}
			}
			def := load(t, hw.model, hw.arch)
			r, err := Hangs(t.Context(), p, def, Options{BackEdges: 2})
			switch {
			case err != nil:
				t.Fatalf("%s, %s: %v", test.name, hw.model, err)
			case r.Verdict() != test.want:
				t.Errorf("%s, %s: %s (%s), want %s", test.name, hw.model, r.Verdict(), r.Reason(), test.want)
			case r.Unsafe() && len(r.Violation().Hang.Waits) != test.waits:
				t.Errorf("%s, %s: %+v", test.name, hw.model, r.Violation().Hang)
			}
		}
	}
}

// hangShapes are programs with waits.
var hangShapes = []randprog.Options{
	{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Havoc: -1, WaitLoop: 5, Atomic: -1},
	{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Lock: -1, Havoc: -1, WaitLoop: 4, RMW: 2, Assume: 1, Atomic: -1},
	{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Havoc: -1, WaitLoop: 2, Atomic: 6, Branch: 3},
	{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Lock: -1, Havoc: -1, WaitLoop: 4, Start: 40, Assert: 1, AddrDep: 30},
}

// waiting is a program of two threads that load and store, and then wait where they have read certain values.
func waiting(rng *rand.Rand) *program.Program {
	of := func(all ...string) string { return all[rng.IntN(len(all))] }
	text := "program P variables x, y, z;"
	for i, name := range []string{"A", "B"} {
		text += " process " + name + " local r, s begin "
		own, other := of("x", "y"), []string{"y", "x"}[i]
		for range 2 + rng.IntN(2) {
			text += of("r := "+own, "s := "+other, own+" := 1", other+" := 1", other+" := r", "fence") + "; "
		}
		wait, tell := "await z = 1", "z := 1"
		text += of("if r = 1 then "+wait+" fi", "if r + s = 1 then "+wait+" else "+tell+" fi", "if s = 0 then "+wait+" else "+tell+" fi", "if r = 0 then "+tell+" fi", "if s = 0 then "+tell+" fi") + " end"
	}
	p, err := imp.Parse(&program.Source{Name: "p.imp", Text: text}, nil)
	if err != nil {
		panic(err.Error() + text)
	}
	return p
}

// TestHangsBrute compares with all ways in which some threads may have come to where they could wait, and the others to their ends:
// each is a program of its own, whose executions are enumerated thread by thread, and in each execution those threads are run alone, with what is last in
// memory. The same is done for deadlocks, in which they have no step at all.
func TestHangsBrute(t *testing.T) {
	n := given("FENCEPOST_DELAY", seeds(84))
	for _, hw := range hardware {
		def := load(t, hw.model, hw.arch)
		var counts [2]map[verdict.Verdict]int
		for i := range counts {
			counts[i] = map[verdict.Verdict]int{}
		}
		open := 0
		for seed := range n {
			rng := rand.New(rand.NewPCG(seed, 79))
			p := waiting(rng)
			if k := seed % uint64(len(hangShapes)+2); k < uint64(len(hangShapes)) {
				p = randprog.New(rng, hangShapes[k])
			}
			ofArch(rng, p, hw.arch, hw.fences, hw.reads, hw.writes)
			p.Properties, p.Filter = nil, nil
			for i, stands := range []bool{false, true} {
				ask, asked := Hangs, *p
				if stands {
					ask, asked.Properties = Check, []program.Property{{Kind: program.Deadlock}}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				got, err := ask(ctx, &asked, def, Options{BackEdges: 2})
				cancel()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
				want, all := hangs(ctx, t, p, def, stands)
				cancel()
				switch {
				case stands && got.Unsafe() && got.Violation().Property == nil: // an assertion fails
				case want && got.Safe(), !want && all && got.Unsafe():
					t.Fatalf("seed %d, %s, deadlock %v: %s, want %v\n%s", seed, hw.model, stands, got.Verdict(), want, text(t, p))
				case !all && !want || !got.Conclusive():
					open++
				default:
					counts[i][got.Verdict()]++
				}
			}
		}
		t.Logf("%s: hangs %v, deadlocks %v, %d open", hw.model, counts[0], counts[1], open)
	}
}

// hangs is whether an execution of p under def hangs, or ends in a deadlock; not all where not all could be looked at.
func hangs(ctx context.Context, t *testing.T, p *program.Program, def *memory.Definition, stand bool) (found, all bool) {
	at := make([]program.StateID, len(p.Threads)) // where each stops, or -1
	all = true
	var choose func(k int)
	choose = func(k int) {
		if k < len(at) {
			at[k] = -1
			choose(k + 1)
			for q := range p.Threads[k].States {
				if at[k] = program.StateID(q); !found && mayWait(p.Threads[k], at[k]) {
					choose(k + 1)
				}
			}
			return
		}
		if !slices.ContainsFunc(at, func(q program.StateID) bool { return q >= 0 }) {
			return
		}
		short := stopped(p, at)
		r, err := program.Analyse(short)
		if err != nil {
			t.Fatal(err)
		}
		err = Enumerate(ctx, short, def, Options{BackEdges: 2, way: oneByOne}, func(g *memory.Graph, s verdict.FinalState) bool {
			found = true
			for k, q := range at {
				found = found && (q < 0 || stays(p, k, q, s.Regs[k], r.Cells, s.Memory, stand))
			}
			return !found
		})
		if err != nil {
			if all = false; err != ErrCut && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
	}
	choose(0)
	return found, all
}

// mayWait is whether a thread may stay at q: there are ways back to it, or it depends on what holds whether it can go on.
func mayWait(t *program.Thread, q program.StateID) bool {
	out := t.Out()
	if len(out[q]) == 0 || t.States[q].Kind != 0 {
		return false
	}
	seen := make([]bool, len(t.States))
	for work := slices.Clone(out[q]); len(work) > 0; {
		to := t.Edges[work[0]].To
		work = work[1:]
		if to == q {
			return true
		}
		if !seen[to] {
			seen[to] = true
			work = append(work, out[to]...)
		}
	}
	return !slices.ContainsFunc(out[q], func(e int) bool {
		c := &t.Edges[e].Cmd
		return c.Op != program.Check && !slices.ContainsFunc(c.Body, func(b program.Command) bool { return b.Op == program.Check })
	})
}

// stopped is p with threads that end where they come to certain places, and nowhere else, and all registers seen.
func stopped(p *program.Program, at []program.StateID) *program.Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for k := range q.Threads {
		th := *q.Threads[k]
		th.Regs = slices.Clone(th.Regs)
		for r := range th.Regs {
			th.Regs[r].Temp = false
		}
		th.Edges = slices.DeleteFunc(slices.Clone(th.Edges), func(e program.Edge) bool { return e.From == at[k] })
		if at[k] >= 0 {
			th.States = slices.Clone(th.States)
			for end, out := range th.Out() {
				switch {
				case th.States[end].Kind == program.Unstarted:
					th.States[end].Kind = program.Plain
				case len(out) == 0 && program.StateID(end) != at[k]:
					th.States[end].Kind = program.GivenUp
				}
			}
		}
		q.Threads[k] = &th
	}
	return &q
}

// stays is whether thread k, alone at state q with those registers and such a memory, goes on for ever without a change of memory, or stands.
func stays(p *program.Program, k int, q program.StateID, regs []int64, cells []program.Cell, values []int64, stand bool) bool {
	t := p.Threads[k]
	out := t.Out()
	mem := map[int64]int64{}
	types := map[int64]program.Type{}
	for _, c := range p.Memory {
		mem[c.Addr], types[c.Addr] = c.Init, c.Type
	}
	for i, c := range cells {
		mem[c.Addr], types[c.Addr] = values[i], c.Type
	}
	changes := false
	// do is whether a command can be executed, on registers and what an atomic block has stored.
	var do func(c *program.Command, regs []int64, own map[int64]int64) bool
	do = func(c *program.Command, regs []int64, own map[int64]int64) bool {
		eval := func(e program.Expr) int64 {
			return program.EvalRegs(e, regs)
		}
		set := func(v int64) { regs[c.Reg] = t.Regs[c.Reg].Type.Wrap(v) }
		switch c.Op {
		case program.Check:
			return eval(c.Value) != 0
		case program.Assert:
			changes = changes || eval(c.Value) == 0 // it ends there
		case program.Assign:
			set(eval(c.Value))
		case program.Load:
			a := eval(c.Addr)
			if v, ok := own[a]; ok {
				set(v)
			} else {
				set(mem[a])
			}
		case program.Store:
			a := eval(c.Addr)
			own[a] = types[a].Wrap(eval(c.Value))
		case program.Atomic:
			for i := range c.Body {
				if !do(&c.Body[i], regs, own) {
					return false
				}
			}
		}
		return true
	}
	seen := map[string]bool{}
	var from func(q program.StateID, regs []int64) bool
	from = func(q program.StateID, regs []int64) bool {
		if t.States[q].Kind == program.GivenUp || len(out[q]) == 0 {
			return false
		}
		if name := fmt.Sprint(q, regs); seen[name] {
			return true
		} else {
			seen[name] = true
		}
		for _, e := range out[q] {
			after, own := slices.Clone(regs), map[int64]int64{}
			if !do(&t.Edges[e].Cmd, after, own) {
				continue
			}
			for a, v := range own {
				changes = changes || mem[a] != v
			}
			if changes || stand || !from(t.Edges[e].To, after) {
				return false
			}
		}
		return true
	}
	return from(q, regs)
}
