package refine

import (
	"bytes"
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
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// example loads a program of the examples directory.
func example(t *testing.T, file string) *program.Program {
	t.Helper()
	p, err := lang.Load(filepath.Join("..", "examples", file), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inIMP is a program in IMP.
func inIMP(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := lang.Read("test.imp", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cegar runs the loop, and certifies it where the program is safe.
func cegar(t *testing.T, p *program.Program) (*verdict.Result, []*Refinement) {
	t.Helper()
	var rounds []*Refinement
	opts := Options{Engine: CEGAR, MemoryLimit: 1 << 29, Refined: func(r *Refinement) { rounds = append(rounds, r) }}
	r, err := Check(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.Safe() && r.Argument() == verdict.Closed {
		certified(t, r)
	}
	return r, rounds
}

// certified writes and checks the certificate of a result.
func certified(t *testing.T, r *verdict.Result) string {
	t.Helper()
	var buf bytes.Buffer
	start := time.Now()
	if err := WriteCertificate(context.Background(), &buf, r, Options{MemoryLimit: 1 << 29}); err != nil {
		t.Fatal(err)
	}
	text := buf.String()
	written := time.Now()
	c, err := Certify(context.Background(), &buf, r.Program())
	if err != nil {
		t.Fatalf("the certificate is refused: %v", err)
	}
	t.Logf("certificate: %s, %d states, %d transitions, %d KB, written in %v, checked in %v", c.Buffer, c.States, c.Transitions,
		len(text)>>10, written.Sub(start).Round(time.Millisecond), time.Since(written).Round(time.Millisecond))
	return text
}

// TestCEGARExamples: the loop decides every example, and what it says is what
// the comments say.
func TestCEGARExamples(t *testing.T) {
	promise := regexp.MustCompile(`(?m)^// TSO: +(SAFE|UNSAFE)\b`)
	var files []string
	for _, dir := range []string{"", "thesis"} {
		more, err := filepath.Glob(filepath.Join("..", "examples", dir, "*.imp"))
		if err != nil || len(more) == 0 {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		name, _ := filepath.Rel(filepath.Join("..", "examples"), file)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := promise.FindSubmatch(text)
			if m == nil {
				t.Skip("the comment does not say")
			}
			r, rounds := cegar(t, example(t, name))
			if r.Verdict().String() != string(m[1]) {
				t.Errorf("%v (%s), want %s", r.Verdict(), r.Reason(), m[1])
			}
			for _, round := range rounds {
				t.Log(round)
			}
		})
	}
}

// TestAbstractionsProve: what the thesis and its examples say about which
// abstraction proves what; the loop finds the abstraction by itself.
func TestAbstractionsProve(t *testing.T) {
	k := func(k int) Engine { return Coherence(k) }
	for _, test := range []struct {
		file    string
		yes, no []Engine
		loop    string // what the loop ends with
	}{
		{"thesis/fig3.3.imp", []Engine{Set, Multiset, k(0), k(1), k(2)}, nil, "multiset:1"},
		{"thesis/fig3.7.imp", []Engine{Multiset, k(3), k(4)}, []Engine{Set, k(0), k(1), k(2)}, "multiset:2"},
		{"peterson-fenced.imp", []Engine{k(2), k(3)}, []Engine{Set, Multiset, k(0), k(1)}, "coherence:2"},
		{"dekker-fenced.imp", []Engine{Set, Multiset, k(0), k(1)}, nil, "multiset:2"},
		{"message-passing.imp", []Engine{k(1), k(2)}, []Engine{Set, Multiset, k(0)}, "coherence:1"},
		{"order-and-counts.imp", []Engine{k(2), k(3)}, []Engine{Set, Multiset, k(0), k(1)}, "coherence:2"},
	} {
		t.Run(test.file, func(t *testing.T) {
			p := example(t, test.file)
			for _, e := range append(test.yes, test.no...) {
				want := verdict.IsSafe
				for _, n := range test.no {
					if n == e {
						want = verdict.IsUnknown
					}
				}
				r, err := Check(context.Background(), p, Options{Engine: e, MemoryLimit: 1 << 29})
				if err != nil {
					t.Fatal(err)
				}
				if r.Verdict() != want || want == verdict.IsUnknown && r.Candidate() == nil || want == verdict.IsSafe && r.Argument() != verdict.Closed {
					t.Errorf("%s: %v (%s)", e, r.Verdict(), r.Reason())
				}
				if r.Safe() {
					certified(t, r)
				}
			}
			if r, _ := cegar(t, p); r.Abstraction != test.loop {
				t.Errorf("the loop ends with %s, want %s", r.Abstraction, test.loop)
			}
		})
	}
}

// TestCauses: the narration of order-and-counts.imp names both causes.
func TestCauses(t *testing.T) {
	_, rounds := cegar(t, example(t, "order-and-counts.imp"))
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
			p := inIMP(t, test.text)
			r, err := Check(context.Background(), p, Options{Engine: Explicit, Buffer: 8, MemoryLimit: 1 << 28})
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
		p := inIMP(t, fmt.Sprintf(sender, "skip", test.index))
		r, rounds := cegar(t, p)
		if r.Fault() != test.fault || (r.Safe()) == test.fault || !r.Conclusive() {
			t.Errorf("a[%s]: %v (%s), fault %v", test.index, r.Verdict(), r.Reason(), r.Fault())
		}
		for _, round := range rounds {
			t.Log(round)
		}
	}
}

// TestOtherModels: there is nothing to abstract from but the buffers of TSO.
func TestOtherModels(t *testing.T) {
	for _, e := range []Engine{Set, Multiset, Coherence(2), CEGAR} {
		r, err := Check(context.Background(), example(t, "turn.imp"), Options{Engine: e, Model: memory.SC})
		if err != nil || r.Verdict() != verdict.IsUnknown || r.Reason() == "" {
			t.Errorf("%s: %+v, %v", e, r, err)
		}
	}
}

// TestInterrupted: the loop says how far it came.
func TestCEGARInterrupted(t *testing.T) {
	p, err := lang.Load("../examples/thesis/fig5.4.imp", map[string]int64{"N": 12})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	r, err := Check(ctx, p, Options{Engine: CEGAR, MemoryLimit: 1 << 28})
	if err != nil || r.Verdict() != verdict.IsUnknown || r.Reason() == "" {
		t.Errorf("%+v, %v", r, err)
	}
	// Too little memory for multisets is not the end.
	rounds := 0
	r, err = Check(context.Background(), p, Options{Engine: CEGAR, MemoryLimit: 1 << 20, Refined: func(*Refinement) { rounds++ }})
	if err != nil || r.Verdict() != verdict.IsUnknown || r.Reason() == "" || rounds < 2 {
		t.Errorf("%d rounds, %+v, %v", rounds, r, err)
	}
}

func TestParseEngine(t *testing.T) {
	for _, e := range append(Engines(), Coherence(0), Coherence(17)) {
		if got, err := ParseEngine(string(e)); err != nil || got != e {
			t.Errorf("%s: %s, %v", e, got, err)
		}
	}
	for _, name := range []string{"", "fifo", "coherence:", "coherence:x", "multiset:2", "coherence:1 with counts"} {
		if e, err := ParseEngine(name); err == nil {
			t.Errorf("%q is %s", name, e)
		}
	}
}

var soundness = flag.Uint64("soundness", 1000, "how many random programs of each shape to test abstractions with")

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
		o := limited.explore()
		o.Abstraction = b
		r, err := explore.Check(ctx, p, o)
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
	limited.Engine = CEGAR
	r, err := Check(ctx, p, limited)
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
