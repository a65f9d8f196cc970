package trust

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestHangs has programs that can hang for ever, and such that cannot, under SC, TSO, PSO and RA.
func TestHangs(t *testing.T) {
	const safe, unsafe, unknown = verdict.IsSafe, verdict.IsUnsafe, verdict.IsUnknown
	for _, tt := range []struct {
		name, text       string
		sc, tso, pso, ra verdict.Verdict
		waits            int // threads
	}{
		{"nobody comes", "process P begin await x = 1 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"somebody comes", "process P begin await x = 1 end process Q begin x := 1 end", safe, safe, safe, safe, 0},
		{"a signal is lost", "process P begin await x = 1 end process Q begin x := 1; x := 0 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"both announce", "process P begin x := 1; await y = 1 end process Q begin y := 1; await x = 1 end", safe, safe, safe, safe, 0},
		{"both wait", "process P begin await y = 1; x := 1 end process Q begin await x = 1; y := 1 end", unsafe, unsafe, unsafe, unsafe, 2},
		{"nobody has seen the other", `process P local r begin x := 1; r := y; if r = 0 then await z = 1 else z := 1 fi end
			process Q local r begin y := 1; r := x; if r = 0 then await z = 1 else z := 1 fi end`, safe, unsafe, unsafe, unsafe, 2},
		{"the last of two stores", "process P begin x := 1 end process Q begin x := 2 end process R begin await x = 1 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"a lock by exchange is not given back", `process P local l begin l := 1; while l = 1 do l := xchg(x, 1) od end
			process Q local l begin l := 1; while l = 1 do l := xchg(x, 1) od; x := 0 end`, unsafe, unsafe, unsafe, unsafe, 1},
		{"who has read too early", "process Q begin x := 1 end process P local r begin r := x; assume r = 1 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"what fails is not looked at", "process P begin assert x = 1 end process Q begin await y = 1 end", safe, safe, safe, safe, 0},
		{"who reads for ever does not wait", "process P local r begin while true do r := x od end", safe, safe, safe, safe, 0},
	} {
		p, err := imp.Parse(&program.Source{Name: "p.imp", Text: "program P variables x, y, z; " + tt.text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for m, want := range map[memory.Model]verdict.Verdict{memory.SC: tt.sc, memory.TSO: tt.tso, memory.PSO: tt.pso, memory.RA: tt.ra} {
			r, err := Hangs(t.Context(), p, Options{Model: m, MaxRounds: 3, WritesFirst: true})
			if err != nil {
				t.Fatalf("%s, %s: %v", tt.name, m, err)
			}
			if r.Verdict() != want && (want != unknown || tt.waits == 0 || !r.Unsafe()) {
				t.Errorf("%s, %s: %s, want %s", tt.name, m, r.Verdict(), want)
			}
			if r.Unsafe() && len(r.Violation().Hang.Waits) != tt.waits {
				t.Errorf("%s, %s: %+v", tt.name, m, r.Violation().Hang)
			}
		}
	}
}

// TestHangsStates compares with a search through states, and what that says under one model with
// what it says under the weaker ones: a run that hangs is a run of theirs, too. Some programs have accesses of
// several cells, which those states have as one step and graphs as events of their own.
func TestHangsStates(t *testing.T) {
	counts, wides := map[verdict.Verdict]int{}, map[verdict.Verdict]int{}
	for _, shape := range shapes {
		opts := shape.opts
		opts.WaitLoop, opts.Assert = 4, 1
		for seed := range programs(2 * shape.programs) {
			p := random(seed, opts)
			wide := seed%8 == 1 && p.Arch == program.X86 && randprog.Widen(rand.New(rand.NewPCG(seed, 43)), p)
			var stronger memory.Model // under which it hangs
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
				if def, err := memory.LoadFor(m, p.Arch); err != nil || def.Covers(p) != nil {
					continue
				}
				want, err := explore.Hangs(t.Context(), p, explore.Options{Model: m, MaxStates: 20_000, MemoryLimit: 1 << 28})
				if err != nil {
					t.Fatal(err)
				}
				if want.Safe() && stronger != "" {
					t.Fatalf("seed %d: it hangs under %s, but not under %s\n%s", seed, stronger, m, reference.Dump(p))
				}
				if want.Unsafe() {
					stronger = m
				}
				most := int64(20_000)
				if wide {
					most = 100 // the text of the model is evaluated on each
				}
				got, err := Hangs(t.Context(), p, Options{Model: m, WritesFirst: seed%2 == 0, MaxSteps: 200, MaxGraphs: most})
				if err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, reference.Dump(p))
				}
				if !want.Conclusive() || !got.Conclusive() {
					continue
				}
				counts[got.Verdict()]++
				wides[got.Verdict()] += int(program.Bool(wide))
				if got.Verdict() != want.Verdict() {
					t.Fatalf("seed %d, %s: %s, not %s\n%s", seed, m, got.Verdict(), want.Verdict(), reference.Dump(p))
				}
			}
		}
	}
	t.Logf("%v, of several cells %v", counts, wides)
}

// TestHangsCircles compares the search for hangs with the letter of what they are: a state from which all that can be
// reached leads back to it, where no step fails, and of whose threads none goes on and one waits.
func TestHangsCircles(t *testing.T) {
	counts, changing := map[verdict.Verdict]int{}, 0
	for seed := range programs(600) {
		p := circling(rand.New(rand.NewPCG(uint64(seed), 77)))
		m := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
		want, ok := hangs(t, p, m)
		if !ok {
			continue
		}
		for _, o := range []explore.Options{{Model: m}, {Model: m, DepthFirst: true}} {
			got, err := explore.Hangs(t.Context(), p, o)
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, reference.Dump(p))
			}
			counts[got.Verdict()]++
			if got.Conclusive() && got.Unsafe() != want {
				t.Fatalf("seed %d, %s: %s, want a hang: %v\n%s", seed, m, got.Verdict(), want, reference.Dump(p))
			}
			if got.Unsafe() && replay.Changing(p) {
				changing++
			}
		}
	}
	t.Logf("%v, with loops that change memory %d", counts, changing)
}

// circling is a program of two threads, each with a loop that may store and take the lock.
func circling(rng *rand.Rand) *program.Program {
	v := func() string { return []string{"x", "y"}[rng.IntN(2)] }
	var block func(n, depth int) string
	stmt := func(depth int) string {
		switch k := rng.IntN(10); {
		case k < 3:
			return "r := " + v()
		case k < 5:
			return fmt.Sprintf("%s := %d", v(), rng.IntN(2))
		case k < 6:
			w := v()
			return fmt.Sprintf("%s := 1 - %s", w, w)
		case k < 7:
			return "fence"
		case k < 8 && depth > 0:
			return "lock; " + block(2, 0) + "; unlock"
		case k < 9 && depth > 0:
			return fmt.Sprintf("if r = %d then %s else %s fi", rng.IntN(2), block(1, 0), block(1, 0))
		}
		return fmt.Sprintf("r := xchg(%s, %d)", v(), rng.IntN(2))
	}
	block = func(n, depth int) string {
		var all []string
		for range n {
			all = append(all, stmt(depth))
		}
		return strings.Join(all, "; ")
	}
	text := "program P variables x, y;"
	for _, name := range []string{"A", "B"} {
		text += fmt.Sprintf(" process %s local r begin r := %d; ", name, rng.IntN(2))
		switch rng.IntN(4) {
		case 0:
			text += block(3, 1)
		case 1:
			text += fmt.Sprintf("while true do %s; fence od", block(2, 1))
		default:
			text += fmt.Sprintf("while r = %d do %s; fence od; %s", rng.IntN(2), block(1+rng.IntN(3), 1), block(1, 0))
		}
		text += " end"
	}
	p, err := imp.Parse(&program.Source{Name: "p.imp", Text: text}, nil)
	if err != nil {
		panic(err.Error() + text)
	}
	return p
}

// hangs goes through the states of p, as they are; not ok where there are many.
func hangs(t *testing.T, p *program.Program, m memory.Model) (hang, ok bool) {
	x, err := abstract.CompileContext(t.Context(), p, m, nil, 0)
	if err != nil {
		return false, false
	}
	type edge struct {
		to      int
		ev      abstract.Event
		changes bool
	}
	var all []*abstract.State
	var out [][]edge
	ids := map[string]int{}
	id := func(s *abstract.State) int {
		k := keys.State(s)
		i, ok := ids[k]
		if !ok {
			i = len(all)
			ids[k] = i
			c := x.NewState()
			c.Copy(s)
			all, out = append(all, c), append(out, nil)
		}
		return i
	}
	fails := map[int]bool{}
	s := x.NewState()
	x.Initial(s)
	id(s)
	for i := 0; i < len(all); i++ {
		if len(all) > 400 {
			return false, false
		}
		for th := range all[i].PC {
			var evs []abstract.Event
			for f := range x.Flushes(all[i], th) {
				evs = append(evs, abstract.Event{Thread: th, Edge: abstract.Flush, Choice: int64(f)})
			}
			for _, e := range x.Out(th, all[i].PC[th]) {
				for c := range x.Choices(th, e) {
					evs = append(evs, abstract.Event{Thread: th, Edge: e, Choice: c})
				}
			}
			for _, ev := range evs {
				s.Copy(all[i])
				switch x.Step(s, ev) {
				case abstract.Done:
					changes := s.Lock != all[i].Lock || !slices.Equal(s.Mem, all[i].Mem)
					to := id(s)
					out[i] = append(out[i], edge{to, ev, changes})
				case abstract.Disabled:
				default:
					fails[i] = true
				}
			}
		}
	}
	reached := make([][]bool, len(all))
	for i := range all {
		reached[i] = make([]bool, len(all))
		reached[i][i] = true
		for work := []int{i}; len(work) > 0; {
			q := work[len(work)-1]
			work = work[:len(work)-1]
			for _, e := range out[q] {
				if !reached[i][e.to] {
					reached[i][e.to] = true
					work = append(work, e.to)
				}
			}
		}
	}
	for i := range all {
		circle, closed := replay.NewHang(x).NewCircle(), true
		for k := range all {
			if !reached[i][k] {
				continue
			}
			closed = closed && reached[k][i] && !fails[k]
			for _, e := range out[k] {
				circle.Step(e.ev, e.changes)
			}
		}
		if closed && len(circle.Waits(all[i])) > 0 {
			return true, true
		}
	}
	return false, true
}
