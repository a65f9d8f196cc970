package datarace_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// locking is a random program of threads that begin, end and take locks, at some places as they should and at others not.
func locking(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; int x, y, flag; pthread_t t[3];\n")
	value := 0
	access := func() string {
		value++
		return []string{"x = %d;", "y = %d;", "x++;", "if (x) y = %d;", "__atomic_store_n(&flag, %d, __ATOMIC_RELAXED);"}[rng.IntN(5)]
	}
	section := func() string {
		a := access()
		if strings.Contains(a, "%") {
			a = fmt.Sprintf(a, value)
		}
		l := string("mn"[rng.IntN(2)])
		if rng.IntN(3) > 0 {
			l = "m"
		}
		lock, unlock := "pthread_mutex_lock(&"+l+");", "pthread_mutex_unlock(&"+l+");"
		switch rng.IntN(9) {
		case 0:
			return a
		case 1:
			return "if (!pthread_mutex_trylock(&" + l + ")) { " + a + " " + unlock + " }"
		case 2:
			return lock + " " + unlock + " " + a
		case 3:
			return lock + " if (flag) { " + unlock + " } else { " + a + " " + unlock + " }"
		case 4:
			return "if (flag) { " + lock + " " + a + " " + unlock + " }"
		}
		return lock + " " + a + " " + unlock
	}
	nested := rng.IntN(4) == 0
	threads := 2 + rng.IntN(2)
	for k := threads - 1; k > 0; k-- {
		fmt.Fprintf(&b, "void *f%d(void *a) { ", k)
		if nested && k == 1 {
			b.WriteString(section() + " pthread_create(&t[2], 0, f2, 0); ")
		}
		b.WriteString(section())
		if nested && k == 1 && rng.IntN(2) == 0 {
			b.WriteString(" pthread_join(t[2], 0); ")
		}
		b.WriteString(" return 0; }\n")
		if nested && k == 2 {
			continue
		}
	}
	if nested && threads < 3 {
		return locking(rng)
	}
	b.WriteString("int main(void) { ")
	some := func() {
		if rng.IntN(2) == 0 {
			fmt.Fprintf(&b, "%s = 7; ", []string{"x", "y"}[rng.IntN(2)])
		}
	}
	some()
	last := threads - 1
	if nested {
		last = 1
	}
	for k := 1; k <= last; k++ {
		fmt.Fprintf(&b, "pthread_create(&t[%d], 0, f%d, 0); ", k, k)
		if rng.IntN(3) == 0 {
			some()
		}
	}
	if rng.IntN(2) == 0 {
		b.WriteString(section() + " ")
	}
	for k := 1; k <= last; k++ {
		if rng.IntN(6) > 0 {
			fmt.Fprintf(&b, "pthread_join(t[%d], 0); ", k)
		}
	}
	some()
	b.WriteString("return 0; }\n")
	return b.String()
}

