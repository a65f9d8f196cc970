package c_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var kernelPrograms = flag.Int("kernel", 60, "random programs of the kernel's C, read as litmus tests and as C")

var speculativePrograms = flag.Int("speculative", 30, "random programs of C11, read as litmus tests and as C")

// kernelThread is the body of a random thread, with values for registers r0, r1, ..: each statement is the same in a
// litmus test of the kernel and in C. It accesses x and then y, or y and then x, in some way, and what comes between is
// in the style of number, or now and then another one.
func kernelThread(rng *rand.Rand, style int) (body string, regs int) {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	pick := func(all ...string) string { return all[rng.IntN(len(all))] }
	r := func() string { regs++; return fmt.Sprintf("r%d", regs-1) }
	orders := []string{"", "_relaxed", "_acquire", "_release"}
	access := func(x string) {
		k := 1 + rng.IntN(2)
		value := fmt.Sprint(k)
		if regs > 0 && rng.IntN(4) == 0 {
			value = fmt.Sprintf("r%d + %d", rng.IntN(regs), rng.IntN(2))
		}
		switch rng.IntN(14) {
		case 0, 1, 2, 3:
			say("%s = READ_ONCE(*%s);", r(), x)
		case 4, 5, 6, 7:
			say("WRITE_ONCE(*%s, %s);", x, value)
		case 8:
			say("%s = smp_load_acquire(%s);", r(), x)
		case 9:
			say("smp_store_release(%s, %s);", x, value)
		case 10:
			say("*%s = %s;", x, value)
		case 11:
			say("%s = *%s;", r(), x)
		case 12:
			say("%s = xchg%s(%s, %d);", r(), pick(orders...), x, k)
		case 13:
			say("%s = cmpxchg%s(%s, %d, %d);", r(), pick(orders...), x, rng.IntN(2), k)
		}
	}
	if rng.IntN(4) == 0 {
		style = rng.IntN(kernelStyles)
	}
	before, between, after := "", "", ""
	switch style {
	case 0, 1:
	case 2, 3:
		between = "smp_rmb();"
	case 4, 5:
		between = "smp_wmb();"
	case 6:
		between = "smp_mb();"
	case 7:
		between = pick("smp_mb__before_atomic();", "smp_mb__after_atomic();", "smp_mb__after_spinlock();", "smp_mb__after_unlock_lock();")
	case 8:
		between = fmt.Sprintf("%s = atomic_add_return%s(1, a);", r(), pick(orders...))
	case 9:
		between = pick("atomic_inc(a);", "smp_mb__before_atomic(); atomic_dec(a);", "atomic_inc(a); smp_mb__after_atomic();")
	case 10:
		between = fmt.Sprintf("%s = cmpxchg(%s, 0, 1);", r(), pick("x", "y"))
	case 11, 12: // an unlock and a lock, of the same or another one
		before, after = "spin_lock(l);", "spin_unlock(m);"
		if between = "spin_unlock(l); spin_lock(m);"; rng.IntN(2) == 0 {
			between, after = "spin_unlock(l); spin_lock(l);", "spin_unlock(l);"
		}
		between += pick("", "smp_mb__after_spinlock();", "smp_mb__after_unlock_lock();")
	case 13:
		before, after = "rcu_read_lock();", "rcu_read_unlock();"
	case 14:
		between = "synchronize_rcu();"
	case 15:
		between = "if (r0 == 0) {"
		after = "}"
	}
	x, y := "x", "y"
	if rng.IntN(2) == 0 {
		x, y = y, x
	}
	say("%s", before)
	access(x)
	if strings.HasPrefix(between, "if") && regs == 0 {
		between, after = "", ""
	}
	say("%s", between)
	access(y)
	say("%s", after)
	return b.String(), regs
}

const kernelStyles = 16

