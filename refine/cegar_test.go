package refine

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// cegar runs the loop, and certifies it where the program is safe.
func cegar(t *testing.T, p *program.Program) (*verdict.Result, []*Refinement) {
	t.Helper()
	var rounds []*Refinement
	r, err := CEGAR(context.Background(), p, Options{MemoryLimit: 1 << 29, Refined: func(r *Refinement) { rounds = append(rounds, r) }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Safe() && r.Argument() == verdict.Closed {
		var b strings.Builder
		if err := evidence.Certificate(context.Background(), &b, r, 1<<29); err != nil {
			t.Fatal(err)
		}
		if _, err := evidence.Certify(context.Background(), strings.NewReader(b.String()), p); err != nil {
			t.Fatalf("the certificate is refused: %v", err)
		}
	}
	return r, rounds
}

// TestCEGARExamples: the loop decides every example, and what it says is what
// the comments say.
func TestCEGARExamples(t *testing.T) {
	promise := regexp.MustCompile(`(?m)^// TSO: +(SAFE|UNSAFE)\b`)
	var files []string
	for _, dir := range []string{"", "thesis"} {
		more, err := filepath.Glob(filepath.Join(enginetest.Examples(), dir, "*.imp"))
		if err != nil || len(more) == 0 {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		name, _ := filepath.Rel(enginetest.Examples(), file)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := promise.FindSubmatch(text)
			if m == nil {
				t.Skip("the comment does not say")
			}
			p := enginetest.Example(t, name, 0)
			if p.NoHang {
				return // this loop decides the properties of states; whether it hangs is for package engine
			}
			r, rounds := cegar(t, p)
			if r.Verdict().String() != string(m[1]) {
				t.Errorf("%v (%s), want %s", r.Verdict(), r.Reason(), m[1])
			}
			for _, round := range rounds {
				t.Log(round)
			}
		})
	}
}

// TestCauses: the narration of order-and-counts.imp names both causes.
func TestCauses(t *testing.T) {
	_, rounds := cegar(t, enginetest.Example(t, "order-and-counts.imp", 0))
	var got []string
	for _, r := range rounds {
		got = append(got, fmt.Sprintf("%s %s %s", r.Abstraction, r.Cause, r.Next))
	}
	want := "multiset<=1 order coherence:1, coherence:1 counts coherence:2, coherence:2  "
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
}

// endless are safe programs whose buffers grow without bound, which no search of
// the states of TSO can prove.
var endless = []struct{ name, abstraction, text string }{
	{"blinker", "multiset:1", `
program Blinker
variables x = 0
process P begin while true do x := 1; x := 2 od end
process Q local r; begin while true do r := x; assert r <= 2 od end`},
	{"messages", "coherence:1", `
program Messages
variables x = y = 0
process P begin while true do x := 1; y := 1 od end
process Q local r, s; begin while true do r := y; s := x; assert r = 0 or s = 1 od end`},
	// The first message takes its place in the queue only if it is first.
	{"counted", "coherence:2", `
program Counted
variables x = y = z = 0
process P begin z := 1; x := 1; while true do y := 1 - y od end
process Q local r; begin await x = 1; assert z = 1; x := 0; fence; assert x = 0 end`},
}

func TestEndless(t *testing.T) {
	for _, test := range endless {
		t.Run(test.name, func(t *testing.T) {
			p := enginetest.Parse(t, "test.imp", test.text)
			r, err := explore.Check(context.Background(), p, explore.Options{Buffer: 8, MemoryLimit: 1 << 28})
			if err != nil || r.Verdict() != verdict.IsUnknown || r.Bound != 8 {
				t.Errorf("explicit search: %v, %v", r, err)
			}
			r, rounds := cegar(t, p)
			if !r.Safe() || r.Abstraction != test.abstraction {
				t.Errorf("%v by %s (%s), want SAFE by %s", r.Verdict(), r.Abstraction, r.Reason(), test.abstraction)
			}
			for _, round := range rounds {
				t.Log(round)
			}
		})
	}
}

// TestFaults: a mistake in the program counts only where TSO makes it.
func TestFaults(t *testing.T) {
	const sender = `
program Index
variables i = flag = 0, a[2] = 0
process P begin i := 1; %s; flag := 1 end
process Q local n, r; begin await flag = 1; n := i; r := a[%s]; assert r = 0 end`
	for _, test := range []struct {
		index string
		fault bool
	}{{"2 - n", false}, {"1 + n", true}, {"n", false}} {
		p := enginetest.Parse(t, "test.imp", fmt.Sprintf(sender, "skip", test.index))
		r, rounds := cegar(t, p)
		if r.Fault() != test.fault || (r.Safe()) == test.fault || !r.Conclusive() {
			t.Errorf("a[%s]: %v (%s), fault %v", test.index, r.Verdict(), r.Reason(), r.Fault())
		}
		for _, round := range rounds {
			t.Log(round)
		}
	}
}

// TestInterrupted: the loop says how far it came.
func TestCEGARInterrupted(t *testing.T) {
	p := enginetest.Example(t, "thesis/fig5.4.imp", 12)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	r, err := CEGAR(ctx, p, Options{MemoryLimit: 1 << 28})
	if err != nil || r.Verdict() != verdict.IsUnknown || r.Reason() == "" {
		t.Errorf("%+v, %v", r, err)
	}
	// Too little memory for multisets is not the end.
	rounds := 0
	r, err = CEGAR(context.Background(), p, Options{MemoryLimit: 1 << 20, Refined: func(*Refinement) { rounds++ }})
	if err != nil || r.Verdict() != verdict.IsUnknown || r.Reason() == "" || rounds < 2 {
		t.Errorf("%d rounds, %+v, %v", rounds, r, err)
	}
}

var soundness = flag.Uint64("soundness", 200, "how many random programs of each shape to test abstractions with")

// abstractionShapes are small, mostly with a property that TSO nearly holds.
var abstractionShapes = []struct {
	name string
	opts randprog.Options
	cap  int
}{
	{"plain", randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2},
		Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Assert: 1, NoProperty: -1}, 0},
	{"stores", randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2},
		Commands: randprog.Range{Min: 3, Max: 5}, Values: 1, Store: 10, Load: 8, RMW: -1, Atomic: -1, Lock: -1, Branch: -1, Havoc: -1, NoProperty: -1}, 0},
	{"deadlocks", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 2, Max: 2},
		Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Lock: 3, Deadlock: 5, WaitLoop: 1, Havoc: -1}, 0},
	{"threads", randprog.Options{Threads: randprog.Range{Min: 3, Max: 3}, Addresses: randprog.Range{Min: 2, Max: 2},
		Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Havoc: -1, NoProperty: -1}, 0},
	{"loops", randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2},
		Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, StoreLoop: 5, WaitLoop: 2, Havoc: -1, Lock: -1, Assert: 1, NoProperty: -1}, 3},
}