// objects is a random program of threads that take the locks of objects and of elements of arrays, mostly those of what they access. Which ones
// these are is not known before it runs.
func objects(rng *rand.Rand) string {
	var b strings.Builder
	one := func(of ...string) string { return of[rng.IntN(len(of))] }
	b.WriteString(`#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct s { int v[2]; pthread_mutex_t m, n; int x, y; unsigned char c; } a[2], *h;
pthread_mutex_t l[2]; pthread_spinlock_t k; int d[4], made[2];
pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#define TAKE(p) do { int c = 0; if (__atomic_compare_exchange_n(p, &c, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) break; } while (1)
#define GIVE(p) __atomic_store_n(p, 0, __ATOMIC_RELEASE)
`)
	// Most programs have one kind of locks, since they would all have races otherwise.
	kind := rng.IntN(6)
	section := func() string {
		access := func(right string) string {
			if rng.IntN(2) == 0 {
				right = one("p->x", "p->y", "a[1].x", "d[i]", "d[i + 1]", "q->x", "h->x")
			}
			return right + one("++;", " = 1;", " = 2;")
		}
		slip := func(s string) string { // is mostly s
			if rng.IntN(3) > 0 {
				return s
			}
			return one("", "p = &a[0];", "i = 1;", "i = i + 1 & 1;", "p = q;", "pthread_mutex_lock(&p->n);", "pthread_mutex_unlock(&p->n);", "pthread_mutex_unlock(&q->m);",
				"pthread_mutex_lock(&l[i]);", "pthread_mutex_destroy(&p->m);", "pthread_mutex_init(&p->m, 0);", "pthread_mutex_trylock(&p->m);", "GIVE(&made[i]);", "GIVE(&made[0]);", "TAKE(&made[i]);")
		}
		lock, unlock, right := "pthread_mutex_lock(&p->m);", "pthread_mutex_unlock(&p->m);", one("p->x", "p->x", "p->y", "p->v[i]")
		switch kind {
		case 1:
			lock, unlock, right = "pthread_mutex_lock(&l[i]);", "pthread_mutex_unlock(&l[i]);", one("d[i]", "d[i * 2]")
			if rng.IntN(6) == 0 {
				right = "d[i + 1]"
			}
		case 2:
			lock, unlock, right = "TAKE(&made[i]);", "GIVE(&made[i]);", "d[i]"
		case 3:
			lock, unlock, right = "if (!pthread_mutex_trylock(&p->m)) {", "pthread_mutex_unlock(&p->m); }", "p->x"
			return lock + " " + access(right) + " " + unlock
		case 5:
			nested := one("pthread_mutex_lock(&r);", "if (i) pthread_mutex_lock(&r);", "") + access("d[0]") + one("pthread_mutex_unlock(&r);", "if (i) pthread_mutex_unlock(&r);", "")
			return "pthread_mutex_lock(&r); " + nested + access("d[0]") + " pthread_mutex_unlock(&r);" + slip("")
		case 4:
			lock, unlock, right = "pthread_spin_lock(&k);", "pthread_spin_unlock(&k);", one("p->x", "d[i]")
		}
		return slip(lock) + " " + slip("") + access(right) + " " + slip(unlock)
	}
	choose := func() string {
		return one("struct s *p = &a[__VERIFIER_nondet_bool()];", "struct s *p = __VERIFIER_nondet_bool() ? h : a;", "struct s *p = a;", "struct s *p = h;") +
			one(" int i = __VERIFIER_nondet_bool();", " int i = 0;", " int i = p == h;") + " struct s *q = &a[1]; (void)q; "
	}
	threads := 2
	for t := range threads {
		fmt.Fprintf(&b, "void *f%d(void *arg) { %s%s return 0; }\n", t, choose(), section())
	}
	b.WriteString("int main(void) { h = malloc(sizeof *h); if (!h) return 0; pthread_mutex_init(&h->m, 0); pthread_mutex_init(&h->n, 0); pthread_spin_init(&k, 0); h->x = h->y = h->v[0] = h->v[1] = 0; pthread_t t[2]; " + choose())
	if rng.IntN(3) == 0 {
		b.WriteString(one("pthread_mutex_init(&p->m, 0); ", "p->x = 2; ", "pthread_mutex_lock(&p->m); p->x = 1; pthread_mutex_unlock(&p->m); ", "made[0] = 0; ", "pthread_mutex_lock(&p->m); "))
	}
	for t := range threads {
		fmt.Fprintf(&b, "pthread_create(&t[%d], 0, f%d, 0); ", t, t)
		if rng.IntN(8) == 0 {
			b.WriteString(one("pthread_mutex_init(&p->m, 0); ", "pthread_mutex_destroy(&p->m); ", "made[0] = 0; ", "GIVE(&made[0]); ", "pthread_mutex_unlock(&p->m); "))
		}
	}
	if rng.IntN(3) == 0 {
		b.WriteString(section())
	}
	for t := range threads {
		if rng.IntN(4) > 0 {
			fmt.Fprintf(&b, "pthread_join(t[%d], 0); ", t)
		}
	}
	if rng.IntN(3) == 0 {
		b.WriteString(one("pthread_mutex_destroy(&h->m); ", "pthread_mutex_destroy(&p->m); ", "free(h); ", "p->x = 3; ", "d[0] = 1; "))
	}
	b.WriteString("return 0; }\n")
	return b.String()
}

