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

// TestOrdered: races are found where vector clocks find them in some run, of programs whose accesses are mostly ordered by locks, and by the
// beginnings and ends of threads; and of most that have none it is known without a search.
func TestOrdered(t *testing.T) {
	races, safe, ordered := 0, 0, 0
	for seed := range *programs / 4 {
		text := locking(rand.New(rand.NewPCG(uint64(seed), 17)))
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
	if races < *programs/16 || safe < *programs/16 || ordered < safe/8 {
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
		{"two mutexes", `pthread_mutex_t m[2]; int x; void *f(void *a) { pthread_mutex_lock(&m[1]); x++; pthread_mutex_unlock(&m[1]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m[0]); x++; pthread_mutex_unlock(&m[0]); return 0; }`, true},
	} {
		p, err := lang.Parse(&program.Source{Name: "p.c", Text: "#include <pthread.h>\n" + s.text}, nil, lang.C{Orders: true})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
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
