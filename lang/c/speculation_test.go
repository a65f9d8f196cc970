package c_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// atomicProgram is a random program of atomic operations as a litmus test and as C, in which globals P0_r0, P0_r1, .. have in the
// end what the threads have read. Most of its stores depend on what has been read, many by a branch that nothing but such a store
// lets a thread take.
func atomicProgram(rng *rand.Rand) (asLitmus, asC string) {
	var lt, globals, funcs, creates, joins strings.Builder
	lt.WriteString("C random\n\n{}\n\n")
	pick := func(all ...string) string { return all[rng.IntN(len(all))] }
	threads := 2
	if rng.IntN(4) == 0 {
		threads = 3
	}
	circle := rng.IntN(3) == 0 // what one is let do by the other one lets that one do it
	for i := range threads {
		var body, decl, out strings.Builder
		regs, open, some := 0, 0, 2+rng.IntN(3)
		if circle && i < 2 {
			fmt.Fprintf(&body, "r0 = atomic_load_explicit(%s, memory_order_relaxed);\n", []string{"x", "y"}[i])
			fmt.Fprintf(&body, "if (r0 == 2) {\natomic_store_explicit(%s, 2, memory_order_relaxed);\n}\n", []string{"y", "x"}[i])
			regs, some = 1, rng.IntN(2)
		}
		for range some {
			at, value := pick("x", "y"), pick("1", "1", "2")
			// Behind a branch that tells what a register holds that is a number in C, and no value that is computed.
			if regs > 0 && open == 0 && rng.IntN(2) == 0 {
				value = fmt.Sprintf("r%d", rng.IntN(regs))
			}
			switch k := rng.IntN(8); {
			case k < 3:
				fmt.Fprintf(&body, "r%d = atomic_load_explicit(%s, memory_order_%s);\n", regs, at, pick("relaxed", "relaxed", "acquire"))
				regs++
			case k < 6:
				fmt.Fprintf(&body, "atomic_store_explicit(%s, %s, memory_order_%s);\n", at, value, pick("relaxed", "relaxed", "release"))
			case k == 6 && regs > 0 && open == 0:
				fmt.Fprintf(&body, "if (r%d == %s) {\n", rng.IntN(regs), pick("1", "2"))
				open++
			default:
				fmt.Fprintf(&body, "atomic_thread_fence(memory_order_%s);\n", pick("acquire", "release", "seq_cst"))
			}
		}
		if open > 0 {
			fmt.Fprintf(&body, "atomic_store_explicit(%s, 1, memory_order_relaxed);\n}\n", pick("x", "y"))
		}
		for k := range regs {
			fmt.Fprintf(&decl, "int r%d = 0;\n", k)
			fmt.Fprintf(&globals, "int P%d_r%d;\n", i, k)
			fmt.Fprintf(&out, "P%d_r%d = r%d;\n", i, k, k)
		}
		fmt.Fprintf(&lt, "P%d(atomic_int *x, atomic_int *y) {\n%s%s}\n\n", i, decl.String(), body.String())
		fmt.Fprintf(&funcs, "static void *P%d(void *arg) {\natomic_int *x = &gx, *y = &gy;\n%s%s%sreturn 0;\n}\n", i, decl.String(), body.String(), out.String())
		fmt.Fprintf(&creates, "pthread_create(&t[%d], 0, P%d, 0);\n", i, i)
		fmt.Fprintf(&joins, "pthread_join(t[%d], 0);\n", i)
	}
	lt.WriteString("exists (x=0)\n")
	return lt.String(), "#include <stdatomic.h>\n#include <pthread.h>\natomic_int gx, gy;\n" + globals.String() + funcs.String() +
		fmt.Sprintf("int main(void) {\npthread_t t[%d];\n%s%sreturn 0;\n}\n", threads, creates.String(), joins.String())
}

// TestSpeculation: where a store may be seen before the branch that it depends on, what is behind a branch may be what lets it
// be taken.
func TestSpeculation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	states, open := 0, 0
	for range *speculativePrograms {
		asLitmus, asC := atomicProgram(rng)
		for m, speculation := range map[memory.Model]target.Speculation{memory.C11: target.BeforeBranches, memory.RC11: target.NoSpeculation, memory.IMM: target.BeforeLoads} {
			p, err := litmus.Parse(&program.Source{Name: "random.litmus", Text: asLitmus})
			if err != nil {
				t.Fatalf("%v\n%s", err, asLitmus)
			}
			opts := c.Options{Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true, Dependencies: m == memory.IMM, Speculation: speculation}
			want, got := statesUnder(t, m, p, true), statesUnder(t, m, read(t, "random.c", asC, opts), false)
			switch {
			case want == nil || got == nil:
				open++
			case !slices.Equal(got, want):
				t.Fatalf("%s: in C\n%s\nas a litmus test\n%s\n%s\n%s", m, strings.Join(got, "\n"), strings.Join(want, "\n"), asC, asLitmus)
			}
			states += len(want)
		}
	}
	t.Logf("%d final states, %d programs open", states, open)
	if open > *speculativePrograms/10 {
		t.Error("too many are open")
	}
}
