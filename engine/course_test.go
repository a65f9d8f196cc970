package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// readFor reads C as it is read for a model.
func readFor(t *testing.T, m memory.Model, text string) *program.Program {
	t.Helper()
	opts := lang.C{NoBlocks: true, NoFutileWaits: true, Dependencies: true}
	switch m {
	case memory.ARMv8:
		opts.Processor = "aarch64"
	case memory.Power:
		opts.Processor = "power"
	case memory.RISCV:
		opts.Processor = "riscv"
	default:
		opts.Orders = true
	}
	p, err := lang.Read("p.c", strings.NewReader(text), nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// courseSetting is what the programs of the tests have in common.
const courseSetting = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int free_slot, left = 2, busy;
int slots[2];
`

func TestGraphOfSC(t *testing.T) {
	models := []memory.Model{memory.RC11, memory.ARMv8, memory.Power, memory.RISCV, memory.IMM}
	tests := []struct {
		name, text string
		want       verdict.Verdict
	}{
		// Both may look at free_slot before either moves it on.
		{"slots", `
void *take(void *arg) {
  int me = (int)(long)arg;
  while (atomic_load_explicit(&left, memory_order_acquire) > 0) {
    int i = atomic_load(&free_slot);
    if (i > 1)
      break;
    slots[i] = me;
    atomic_store(&free_slot, i + 1);
    atomic_fetch_sub(&left, 1);
    assert(slots[i] == me);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, take, (void *)1);
  pthread_create(&b, 0, take, (void *)2);
  return 0;
}
`, verdict.IsUnsafe},
		// The second of two who come fails to take it, and says so.
		{"swap", `
void *take(void *arg) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&busy, &none, (int)(long)arg))
    assert(none != 1);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, take, (void *)1);
  pthread_create(&b, 0, take, (void *)2);
  return 0;
}
`, verdict.IsUnsafe},
		// A thread that is never started is no part of the run.
		{"unstarted", `
void *other(void *arg) { atomic_store(&busy, 1); return 0; }
int main(void) {
  pthread_t a;
  if (atomic_load(&busy))
    pthread_create(&a, 0, other, 0);
  assert(atomic_load(&left) != 2);
  return 0;
}
`, verdict.IsUnsafe},
		// What happens under the model only is not found, and nothing is proved.
		{"buffered", `
atomic_int seen;
void *one(void *arg) {
  atomic_store_explicit(&busy, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&free_slot, memory_order_relaxed))
    assert(atomic_fetch_add(&seen, 1) == 0);
  return 0;
}
void *two(void *arg) {
  atomic_store_explicit(&free_slot, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&busy, memory_order_relaxed))
    assert(atomic_fetch_add(&seen, 1) == 0);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  return 0;
}
`, verdict.IsUnknown},
	}
	for _, test := range tests {
		for _, m := range models {
			t.Run(test.name+"/"+string(m), func(t *testing.T) {
				p := readFor(t, m, courseSetting+test.text)
				if !sharesSC(p) {
					t.Fatal("it is not searched under SC")
				}
				opts := Options{Model: m, MemoryLimit: 1 << 29}.WithDefaults()
				opts.reached = func() {}
				r, err := graphOfSC().Check(context.Background(), p, opts)
				if err != nil {
					t.Fatal(err)
				}
				if r.Verdict() != test.want {
					t.Fatalf("%v (%s)", r.Verdict(), r.Reason())
				}
				if r.Unsafe() {
					if r.Program() != p || r.Model() != m {
						t.Error("it is about another program, or model")
					}
					if m == memory.RC11 { // of the others there are no certificates of executions
						certified(t, r)
					}
					whole := opts
					whole.Engine = BMC
					if r, err := Check(context.Background(), p, whole); err != nil || !r.Unsafe() {
						t.Errorf("bmc says %v, %v", r, err)
					}
				}
			})
		}
	}
}

// TestCourseDepends asks models that mind dependencies: in the graph of a run there are those of the program, neither fewer nor more.
func TestCourseDepends(t *testing.T) {
	const sc = "\"SC, and more\"\ninclude \"cos.cat\"\nacyclic po | rf | co | fr as sc\nempty rmw & (fre; coe) as atomic\n"
	tests := []struct {
		name, axiom, text string
		want              verdict.Verdict
	}{
		{"a branch at a swap", `empty ([domain(rmw)]; ctrl) \ rmw as none`, `
void *one(void *arg) {
  int none = 0;
  if (atomic_compare_exchange_strong(&busy, &none, 1))
    atomic_store(&free_slot, 1);
  return 0;
}
void *two(void *arg) {
  if (atomic_load(&free_slot))
    assert(!atomic_load(&busy));
  return 0;
}
`, verdict.IsUnknown},
		{"no branch between reads", `empty ([R]; po; [R]) \ ctrl as all`, `
void *one(void *arg) {
  atomic_store(&busy, 1);
  atomic_store(&free_slot, 1);
  return 0;
}
void *two(void *arg) {
  int a = atomic_load(&free_slot), b = atomic_load(&busy);
  assert(a + b != 2);
  return 0;
}
`, verdict.IsUnknown},
		{"a branch between reads", `empty ([R]; po; [R]) \ ctrl as all`, `
void *one(void *arg) {
  atomic_store(&busy, 1);
  atomic_store(&free_slot, 1);
  return 0;
}
void *two(void *arg) {
  if (atomic_load(&free_slot))
    assert(!atomic_load(&busy));
  return 0;
}
`, verdict.IsUnsafe},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "more.cat")
			if err := os.WriteFile(path, []byte(sc+test.axiom+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			m := memory.Model(path)
			p := readFor(t, m, courseSetting+test.text+`
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  return 0;
}
`)
			opts := Options{Model: m, MemoryLimit: 1 << 29}.WithDefaults()
			opts.reached = func() {}
			r, err := graphOfSC().Check(t.Context(), p, opts)
			if err != nil || r.Verdict() != test.want {
				t.Errorf("%v, %v", r, err)
			}
			opts.Engine = BMC
			whole, err := Check(t.Context(), p, opts)
			if err != nil || whole.Unsafe() != (test.want == verdict.IsUnsafe) {
				t.Errorf("bmc: %v, %v", whole, err)
			}
		})
	}
}
