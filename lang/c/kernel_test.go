package c_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var kernelPrograms = flag.Int("kernel", 60, "random programs of the kernel's C, read as litmus tests and as C")

// kernelThread is the body of a random thread, with values for registers r0, r1, ..: each statement is the same in a
// litmus test of the kernel and in C.
func kernelThread(rng *rand.Rand) (body string, regs int) {
	var b strings.Builder
	locked, reading := "", false
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	pick := func(all ...string) string { return all[rng.IntN(len(all))] }
	r := func() string { regs++; return fmt.Sprintf("r%d", regs-1) }
	var statement func(depth int)
	statement = func(depth int) {
		x, a, k := pick("x", "y"), pick("a", "b"), 1+rng.IntN(2)
		value := fmt.Sprint(k)
		if regs > 0 && rng.IntN(3) == 0 {
			value = fmt.Sprintf("r%d + %d", rng.IntN(regs), rng.IntN(2))
		}
		order := pick("", "_relaxed", "_acquire", "_release")
		switch n := rng.IntN(22); {
		case n < 4:
			say("%s = READ_ONCE(*%s);", r(), x)
		case n < 7:
			say("WRITE_ONCE(*%s, %s);", x, value)
		case n == 7:
			say("%s = smp_load_acquire(%s);", r(), x)
		case n == 8:
			say("smp_store_release(%s, %s);", x, value)
		case n == 9:
			say("*%s = %s;", x, value)
		case n == 10:
			say("%s = *%s;", r(), x)
		case n == 11 && depth == 0:
			if locked == "" {
				locked = pick("l", "m")
				say("spin_lock(%s);", locked)
			} else {
				say("spin_unlock(%s);", locked)
				locked = ""
			}
		case n == 12 && depth == 0:
			say("rcu_read_%s();", map[bool]string{false: "lock", true: "unlock"}[reading])
			reading = !reading
		case n == 13 && !reading:
			say("synchronize_rcu();")
		case n == 14:
			say("%s = xchg%s(%s, %d);", r(), order, x, k)
		case n == 15:
			say("%s = cmpxchg%s(%s, %d, %d);", r(), order, x, rng.IntN(2), k)
		case n == 16:
			say("%s = atomic_add_return%s(%d, %s);", r(), order, k, a)
		case n == 17:
			say("%s(%s);", pick("atomic_inc", "atomic_dec"), a)
		case n == 18:
			say("%s = atomic_read(%s);", r(), a)
		case n == 19 && regs > 0 && depth == 0:
			say("if (r%d == %d) {", rng.IntN(regs), rng.IntN(2))
			statement(1)
			say("}")
		default:
			say("%s();", pick("smp_mb", "smp_mb", "smp_rmb", "smp_wmb", "smp_mb__before_atomic", "smp_mb__after_atomic", "smp_mb__after_spinlock", "smp_mb__after_unlock_lock"))
		}
	}
	for range 2 + rng.IntN(3) {
		statement(0)
	}
	if locked != "" {
		say("spin_unlock(%s);", locked)
	}
	if reading {
		say("rcu_read_unlock();")
	}
	return b.String(), regs
}

// kernelProgram is a random program as a litmus test and as C, in which the assertion fails where the condition holds.
func kernelProgram(rng *rand.Rand) (asLitmus, asC string) {
	var lt, globals, funcs, creates, joins strings.Builder
	lt.WriteString("C random\n\n{}\n\n")
	var conds, asserts []string
	threads := 2 + rng.IntN(2)
	for i := range threads {
		body, regs := kernelThread(rng)
		var decl, out strings.Builder
		for k := range regs {
			fmt.Fprintf(&decl, "int r%d = 0;\n", k)
			fmt.Fprintf(&globals, "int P%d_r%d;\n", i, k)
			fmt.Fprintf(&out, "P%d_r%d = r%d;\n", i, k, k)
			if rng.IntN(3) > 0 {
				v := rng.IntN(3)
				conds = append(conds, fmt.Sprintf("%d:r%d=%d", i, k, v))
				asserts = append(asserts, fmt.Sprintf("P%d_r%d == %d", i, k, v))
			}
		}
		fmt.Fprintf(&lt, "P%d(int *x, int *y, atomic_t *a, atomic_t *b, spinlock_t *l, spinlock_t *m) {\n%s%s}\n\n", i, decl.String(), body)
		fmt.Fprintf(&funcs, "static void *P%d(void *arg) {\nint *x = &gx, *y = &gy; atomic_t *a = &ga, *b = &gb; spinlock_t *l = &gl, *m = &gm;\n%s%s%sreturn 0;\n}\n",
			i, decl.String(), body, out.String())
		fmt.Fprintf(&creates, "pthread_create(&t[%d], 0, P%d, 0);\n", i, i)
		fmt.Fprintf(&joins, "pthread_join(t[%d], 0);\n", i)
	}
	if len(conds) == 0 {
		conds, asserts = []string{"x=1"}, []string{"READ_ONCE(gx) == 1"}
	}
	fmt.Fprintf(&lt, "exists (%s)\n", strings.Join(conds, " /\\ "))
	return lt.String(), "#include <linux/spinlock.h>\n#include <linux/atomic.h>\n#include <pthread.h>\n#include <assert.h>\n" +
		"int gx, gy; atomic_t ga, gb; DEFINE_SPINLOCK(gl); DEFINE_SPINLOCK(gm);\n" + globals.String() + funcs.String() +
		fmt.Sprintf("int main(void) {\npthread_t t[%d];\n%s%sassert(!(%s));\nreturn 0;\n}\n", threads, creates.String(), joins.String(), strings.Join(asserts, " && "))
}

// TestKernel: what the kernel's operations mean in C under its model is what they mean in a litmus test.
func TestKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	unsafe, open := 0, 0
	for range *kernelPrograms {
		asLitmus, asC := kernelProgram(rng)
		p, err := litmus.Parse(&program.Source{Name: "random.litmus", Text: asLitmus})
		if err != nil {
			t.Fatalf("%v\n%s", err, asLitmus)
		}
		want := verdictOf(t, p, memory.LKMM, engine.BMC)
		q := read(t, "random.c", asC, c.Options{Mapping: c.Kernel, NoBlocks: true, Dependencies: true})
		got := verdictOf(t, q, memory.LKMM, engine.BMC)
		switch {
		case got == "UNKNOWN" || want == "UNKNOWN":
			open++
		case got != want:
			t.Fatalf("%s as C, %s as a litmus test:\n%s\n%s", got, want, asC, asLitmus)
		case got == "UNSAFE":
			unsafe++
		}
	}
	t.Logf("%d programs, %d UNSAFE, %d open", *kernelPrograms, unsafe, open)
	if open*10 > *kernelPrograms {
		t.Errorf("%d of %d programs are open", open, *kernelPrograms)
	}
}