// TestAbstractionsAreSound: where explicit search finds a violation under TSO no
// abstraction is a proof, and the loop finds a violation as well; where it finds
// none without a bound the loop finds a proof, since there are only so many
// stores.
func TestAbstractionsAreSound(t *testing.T) {
	for _, shape := range abstractionShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			count := map[string]int{}
			for seed := range *soundness {
				p := randprog.New(rand.New(rand.NewPCG(seed, 15)), shape.opts)
				soundOn(t, p, shape.cap, count)
				if t.Failed() {
					var b strings.Builder
					program.Print(&b, p)
					t.Fatalf("seed %d:\n%s", seed, &b)
				}
			}
			t.Log(count)
		})
	}
}

func soundOn(t *testing.T, p *program.Program, capacity int, count map[string]int) {
	t.Helper()
	ctx := context.Background()
	tso, err := explore.Check(ctx, p, explore.Options{Model: memory.TSO, Buffer: capacity, MemoryLimit: 1 << 28})
	if err != nil {
		t.Fatal(err)
	}
	count["tso "+tso.Verdict().String()]++
	limited := Options{MemoryLimit: 4 << 20}
	for _, b := range []abstract.Buffer{abstract.Set{}, abstract.Multiset{Max: 2, Saturate: true}, abstract.Coherence{K: 1}, abstract.Coherence{K: 2}} {
		r, err := explore.Check(ctx, p, limited.explore(b))
		if err != nil {
			t.Fatal(err)
		}
		if r.Safe() {
			count[abstract.Name(b)]++
		}
		if r.Safe() && tso.Violation() != nil {
			t.Errorf("%s is a proof, explicit search found %s", abstract.Name(b), tso.Violation().Text)
		}
	}
	r, err := CEGAR(ctx, p, limited)
	if err != nil {
		t.Fatal(err)
	}
	count["loop "+r.Verdict().String()]++
	if r.Safe() {
		count[r.Abstraction]++
	}
	switch {
	case tso.Violation() != nil && r.Violation() == nil, tso.Safe() && !r.Safe() && r.Stat("bytes") < 3<<20:
		t.Errorf("explicit search: %v; the loop: %v by %s (%s)", tso.Verdict(), r.Verdict(), r.Abstraction, r.Reason())
	case r.Violation() != nil && tso.Safe():
		t.Errorf("explicit search: %v; the loop: %v", tso.Verdict(), r.Violation().Text)
	}
}

