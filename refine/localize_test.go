package refine

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestLocalize: values are left open that do not matter, and none else.
func TestLocalize(t *testing.T) {
	t.Parallel()
	const lock = `await cas(l, 0, 1); inside := inside + 1; r := inside; assert r = 1; inside := r - 1; fence; l := 0; `
	const declared = "program P\nvariables l = inside = sum = last = 0, a[2] = 0\nprocess A[k in 0..1]\n  local i = 0, r, v;\nbegin\n  "
	for _, c := range []struct{ name, body, want string }{
		{"rounds of a lock", `while i < 100000 do ` + lock + `i := i + 1 od`, "safe"},
		{"rounds of a lock that add up", `while i < 100000 do ` + lock + ` v := sum; sum := v + i; i := i + 1 od`, "safe"},
		{"no lock", `while i < 100000 do inside := inside + 1; r := inside; assert r = 1; inside := r - 1; i := i + 1 od`, "a violation"},
		{"an assertion of what is counted", `while i < 100000 do ` + lock + `i := i + 1 od; assert i = 100000`, "no values"},
		{"a flag of what is counted", `while i < 100000 do i := i + 1; if i = 100000 then last := 1 fi; fence od; v := last; if v = 1 then ` + lock + ` skip fi`, "safe"},
		{"what is made of what is counted", `while i < 100000 do last := i % 2; fence; v := last; if v = 1 then assert r = 1 fi; i := i + 1 od`, "a violation"},
		{"an index that is counted", `while i < 100000 do r := i % 2; a[r] := 1; i := i + 1 od; ` + lock + `skip`, "no values"},
		{"what decides of an assertion", `while i < 100000 do i := i + 1 od; assert i >= 100000 or r >= 0`, "no values"},
		{"what nothing depends on, beside what is counted", `while i < 100 do r := i % 2; v := sum; sum := v + i; fence; i := i + 1 od; ` + lock + `skip`, "safe"},
		{"little", `while i < 3 do ` + lock + ` i := i + 1 od`, "no values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := &program.Source{Name: "p.imp", Text: declared + c.body + "\nend\n"}
			p, err := imp.Parse(src, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
				r, err := Localize(context.Background(), p, ManyValues, explore.Options{Model: m, MemoryLimit: 1 << 26})
				if err != nil {
					t.Fatal(err)
				}
				if got := string(r.Argument()) + r.Reason(); r.Safe() != (c.want == "safe") || !r.Safe() && !strings.HasPrefix(got, c.want) {
					t.Errorf("under %s: %v, %s", m, r.Verdict(), got)
				}
			}
		})
	}
}

// TestLocalizeRandom: a program is safe if it is safe with values left open, of random programs in which two to four values are many.
func TestLocalizeRandom(t *testing.T) {
	ctx := context.Background()
	for _, sh := range append(lazyShapes, lazyShape{"forbid", randprog.Options{Forbid: 6, Branch: 3}, 300},
		lazyShape{"starts", randprog.Options{Start: 60, Assume: 3, Exists: 3, Forall: 3, Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 4}}, 3000}) {
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			t.Run(sh.name+"/"+string(m), func(t *testing.T) {
				t.Parallel()
				safe, unsafe := 0, 0
				for seed := range uint64(sh.n / 3) {
					p := randprog.New(rand.New(rand.NewPCG(seed, 53)), sh.opt)
					if seed%3 == 0 {
						p.Properties = append(p.Properties, program.Property{Kind: program.Deadlock})
					}
					q, open, err := localized(ctx, p, m, 1+seed/3%3)
					if err != nil {
						t.Fatal(err)
					}
					if len(open) == 0 {
						continue
					}
					if err := program.Sanity(q); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					o := explore.Options{Model: m, MemoryLimit: 1 << 20} // buffers may have no bound in loops whose counters are open
					was, err := explore.Check(ctx, p, o)
					if err != nil {
						t.Fatal(err)
					}
					is, err := explore.Check(ctx, q, o)
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case was.Unsafe() && is.Safe():
						t.Fatalf("seed %d: %v with %v left open:\n%s", seed, is.Verdict(), open, enginetest.Text(p))
					case was.Unsafe():
						unsafe++
					case is.Safe():
						safe++
					}
				}
				t.Logf("%d safe, %d unsafe", safe, unsafe)
			})
		}
	}
}

// TestLocalizeAstray: with values left open an object may be too small for what is done to it, which says nothing of the program.
func TestLocalizeAstray(t *testing.T) {
	t.Parallel()
	p, err := c.Parse(&program.Source{Name: "p.c", Text: `#include <pthread.h>
int a[8];
pthread_mutex_t m;
static void *f(void *arg) {
	unsigned i = __VERIFIER_nondet_uint();
	__VERIFIER_assume(i < 8);
	pthread_mutex_lock(&m);
	a[i] = 1;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void) {
	unsigned n = __VERIFIER_nondet_uint();
	__VERIFIER_assume(n <= 3);
	pthread_t t[n + 1];
	for (unsigned i = 0; i < n; i++) pthread_create(&t[i], 0, f, 0);
	for (unsigned i = 0; i < n; i++) pthread_join(t[i], 0);
	int count = 0;
	for (int i = 0; i < 8; i++) count += a[i];
	assert(count <= 3);
	return 0;
}`}, c.Options{Mapping: c.Orders})
	if err != nil {
		t.Fatal(err)
	}
	m, err := datarace.NewMonitor(context.Background(), p.Cut())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Localize(context.Background(), m.Program, ManyValues, explore.Options{Model: memory.SC, MemoryLimit: 1 << 26})
	if err != nil {
		t.Fatal(err)
	}
	if want := "with values left open the program accesses what is no memory"; r.Reason() != want {
		t.Errorf("%v, %s; want %s", r.Verdict(), r.Reason(), want)
	}
}
