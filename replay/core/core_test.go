package core_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay/core"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func check(t *testing.T, p *program.Program, m memory.Model) *verdict.Result {
	t.Helper()
	r, err := explore.Check(t.Context(), p, explore.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The core of what is wrong with Dekker's algorithm is store buffering.
func TestDekker(t *testing.T) {
	for _, tt := range []struct {
		p    *program.Program
		want []string
	}{
		{enginetest.Example(t, "dekker.imp", 0), []string{"X86_64 D", "movl $1,(flag0)", "movl (flag1),%eax", "exists (0:rax=0 /\\ 1:rax=0)"}},
		{enginetest.Parse(t, "sb.c", `#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
atomic_int x, y; int a, b;
void *f(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed); a = atomic_load_explicit(&y, memory_order_relaxed); return 0; }
void *g(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed); b = atomic_load_explicit(&x, memory_order_relaxed); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); assert(a || b); }
`), []string{"movl (y),%eax", "=0 /\\ "}},
	} {
		r := check(t, tt.p, memory.TSO)
		if !r.Unsafe() {
			t.Fatal(r.Verdict())
		}
		text, err := core.Litmus(t.Context(), r.Run(), "D")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range tt.want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
		p := enginetest.Parse(t, "core.litmus", text)
		if sc, tso := check(t, p, memory.SC), check(t, p, memory.TSO); !sc.Safe() || !tso.Unsafe() {
			t.Errorf("SC %v, TSO %v:\n%s", sc.Verdict(), tso.Verdict(), text)
		}
		if n := strings.Count(text, "movl"); n != 4 {
			t.Errorf("%d accesses:\n%s", n, text)
		}
	}
}

// TestRandom: the tests of random runs have the outcome that the runs have (which [Litmus] checks),
// and where there is no weaker one under SC, SC has it, too.
func TestRandom(t *testing.T) {
	tests := 0
	for _, sh := range randprog.Shapes {
		if sh.Capacity > 0 || sh.Name == "loops" {
			continue
		}
		for seed := range uint64(25) {
			p := sh.New(seed, 3)
			for _, m := range memory.Operational() {
				r := check(t, p, m)
				if !r.Unsafe() {
					continue
				}
				text, err := core.Litmus(t.Context(), r.Run(), "R")
				if err != nil {
					if strings.Contains(err.Error(), "internal") {
						t.Fatalf("%s, seed %d, %s: %v\n%s", sh.Name, seed, m, err, enginetest.Text(p))
					}
					continue
				}
				tests++
				q := enginetest.Parse(t, "core.litmus", text)
				if sc, weak := check(t, q, memory.SC), strings.Contains(text, "SC does not"); sc.Unsafe() == weak || m == memory.SC && weak {
					t.Errorf("%s, seed %d, %s: SC %v\n%s", sh.Name, seed, m, sc.Verdict(), text)
				}
			}
		}
	}
	if tests < 40 {
		t.Errorf("only %d tests", tests)
	}
}