// kernelProgram is a random program as a litmus test and as C, in which globals P0_r0, P0_r1, .. have in the end what the threads
// have read.
func kernelProgram(rng *rand.Rand) (asLitmus, asC string) {
	var lt, globals, funcs, creates, joins strings.Builder
	lt.WriteString("C random\n\n{}\n\n")
	threads, style := 2, rng.IntN(kernelStyles)
	if rng.IntN(4) == 0 {
		threads = 3
	}
	for i := range threads {
		body, regs := kernelThread(rng, style)
		var decl, out strings.Builder
		for k := range regs {
			fmt.Fprintf(&decl, "int r%d = 0;\n", k)
			fmt.Fprintf(&globals, "int P%d_r%d;\n", i, k)
			fmt.Fprintf(&out, "P%d_r%d = r%d;\n", i, k, k)
		}
		fmt.Fprintf(&lt, "P%d(int *x, int *y, atomic_t *a, atomic_t *b, spinlock_t *l, spinlock_t *m) {\n%s%s}\n\n", i, decl.String(), body)
		fmt.Fprintf(&funcs, "static void *P%d(void *arg) {\nint *x = &gx, *y = &gy; atomic_t *a = &ga, *b = &gb; spinlock_t *l = &gl, *m = &gm;\n%s%s%sreturn 0;\n}\n",
			i, decl.String(), body, out.String())
		fmt.Fprintf(&creates, "pthread_create(&t[%d], 0, P%d, 0);\n", i, i)
		fmt.Fprintf(&joins, "pthread_join(t[%d], 0);\n", i)
	}
	lt.WriteString("exists (x=0)\n")
	return lt.String(), "#include <linux/spinlock.h>\n#include <linux/atomic.h>\n#include <pthread.h>\n" +
		"int gx, gy; atomic_t ga, gb; DEFINE_SPINLOCK(gl); DEFINE_SPINLOCK(gm);\n" + globals.String() + funcs.String() +
		fmt.Sprintf("int main(void) {\npthread_t t[%d];\n%s%sreturn 0;\n}\n", threads, creates.String(), joins.String())
}

// kernelStates are [statesUnder] the kernel's model.
func kernelStates(t *testing.T, p *program.Program, registers bool) []string {
	t.Helper()
	return statesUnder(t, memory.LKMM, p, registers)
}

// statesUnder are the final states of p under a model: what the threads have read, and memory, by the names that the C
// form has for them; nil where they are too many.
func statesUnder(t *testing.T, m memory.Model, p *program.Program, registers bool) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	all, res, err := engine.FinalStates(ctx, p, engine.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Safe() {
		return nil
	}
	ranges, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	ofMemory := regexp.MustCompile(`^(x|y|a|b)$|^g(x|y|a|b)(\.counter)?$`)
	ofThread := regexp.MustCompile(`^P\d_r\d+$`)
	set := map[string]bool{}
	for _, s := range all {
		var values []string
		for i, c := range ranges.Cells {
			if m := ofMemory.FindStringSubmatch(c.Name); m != nil {
				values = append(values, fmt.Sprintf("%s%s=%d", m[1], m[2], s.Memory[i]))
			} else if ofThread.MatchString(c.Name) {
				values = append(values, fmt.Sprintf("%s=%d", c.Name, s.Memory[i]))
			}
		}
		for ti, th := range p.Threads {
			for r := range th.Regs {
				if name := fmt.Sprintf("P%d_%s", ti, th.Regs[r].Name); registers && ofThread.MatchString(name) {
					values = append(values, fmt.Sprintf("%s=%d", name, s.Regs[ti][r]))
				}
			}
		}
		// What is never accessed is no cell of one form, and one of the other.
		values = slices.DeleteFunc(values, func(v string) bool { return len(v) == 3 && strings.HasSuffix(v, "=0") })
		slices.Sort(values)
		set[strings.Join(values, " ")] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// TestKernel: what the kernel's operations mean in C under its model is what they mean in a litmus test.
func TestKernel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 7))
	states, open := 0, 0
	for range *kernelPrograms {
		asLitmus, asC := kernelProgram(rng)
		p, err := litmus.Parse(&program.Source{Name: "random.litmus", Text: asLitmus})
		if err != nil {
			t.Fatalf("%v\n%s", err, asLitmus)
		}
		want := kernelStates(t, p, true)
		got := kernelStates(t, read(t, "random.c", asC, c.Options{Mapping: c.Kernel, NoBlocks: true, Dependencies: true}), false)
		switch {
		case want == nil || got == nil:
			open++
		case !slices.Equal(got, want):
			t.Fatalf("in C\n%s\nas a litmus test\n%s\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), asC, asLitmus)
		}
		states += len(want)
	}
	t.Logf("%d programs, %d final states, %d programs are open", *kernelPrograms, states, open)
	if open*10 > *kernelPrograms {
		t.Errorf("%d of %d programs are open", open, *kernelPrograms)
	}
}

