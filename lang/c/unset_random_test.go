package c_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

var unsetPrograms = flag.Int("unset.programs", 12, "how many random programs TestUnsetRandom makes")

// unsetProgram is a program that allocates, writes a part of it, publishes it in one of several ways, and asks one
// of the values that are read whether it is k. What is written before all that is for the caller to say.
func unsetProgram(rng *rand.Rand) (text string) {
	var b strings.Builder
	field := func() string { return []string{"x", "y"}[rng.IntN(2)] }
	kinds := []int{0, 1, 2}[:1+rng.IntN(3)] // 1: with copies of structures, 2: and with operations at once
	write := func() string {
		switch k := rng.IntN(4); {
		case rng.IntN(8) == 0:
			return fmt.Sprintf("if (flag) p->%s = %d; ", field(), rng.IntN(4))
		case len(kinds) > 1 && k == 0:
			return fmt.Sprintf("{ struct c q; ANY(q) q.%s = %d; *p = q; } ", field(), rng.IntN(4))
		case len(kinds) > 1 && k == 1:
			return []string{"global = *p; ", "*p = global; ", "memcpy(&global, p, sizeof *p); "}[rng.IntN(3)]
		case len(kinds) > 2 && k == 2:
			return fmt.Sprintf([]string{"__atomic_exchange_n(&p->%s, %d, __ATOMIC_RELAXED); ", "__atomic_fetch_xor(&p->%s, %d, __ATOMIC_SEQ_CST); ",
				"__sync_bool_compare_and_swap(&p->%s, %d, 2); "}[rng.IntN(3)], field(), rng.IntN(4))
		}
		return fmt.Sprintf("p->%s = %d; ", field(), rng.IntN(4))
	}
	asked := rng.IntN(2)
	read := func(n int) string {
		if n == asked {
			from := "p->"
			switch k := rng.IntN(5); {
			case len(kinds) == 1:
			case k == 0:
				from = "global."
			case k == 1:
				from = "same(*p)."
			case k == 2:
				return fmt.Sprintf("{ struct c r = *p; T v = r.%s; assert(v != %d); } ", field(), rng.IntN(4))
			case k == 3:
				return fmt.Sprintf("{ struct c r; memcpy(&r, p, sizeof r); T v = r.%s; assert(v != %d); } ", field(), rng.IntN(4))
			}
			return fmt.Sprintf("{ T v = %s%s; assert(v != %d); } ", from, field(), rng.IntN(4))
		}
		return write()
	}
	some := func(n int, f func() string) {
		for range rng.IntN(n + 1) {
			b.WriteString(f())
		}
	}
	order := []string{"memory_order_relaxed", "memory_order_release", "memory_order_seq_cst"}[rng.IntN(3)]
	other := []string{"memory_order_relaxed", "memory_order_acquire", "memory_order_seq_cst"}[rng.IntN(3)]
	locks := rng.IntN(3) == 0
	lock := func(s string) {
		if locks {
			b.WriteString("pthread_mutex_" + s + "(&m); ")
		}
	}
	fmt.Fprintf(&b, "typedef %s T; ", []string{"unsigned char", "long"}[rng.IntN(2)])
	b.WriteString("struct c { T x, y; } global; struct c same(struct c s) { return s; } struct c *_Atomic shared; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n")
	byArgument := rng.IntN(2) == 0
	b.WriteString("void *f(void *a) { struct c *p = a; flag = 1; ")
	if !byArgument {
		lock("lock")
		fmt.Fprintf(&b, "p = atomic_load_explicit(&shared, %s); ", other)
		lock("unlock")
		b.WriteString("if (!p) return 0; ")
	}
	some(2, write)
	b.WriteString(read(0))
	some(1, write)
	b.WriteString("return 0; }\nvoid make(void) { ")
	if rng.IntN(4) == 0 && byArgument {
		b.WriteString("struct c local, *p = &local; UNSET ")
	} else {
		b.WriteString("struct c *p = malloc(sizeof *p); UNSET ")
	}
	some(3, write)
	if byArgument {
		b.WriteString("pthread_t t; pthread_create(&t, 0, f, p); ")
	} else {
		lock("lock")
		some(1, write)
		fmt.Fprintf(&b, "atomic_store_explicit(&shared, p, %s); ", order)
		lock("unlock")
	}
	some(2, write)
	if joins := byArgument && rng.IntN(2) == 0; joins {
		b.WriteString("pthread_join(t, 0); ")
	} else if byArgument {
		b.WriteString(read(1) + "pthread_join(t, 0); return; ")
	}
	b.WriteString(read(1) + "}\nint main(void) { ")
	if !byArgument {
		if rng.IntN(3) == 0 {
			b.WriteString("GO(f, 0); ")
		}
		b.WriteString("pthread_t t; pthread_create(&t, 0, f, 0); make(); pthread_join(t, 0); }\n")
	} else {
		b.WriteString("make(); }\n")
	}
	return b.String()
}

// TestUnsetRandom compares memory that nothing is written to with memory that any value is written to as soon as it
// is there.
func TestUnsetRandom(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for seed := range uint64(*unsetPrograms) {
		text := unsetProgram(rand.New(rand.NewPCG(seed, 11)))
		for _, m := range unsetModels[:4] {
			with := func(one, shared string) string {
				return verdictOf(t, read(t, "main.c", fmt.Sprintf("unsigned char __VERIFIER_nondet_uchar(void);\n#define ANY(s) %s\n#define UNSET %s\n", one, shared)+unsetHeader+text, m.c), m.model, "auto")
			}
			any, fence := "(s).x = __VERIFIER_nondet_uchar() & 3; (s).y = __VERIFIER_nondet_uchar() & 3;", ""
			if m.model == memory.PSO { // these stores are no part of the program, and do not come late
				fence = " __sync_synchronize();"
			}
			was, is := with("", ""), with(any, "ANY(*p)"+fence)
			if was != is {
				t.Errorf("seed %d, %s: %s, and %s where any value is written\n%s", seed, m.model, was, is, text)
			}
			got[was]++
		}
	}
	t.Log(got)
	if got["SAFE"] == 0 || got["UNSAFE"] == 0 {
		t.Error(got)
	}
}