// TestOrdered: races are found where vector clocks find them in some run, of programs whose accesses are mostly ordered by locks, and by the
// beginnings and ends of threads; and of most that have none it is known without a search.
func TestOrdered(t *testing.T) {
	t.Run("variables", func(t *testing.T) { ordered(t, locking, 17) })
	t.Run("objects", func(t *testing.T) { ordered(t, objects, 18) })
}

func ordered(t *testing.T, random func(*rand.Rand) string, stream uint64) {
	races, safe, ordered := 0, 0, 0
	for seed := range *programs / 4 {
		text := random(rand.New(rand.NewPCG(uint64(seed), stream)))
		p, err := lang.Parse(&program.Source{Name: "p.c", Text: text}, nil, lang.C{Orders: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		x, err := abstract.Compile(p, memory.SC, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		race, complete := datarace.AllRuns(p, x, 20_000)
		if !race && !complete {
			continue
		}
		m, err := datarace.NewMonitor(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if m.Ordered {
			ordered++
		}
		r, err := engine.DataRaces(t.Context(), p, engine.Options{Engine: "explicit"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Unsafe() != race || r.Safe() == race {
			t.Fatalf("seed %d: %s, but a race in some run: %t\n%s", seed, r.Verdict(), race, text)
		}
		if race {
			races++
		} else {
			safe++
		}
	}
	t.Logf("%d programs with races, %d without, of which %d need no search", races, safe, ordered)
	if races < *programs/20 || safe < *programs/16 || ordered < safe/8 {
		t.Error("the programs are poor")
	}
}

// TestTurns has programs by hand whose accesses locks and threads order, or seem to.
func TestTurns(t *testing.T) {
	const relaxed = "#define TAKE(o) do c = 0; while (!__atomic_compare_exchange_n(&l, &c, 1, 0, o, __ATOMIC_RELAXED))\n#define GIVE(o) __atomic_store_n(&l, 0, o)\nint l, x; static __thread int c;\n"
	for _, s := range []struct {
		name, text string
		race       bool
	}{
		{"a lock is given back by another", relaxed + `void *f(void *a) { x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; TAKE(__ATOMIC_ACQUIRE); pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, false},
		{"a lock is given back by somebody", relaxed + `void *f(void *a) { GIVE(__ATOMIC_RELEASE); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"a lock is taken at any value", relaxed + `void *f(void *a) { __atomic_exchange_n(&l, 1, __ATOMIC_ACQ_REL); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"a lock is taken by a compare-exchange", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, false},
		{"who takes a lock does not acquire", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_RELAXED); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"who gives a lock back does not release", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELAXED); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELAXED); return 0; }`, true},
		{"a lock is taken at first", relaxed + `void *f(void *a) { __atomic_store_n(&l, 0, __ATOMIC_RELEASE); x++; return 0; } int main(void) { pthread_t t; __atomic_store_n(&l, 1, __ATOMIC_RELEASE); pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"a lock that may be held", `pthread_mutex_t m; int x; void *f(void *a) { int k = __VERIFIER_nondet_int(); if (k) pthread_mutex_lock(&m); x++; if (k) pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }`, true},
		{"a thread that says it has ended goes on", `int e, x; void *f(void *a) { __atomic_store_n(&e, 1, __ATOMIC_RELEASE); x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (!__atomic_load_n(&e, __ATOMIC_ACQUIRE)); x++; return 0; }`, true},
		{"a thread that says it has ended", `int e, x; void *f(void *a) { x++; __atomic_store_n(&e, 1, __ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (!__atomic_load_n(&e, __ATOMIC_ACQUIRE)); x++; return 0; }`, false},
		{"a thread that another one makes", `int x; void *g(void *a) { x++; return 0; } void *f(void *a) { pthread_t t; pthread_create(&t, 0, g, 0); return 0; } int main(void) { pthread_t t; x = 1; pthread_create(&t, 0, f, 0); x = 2; pthread_join(t, 0); return 0; }`, true},
		{"a thread that another one makes, before and after", `int x; void *g(void *a) { x++; return 0; } void *f(void *a) { pthread_t t; pthread_create(&t, 0, g, 0); pthread_join(t, 0); return 0; } int main(void) { pthread_t t; x = 1; pthread_create(&t, 0, f, 0); pthread_join(t, 0); x = 2; return 0; }`, false},
		{"a thread that another one makes, and nobody waits for", `int x; void *g(void *a) { x++; return 0; } void *f(void *a) { pthread_t t; pthread_create(&t, 0, g, 0); return 0; } int main(void) { pthread_t t; x = 1; pthread_create(&t, 0, f, 0); pthread_join(t, 0); x = 2; return 0; }`, true},
		{"a lock is given back in a section that goes on", `extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); pthread_mutex_t m; int x; void *f(void *a) { pthread_mutex_lock(&m); __VERIFIER_atomic_begin(); pthread_mutex_unlock(&m); x = 1; __VERIFIER_atomic_end(); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }`, true},
		{"a mutex that is destroyed", `pthread_mutex_t m; int x; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); pthread_mutex_destroy(&m); return 0; }`, false},
		{"a mutex that is made again while another holds it", `extern _Bool __VERIFIER_nondet_bool(void); pthread_mutex_t m; int x; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_init(&m, 0); f(0); return 0; }`, true},
		{"a lock that its maker holds is made again", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; TAKE(__ATOMIC_ACQUIRE); l = 0; pthread_create(&t, 0, f, 0); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"a lock is made before and after", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; l = 0; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); l = 0; f(0); return 0; }`, false},
		{"a lock is 0 again in the middle", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); l = 0; f(0); pthread_join(t, 0); return 0; }`, true},
		{"a lock is jammed", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); __atomic_store_n(&l, 5, __ATOMIC_RELAXED); return 0; }`, false},
		{"a lock is jammed and given back", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); __atomic_store_n(&l, 5, __ATOMIC_RELAXED); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"the lock of an element", `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, false},
		{"the lock of another element", `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[1 - i]); d[i]++; pthread_mutex_unlock(&m[1 - i]); return 0; }`, true},
		{"the index changes while the lock is held", `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); i = __VERIFIER_nondet_int() & 1; d[i]++; return 0; }`, true},
		{"two accesses with locks at other distances", `pthread_mutex_t m[3]; int d[3]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i + 1]); d[i]++; pthread_mutex_unlock(&m[i + 1]); return 0; }`, true},
		{"an element is given back by another index", relaxed + `int m[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1, j = __VERIFIER_nondet_int() & 1; c = 0; if (!__atomic_compare_exchange_n(&m[i], &c, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return 0; __atomic_store_n(&m[j], 0, __ATOMIC_RELEASE); if (i == 0) x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, true},
		{"two locks of one object", `struct s { pthread_mutex_t m, n; int x; } a[2]; void *f(void *v) { struct s *p = &a[__VERIFIER_nondet_int() & 1]; pthread_mutex_lock(&p->m); pthread_mutex_lock(&p->n); pthread_mutex_unlock(&p->n); p->x++; pthread_mutex_unlock(&p->m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, false},
		{"the other lock of an object", `struct s { pthread_mutex_t m, n; int x; } a[2]; void *f(void *v) { struct s *p = &a[__VERIFIER_nondet_int() & 1]; pthread_mutex_lock(&p->m); p->x++; pthread_mutex_unlock(&p->m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); struct s *p = &a[__VERIFIER_nondet_int() & 1]; pthread_mutex_lock(&p->n); p->x++; pthread_mutex_unlock(&p->n); return 0; }`, true},
		{"a lock is taken for a part of its bits", relaxed + `int h; void *f(void *a) { unsigned char z = 0; if (!__atomic_compare_exchange_n((unsigned char *)&h, &z, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return 0; x++; __atomic_store_n((unsigned char *)&h, 0, __ATOMIC_RELEASE); return 0; } int main(void) { h = 256; pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, false},
		{"a mutex is given back by one that does not hold it", `pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; int x; void *f(void *a) { pthread_mutex_unlock(&m); x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }`, true},
		{"a recursive mutex is given back once", `int x; pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, false},
		{"a recursive mutex is given back too soon", `int x; pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, true},
		{"a mutex is waited with", `int x, r; pthread_mutex_t m; pthread_cond_t c; void *f(void *a) { pthread_mutex_lock(&m); x++; r = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x = 1; while (!r) pthread_cond_wait(&c, &m); x++; pthread_mutex_unlock(&m); return 0; }`, false},
		{"a lock of a trial that failed", `int x; pthread_mutex_t m; void *f(void *a) { pthread_mutex_trylock(&m); x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }`, true},
		{"a thread is waited for in one branch", `int x; void *f(void *a) { x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (__VERIFIER_nondet_int()) pthread_join(t, 0); x++; return 0; }`, true},
		{"another thread is waited for", `int x; void *f(void *a) { x++; return 0; } void *g(void *a) { return 0; } int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); t = u; pthread_join(t, 0); x++; return 0; }`, true},
		{"not all threads of a loop are waited for", `int x; void *f(void *a) { pthread_mutex_t *m = a; pthread_mutex_lock(m); x++; pthread_mutex_unlock(m); return 0; } int main(void) { static pthread_mutex_t m; pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &m); for (int i = 0; i < 1; i++) pthread_join(t[i], 0); x++; return 0; }`, true},
		{"all threads of a loop are waited for", `int x; void *f(void *a) { pthread_mutex_t *m = a; pthread_mutex_lock(m); x++; pthread_mutex_unlock(m); return 0; } int main(void) { static pthread_mutex_t m; pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &m); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); x++; return 0; }`, false},
		{"bytes of a mutex are set", `#include <string.h>
int x; pthread_mutex_t m, k; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_mutex_t *p = __VERIFIER_nondet_int() ? &m : &k; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); memset(p, 0, sizeof *p); x++; return 0; }`, true},
		{"a lock is given back by who finds the number of another", relaxed + `void *f(void *a) { c = 1; if (!__atomic_compare_exchange_n(&l, &c, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return 0; TAKE(__ATOMIC_ACQUIRE); x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE(__ATOMIC_ACQUIRE); x++; return 0; }`, true},
		{"a lock is made again by who holds it", relaxed + `int y; void *g(void *a) { __atomic_store_n(&y, 1, __ATOMIC_RELAXED); return 0; } void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t, u; pthread_create(&u, 0, g, 0); if (__atomic_load_n(&y, __ATOMIC_RELAXED)) return 0; TAKE(__ATOMIC_ACQUIRE); l = 0; pthread_create(&t, 0, f, 0); x++; GIVE(__ATOMIC_RELEASE); return 0; }`, true},
		{"the lock of an element is given back by an index that may be another", `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1, j = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); pthread_mutex_unlock(&m[j]); d[i]++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, true},
		{"a number that is not another one may be any", `int x, y; void *f(void *a) { int k = __VERIFIER_nondet_int(); if (k != 5) { __atomic_store_n(&y, 1, __ATOMIC_RELAXED); if (k < 5) x++; } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`, true},
		{"an element is stored to by an index that may be another", `int x, a[2]; void *f(void *v) { x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); a[__VERIFIER_nondet_int() & 1] = 1; if (a[0]) x++; return 0; }`, true},
		{"a thread is waited for in the second round", `int x; void *f(void *v) { x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int i = 0; i < 2; i++) { if (i == 1) pthread_join(t, 0); x++; } return 0; }`, true},
		{"an index is chosen again in the next round", `pthread_mutex_t m[2]; int d[2], r; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int i = 0; i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); for (;;) { d[i]++; i = __VERIFIER_nondet_int() & 1; } }`, true},
		{"a lock has the number that this one would store", relaxed + `void *f(void *a) { TAKE(__ATOMIC_ACQUIRE); x++; GIVE(__ATOMIC_RELEASE); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); c = 1; if (__atomic_compare_exchange_n(&l, &c, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) { x++; return 0; } TAKE(__ATOMIC_ACQUIRE); x++; return 0; }`, true},
		{"an index is chosen again after the lock is taken", `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int k = 0;; k = 1) { int i = __VERIFIER_nondet_int() & 1; if (k == 0) pthread_mutex_lock(&m[i]); d[i]++; } }`, true},
		{"the lock of the first element for all", `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { pthread_mutex_lock(&m[0]); d[1]++; pthread_mutex_unlock(&m[0]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; }`, true},
		{"two mutexes", `pthread_mutex_t m[2]; int x; void *f(void *a) { pthread_mutex_lock(&m[1]); x++; pthread_mutex_unlock(&m[1]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m[0]); x++; pthread_mutex_unlock(&m[0]); return 0; }`, true},
	} {
		p, err := lang.Parse(&program.Source{Name: "p.c", Text: "#define _GNU_SOURCE\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n" + s.text}, nil, lang.C{Orders: true})
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		r, err := engine.DataRaces(t.Context(), p, engine.Options{Engine: "explicit"})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if r.Unsafe() != s.race || r.Safe() == s.race {
			t.Errorf("%s: %s, want a race: %t", s.name, r.Verdict(), s.race)
		}
	}
}

// TestOrderedAtOnce has programs of which it is known without a search that they have no race.
func TestOrderedAtOnce(t *testing.T) {
	for name, text := range map[string]string{
		"a mutex that is destroyed": `pthread_mutex_t m; int x; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); pthread_mutex_destroy(&m); return 0; }`,
		"a mutex that is made":      `pthread_mutex_t m; int x; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { f(0); pthread_mutex_init(&m, 0); pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); pthread_mutex_init(&m, 0); f(0); return 0; }`,
		"the lock of an element":    `pthread_mutex_t m[2]; int d[2]; void *f(void *a) { int i = __VERIFIER_nondet_int() & 1; pthread_mutex_lock(&m[i]); d[i]++; pthread_mutex_unlock(&m[i]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`,
		"the lock of an object":     `struct s { int x; pthread_spinlock_t l; } a[2]; void *f(void *v) { struct s *p = &a[__VERIFIER_nondet_int() & 1]; pthread_spin_lock(&p->l); p->x++; pthread_spin_unlock(&p->l); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`,
		"the lock of an object of malloc": `#include <stdlib.h>
struct s { int x; pthread_mutex_t l; }; void *f(void *v) { struct s *p = v; pthread_mutex_lock(&p->l); p->x++; pthread_mutex_unlock(&p->l); return 0; } int main(void) { struct s *p = malloc(sizeof *p); if (!p) return 1; pthread_mutex_init(&p->l, 0); p->x = 0; pthread_t t; pthread_create(&t, 0, f, p); f(p); pthread_join(t, 0); pthread_mutex_destroy(&p->l); free(p); return 0; }`,
		"a recursive mutex":                `int x; pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`,
		"a mutex that is tried":            `int x; pthread_mutex_t m; void *f(void *a) { if (pthread_mutex_trylock(&m)) return 0; x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }`,
		"all threads of a loop have ended": `int x; void *f(void *a) { pthread_mutex_t *m = a; pthread_mutex_lock(m); x++; pthread_mutex_unlock(m); return 0; } int main(void) { static pthread_mutex_t m; pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, &m); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); x++; return 0; }`,
		"who writes has a read-write lock": `int x; pthread_rwlock_t l; void *f(void *a) { pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); pthread_rwlock_destroy(&l); return 0; }`,
	} {
		p, err := lang.Parse(&program.Source{Name: "p.c", Text: "#define _GNU_SOURCE\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n" + text}, nil, lang.C{Orders: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := datarace.NewMonitor(t.Context(), p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !m.Ordered {
			t.Errorf("%s: it is not known that all is ordered", name)
		}
	}
}