// TestFinalStatesDecided gives random programs a property that needs precision:
// that they do not end in a certain state, one in which they can end under the
// set abstraction. The loop must find out whether they can under TSO.
func TestFinalStatesDecided(t *testing.T) {
	shape := randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 2, Max: 3},
		Commands: randprog.Range{Min: 3, Max: 5}, Values: 2, Store: 9, Load: 6, Atomic: -1, Lock: -1, Branch: 1, Havoc: -1, Plain: true,
		NoProperty: 1, Forbid: -1, Exists: -1, Forall: -1}
	ctx := context.Background()
	count := map[string]int{}
	for seed := range *soundness / 2 {
		p := randprog.New(rand.New(rand.NewPCG(seed, 16)), shape)
		opts := explore.Options{Model: memory.TSO, MemoryLimit: 16 << 20}
		concrete, r, err := explore.FinalStates(ctx, p, opts)
		if err != nil || !r.Safe() {
			continue
		}
		opts.Abstraction = abstract.Set{}
		loose, r, err := explore.FinalStates(ctx, p, opts)
		if err != nil || !r.Safe() {
			continue
		}
		cells, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		real := map[string]bool{}
		for _, f := range concrete {
			real[fmt.Sprint(f)] = true
		}
		tried := map[bool]int{}
		for _, f := range loose {
			is := real[fmt.Sprint(f)]
			delete(real, fmt.Sprint(f))
			if tried[is] >= 2 {
				continue
			}
			tried[is]++
			q := *p
			q.Properties = []program.Property{{Kind: program.Exists, Cond: endsIn(p, cells, f), Text: "the state"}}
			r, rounds := cegar(t, &q)
			if want := map[bool]verdict.Verdict{true: verdict.IsUnsafe, false: verdict.IsSafe}[is]; r.Verdict() != want {
				var b strings.Builder
				program.Print(&b, &q)
				t.Fatalf("seed %d: %v (%s), want %v\n%s", seed, r.Verdict(), r.Reason(), want, &b)
			}
			count[r.Verdict().String()+" by "+r.Abstraction]++
			for _, round := range rounds {
				if round.Cause != "" {
					count["spurious: "+string(round.Cause)]++
				}
			}
		}
		if len(real) > 0 {
			t.Fatalf("seed %d: sets lose final states of TSO", seed)
		}
	}
	t.Log(count)
}

// endsIn is the condition of being in a final state.
func endsIn(p *program.Program, r *program.Ranges, f verdict.FinalState) program.Expr {
	var cond program.Expr = program.Const(1)
	and := func(x program.Expr, v int64) {
		cond = program.Binary{Op: program.LogicalAnd, X: cond, Y: program.Binary{Op: program.Eq, X: x, Y: program.Const(v)}}
	}
	for t, th := range p.Threads {
		for i := range th.Regs {
			if !th.Regs[i].Temp {
				and(program.ThreadReg{Thread: t, Reg: i}, f.Regs[t][i])
			}
		}
	}
	for i, c := range r.Cells {
		and(program.Mem{Addr: c.Addr}, f.Memory[i])
	}
	return cond
}