// TestKernelOnX86 has the kernel's operations under the models of processors with store buffers, and under its own. Programs
// include lkmm.h.
func TestKernelOnX86(t *testing.T) {
	t.Parallel()
	const run = `int main(void) { pthread_t s, t; pthread_create(&s, 0, left, 0); pthread_create(&t, 0, right, 0); pthread_join(s, 0); pthread_join(t, 0); LAST return 0; }`
	two := func(left, right, last string) string {
		return "int x, y, r0, r1; spinlock_t l; atomic_t n = ATOMIC_INIT(0); struct s { int v; } one = { 1 }, *p;\nvoid *left(void *u) { " + left + " return 0; } void *right(void *u) { " + right + " return 0; }\n" + strings.Replace(run, "LAST", last, 1)
	}
	const message, late = "assert(!(r0 == 1 && r1 == 0));", "assert(r0 || r1);"
	for _, tt := range []struct{ name, text, want string }{
		{"message, released", two("WRITE_ONCE(x, 1); smp_store_release(&y, 1);", "r0 = smp_load_acquire(&y); r1 = READ_ONCE(x);", message), "sc SAFE tso SAFE pso UNSAFE lkmm SAFE"},
		{"message", two("WRITE_ONCE(x, 1); WRITE_ONCE(y, 1);", "r0 = READ_ONCE(y); smp_rmb(); r1 = READ_ONCE(x);", message), "sc SAFE tso SAFE pso UNSAFE lkmm UNSAFE"},
		{"message, ordered", two("WRITE_ONCE(x, 1); smp_wmb(); WRITE_ONCE(y, 1);", "r0 = READ_ONCE(y); smp_rmb(); r1 = READ_ONCE(x);", message), "sc SAFE tso SAFE pso SAFE lkmm SAFE"},
		{"message, read in any order", two("WRITE_ONCE(x, 1); smp_wmb(); WRITE_ONCE(y, 1);", "r0 = READ_ONCE(y); r1 = READ_ONCE(x);", message), "sc SAFE tso SAFE pso SAFE lkmm UNSAFE"},
		{"pointer", two("one.v = 2; rcu_assign_pointer(p, &one);", "struct s *q = rcu_dereference(p); if (q) assert(q->v == 2);", ""), "sc SAFE tso SAFE pso UNSAFE lkmm SAFE"},
		{"both are late", two("WRITE_ONCE(x, 1); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); r1 = READ_ONCE(x);", late), "sc SAFE tso UNSAFE pso UNSAFE lkmm UNSAFE"},
		{"store and barrier", two("smp_store_mb(x, 1); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); smp_mb(); r1 = READ_ONCE(x);", late), "sc SAFE tso SAFE pso SAFE lkmm SAFE"},
		{"released only", two("smp_store_release(&x, 1); r0 = READ_ONCE(y);", "smp_store_release(&y, 1); r1 = READ_ONCE(x);", late), "sc SAFE tso UNSAFE pso UNSAFE lkmm UNSAFE"},
		{"locked, of any order", two("WRITE_ONCE(x, 1); atomic_inc(&n); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); atomic_fetch_add_relaxed(1, &n); r1 = READ_ONCE(x);", late), "sc SAFE tso SAFE pso SAFE lkmm UNSAFE"},
		{"and with fences", two("WRITE_ONCE(x, 1); atomic_inc(&n); smp_mb__after_atomic(); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); atomic_inc_return(&n); r1 = READ_ONCE(x);", late), "sc SAFE tso SAFE pso SAFE lkmm SAFE"},
		{"a compare-exchange that fails", two("WRITE_ONCE(x, 1); cmpxchg(&n.counter, 5, 6); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); smp_mb(); r1 = READ_ONCE(x);", late), "lkmm UNSAFE"},
		{"spin locks", two("spin_lock(&l); x++; y++; spin_unlock(&l);", "spin_lock(&l); x++; y++; spin_unlock(&l);", "assert(x == 2 && y == 2 && !spin_is_locked(&l));"), "sc SAFE tso SAFE pso UNSAFE lkmm SAFE"},
		{"a lock that somebody has", two("spin_lock(&l); WRITE_ONCE(x, 1); if (spin_trylock(&l)) return 0; r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); smp_mb(); r1 = READ_ONCE(x);", late), "sc SAFE tso UNSAFE lkmm UNSAFE"},
		{"a lock that nobody has", two("WRITE_ONCE(x, 1); if (!spin_trylock(&l)) return 0; smp_mb__after_spinlock(); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); smp_mb(); r1 = READ_ONCE(x);", late), "sc SAFE tso SAFE pso SAFE lkmm SAFE"},
		{"added unless", two("WRITE_ONCE(x, 1); atomic_add_unless(&n, 1, 7); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); atomic_add_unless(&n, 1, 8); r1 = READ_ONCE(x);", late), "sc SAFE tso SAFE lkmm SAFE"},
		{"not added", two("WRITE_ONCE(x, 1); atomic_inc_not_zero(&n); r0 = READ_ONCE(y);", "WRITE_ONCE(y, 1); smp_mb(); r1 = READ_ONCE(x);", late), "sc SAFE tso UNSAFE lkmm UNSAFE"},
		{"values", two("", "", "assert(atomic_dec_if_positive(&n) == -1); assert(atomic_fetch_add_unless(&n, 2, 1) == 0 && !atomic_add_unless(&n, 1, 2) && atomic_dec_if_positive(&n) == 1 && atomic_read(&n) == 1);"+
			"int a[] = { 6 }, i = 0; const int *q = a; assert(smp_cond_load_acquire(&a[i++], VAL == 6) == 6 && i == 1 && smp_cond_load_relaxed(q, VAL)); int once = likely(4); assert(once == 1);"), "sc SAFE tso SAFE lkmm SAFE"},
		{"exchanges of one's own", two("int own = 0; WRITE_ONCE(x, 1); xchg(&own, 1); r0 = READ_ONCE(y);", "atomic_t own = ATOMIC_INIT(0); WRITE_ONCE(y, 1); atomic_inc(&own); smp_mb__after_atomic(); r1 = READ_ONCE(x);", late), "sc SAFE tso SAFE pso SAFE lkmm SAFE"},
		{"a lock of one's own", two("spinlock_t own; spin_lock_init(&own); spin_lock(&own); WRITE_ONCE(x, 1); spin_unlock(&own); spin_lock(&own); WRITE_ONCE(y, 1); spin_unlock(&own);", "r0 = smp_load_acquire(&y); r1 = READ_ONCE(x);", message), "sc SAFE tso SAFE lkmm SAFE"},
		{"a section while others fail", two("rcu_read_lock(); rcu_read_lock(); rcu_read_unlock(); int a = READ_ONCE(y), b = READ_ONCE(x); smp_store_release(&one.v, a == 1 && b == 0 ? 7 : 0); rcu_read_unlock();",
			"WRITE_ONCE(x, 1); synchronize_rcu(); WRITE_ONCE(y, 1); assert(smp_load_acquire(&one.v) != 7);", ""), "lkmm SAFE"},
		{"a section while others fail, with atomic_inc_not_zero", two("rcu_read_lock(); int a = READ_ONCE(y), b = READ_ONCE(x); smp_store_release(&one.v, a == 1 && b == 0 ? 7 : 0); atomic_inc_not_zero(&n); rcu_read_unlock();",
			"WRITE_ONCE(x, 1); synchronize_rcu(); WRITE_ONCE(y, 1); assert(smp_load_acquire(&one.v) != 7);", ""), "lkmm SAFE"},
		{"a section while others fail, with cmpxchg", two("rcu_read_lock(); int a = READ_ONCE(y), b = READ_ONCE(x); smp_store_release(&one.v, a == 1 && b == 0 ? 7 : 0); cmpxchg(&n.counter, 0, 1); rcu_read_unlock();",
			"WRITE_ONCE(x, 1); synchronize_rcu(); WRITE_ONCE(y, 1); assert(smp_load_acquire(&one.v) != 7);", ""), "lkmm SAFE"},
		{"a section while others fail, with spin_trylock", two("rcu_read_lock(); int a = READ_ONCE(y), b = READ_ONCE(x); smp_store_release(&one.v, a == 1 && b == 0 ? 7 : 0); if (spin_trylock(&l)) spin_unlock(&l); rcu_read_unlock();",
			"WRITE_ONCE(x, 1); synchronize_rcu(); WRITE_ONCE(y, 1); assert(smp_load_acquire(&one.v) != 7);", ""), "lkmm SAFE"},
		{"a section that ends before", two("rcu_read_lock(); rcu_read_unlock(); int a = READ_ONCE(y); int b = READ_ONCE(x); smp_store_release(&one.v, a == 1 && b == 0 ? 7 : 0);",
			"WRITE_ONCE(x, 1); synchronize_rcu(); WRITE_ONCE(y, 1); assert(smp_load_acquire(&one.v) != 7);", ""), "lkmm UNSAFE"},
		{"a section that waits", two("rcu_read_lock(); WRITE_ONCE(x, 1); while (!READ_ONCE(y)) cpu_relax(); rcu_read_unlock();", "assert(!READ_ONCE(x)); WRITE_ONCE(y, 1);", ""), "lkmm UNSAFE"},
		{"no locks", two("x++;", "x++;", "assert(x == 2);"), "sc UNSAFE tso UNSAFE pso UNSAFE lkmm UNSAFE"},
	} {
		text := "#include <assert.h>\n#include <lkmm.h>\n" + tt.text
		for words := strings.Fields(tt.want); len(words) > 0; words = words[2:] {
			m, opts := memory.Model(words[0]), c.Options{}
			if m == memory.LKMM {
				opts = c.Options{Mapping: c.Kernel, NoBlocks: true, NoFutileWaits: true, Dependencies: true}
			}
			if got := verdictOf(t, read(t, "a.c", text, opts), m, engine.Auto); got != words[1] {
				t.Errorf("%s, %s: %s, want %s", tt.name, m, got, words[1])
			}
		}
	}
	_, err := c.Parse(&program.Source{Name: "a.c", Text: "#include <lkmm.h>\nint main(void) { rcu_read_lock(); return 0; }"}, c.Options{})
	if err == nil || !strings.Contains(err.Error(), "a.c:2:18: not modelled: sections of RCU") {
		t.Errorf("%v", err)
	}
}

// TestKernelOfItsOwn: a program that brings a header of the kernel means its own.
func TestKernelOfItsOwn(t *testing.T) {
	files := map[string]string{"d/linux/spinlock.h": "typedef int spinlock_t;\nstatic inline void spin_lock(spinlock_t *l) { *l = 7; }\n"}
	const text = "#include <linux/spinlock.h>\n#include <linux/bug.h>\nspinlock_t l;\nint main(void) { spin_lock(&l); BUG_ON(l == 7); return 0; }\n"
	p, err := c.Parse(&program.Source{Name: "d/a.c", Text: text}, c.Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdictOf(t, p, memory.SC, engine.Auto); got != "UNSAFE" {
		t.Error(got)
	}
}
