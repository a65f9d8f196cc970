package c_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// countedStack is a stack of two elements whose head is a pointer with a counter. While the first thread takes the upper
// element and gives it back, the second may have seen what is below it.
const countedStack = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
struct node { struct node *next; int v; };
struct head { struct node *top; uintptr_t n; };
static _Atomic struct head h;
static struct node a, b;
static void push(struct node *x) {
	struct head old = atomic_load_explicit(&h, memory_order_relaxed), new;
	do {
		x->next = old.top;
		new.top = x;
		new.n = old.n + STEP;
	} while (!atomic_compare_exchange_strong_explicit(&h, &old, new, PUSH, memory_order_relaxed));
}
static struct node *pop(void) {
	struct head old = atomic_load_explicit(&h, memory_order_acquire), new;
	do {
		if (!old.top) return 0;
		new.top = old.top->next;
		new.n = old.n + STEP;
	} while (!atomic_compare_exchange_strong_explicit(&h, &old, new, memory_order_acquire, memory_order_acquire));
	return old.top;
}
static void *run(void *arg) {
`

// four is a structure of four members, each of which has 16 bits.
const four = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct p { int a; unsigned b; signed char c; unsigned d; };
static _Atomic struct p x;
static void *f(void *arg) { atomic_store_explicit(&x, ((struct p){ -1, BIG, -2, 7 }), memory_order_relaxed); return 0; }
int main(void) {
	pthread_t t;
	atomic_init(&x, ((struct p){ 0 }));
	pthread_create(&t, 0, f, 0);
	struct p v = atomic_load_explicit(&x, memory_order_relaxed);
	assert(v.a == 0 && !v.b && !v.c && !v.d || v.a == -1 && v.b == BIG && v.c == -2 && v.d == 7);
	v = atomic_exchange(&x, ((struct p){ 1, 2, 3, 4 }));
	assert(v.a + v.c == 0 || v.a + v.c == -3);
	return 0;
}
`

// buffered stores what another thread has computed from a store that comes later.
const buffered = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
struct p { uint64_t a, b; };
static _Atomic struct p s;
static _Atomic uint64_t x, y;
static void *f(void *arg) {
	uint64_t r = atomic_load_explicit(&x, memory_order_relaxed);
	if (BRANCH) return 0;
	atomic_store_explicit(&s, ((struct p){ r, OTHER }), memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return 0;
}
static void *g(void *arg) {
	uint64_t r = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r * BIG, memory_order_relaxed);
	return 0;
}
int main(void) {
	pthread_t t, u;
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, g, 0);
	struct p v = atomic_load_explicit(&s, memory_order_relaxed);
	assert(v.a == 0);
	return 0;
}
`

// inVain has a compare-and-exchange that never succeeds.
const inVain = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
struct p { uint64_t a, b; };
static _Atomic struct p s;
static int failed;
static void *f(void *arg) {
	struct p e = { 3, 0 };
	if (!atomic_compare_exchange_strong_explicit(&s, &e, ((struct p){ 4, 4 }), memory_order_relaxed, memory_order_relaxed)) failed = 1;
	return 0;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	atomic_store_explicit(&s, ((struct p){ 1, 2 }), memory_order_relaxed);
	pthread_join(t, 0);
	struct p v = atomic_load_explicit(&s, memory_order_relaxed);
	assert(failed == WANT && v.a == 1 && v.b == 2);
	return 0;
}
`

// large has more large numbers than there is room for.
const large = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
struct p { uint64_t a, b; };
static _Atomic struct p x;
static void *f(void *arg) { atomic_store_explicit(&x, ((struct p){ 1ull << 40, 3ull << 40 }), memory_order_relaxed); return 0; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	struct p v = atomic_load_explicit(&x, memory_order_relaxed);
	assert(v.b == 3 * v.a);
	return 0;
}
`

// counter has a number without a bound on which no branch depends.
const counter = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
struct p { int *p; uint64_t n; };
static _Atomic struct p x;
static int a;
static void *f(void *arg) {
	struct p v = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&x, ((struct p){ &a, v.n + 1 }), memory_order_relaxed);
	return 0;
}
int main(void) {
	pthread_t t, u;
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, 0);
	struct p v = atomic_load_explicit(&x, memory_order_relaxed);
	assert(v.n == 0 && !v.p || v.n <= 2 && v.p == &a);
	return 0;
}
`

// queue is that of Michael and Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms", 1996.
const queue = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct link { struct node *to; uintptr_t n; };
struct node { int v; _Atomic struct link next; };
static struct { _Atomic struct link head, tail; } q;
static struct link get(_Atomic struct link *l) { return atomic_load_explicit(l, memory_order_acquire); }
static int same(struct link a, struct link b) { return a.to == b.to && a.n == b.n; }
static int put(_Atomic struct link *l, struct link old, struct node *to, memory_order how) {
	struct link new = { to, old.n + 1 };
	return atomic_compare_exchange_strong_explicit(l, &old, new, how, memory_order_relaxed);
}
static struct node *make(int v) {
	struct node *n = malloc(sizeof *n);
	n->v = v;
	atomic_init(&n->next, ((struct link){ 0 }));
	return n;
}
static void enqueue(int v) {
	struct node *n = make(v);
	for (;;) {
		struct link tail = get(&q.tail), next = get(&tail.to->next);
		if (!same(tail, get(&q.tail))) continue;
		if (next.to) {
			put(&q.tail, tail, next.to, memory_order_release);
		} else if (put(&tail.to->next, next, n, LINK)) {
			put(&q.tail, tail, n, memory_order_release);
			return;
		}
	}
}
static int dequeue(int *v) {
	for (;;) {
		struct link head = get(&q.head), tail = get(&q.tail), next = get(&head.to->next);
		if (!same(head, get(&q.head))) continue;
		if (head.to == tail.to) {
			if (!next.to) return 0;
			put(&q.tail, tail, next.to, memory_order_release);
			continue;
		}
		*v = next.to->v;
		if (put(&q.head, head, next.to, memory_order_release)) return 1;
	}
}
static void *run(void *arg) { enqueue(7); return 0; }
int main(void) {
	struct node *n = make(0);
	atomic_init(&q.head, ((struct link){ n }));
	q.tail = (struct link){ n, 0 };
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	int v;
	if (dequeue(&v)) assert(v == 7);
	return 0;
}
`

// alone loads members of a structure one by one.
const alone = `#include <assert.h>
#include <pthread.h>
#include <stdint.h>
struct p { uint64_t a, b; };
static struct p s;
static void *f(void *arg) { struct p n = { 1, 2 }; __atomic_store(&s, &n, __ATOMIC_RELAXED); return 0; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	uint64_t x = __atomic_load_n(&s.FIRST, __ATOMIC_RELAXED), y = __atomic_load_n(&s.SECOND, __ATOMIC_RELAXED);
	assert(!(x && !y));
	return 0;
}
`

// lockref is a word of which a lock and a counter are halves.
const lockref = `#include <assert.h>
#include <pthread.h>
#include <stdint.h>
union ref { struct { uint32_t lock, count; }; uint64_t word; };
static union ref l;
static int data;
static uint64_t word(void) { return __atomic_load_n(&l.word, __ATOMIC_RELAXED); }
static int swap(union ref *old, union ref new, int how) {
	return __atomic_compare_exchange_n(&l.word, &old->word, new.word, 0, how, __ATOMIC_RELAXED);
}
static void get(void) {
	union ref old = { .word = word() }, new;
	do {
		while (old.lock) old.word = word();
		new = old;
		new.count++;
	} while (!swap(&old, new, __ATOMIC_RELAXED));
}
static void lock(void) {
	union ref old, new;
	do {
		while (__atomic_load_n(&l.lock, __ATOMIC_RELAXED)) ;
		old.word = word();
		old.lock = 0;
		new = old;
		new.lock = 1;
	} while (!swap(&old, new, HOW));
}
static void unlock(void) {
	union ref old = { .word = word() }, new;
	do {
		new = old;
		new.lock = 0;
	} while (!swap(&old, new, __ATOMIC_RELEASE));
}
static void *run(void *arg) {
	get();
	lock();
	data++;
	unlock();
	return 0;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	lock();
	data++;
	unlock();
	pthread_join(t, 0);
	union ref end = { .word = word() };
	assert(data == 2 && end.count == 1 && !end.lock);
	return 0;
}
`

// refused stands for no verdict at all.
const refused = verdict.Verdict(99)

// TestCountedPointers has structures of 16 bytes under models that know no step of two cells.
func TestCountedPointers(t *testing.T) {
	t.Parallel()
	stack := func(step, push, second, first string) string {
		return strings.NewReplacer("STEP", step, "PUSH", push).Replace(countedStack) + second +
			"\treturn 0;\n}\nint main(void) {\n\tpthread_t t;\n\ta.v = b.v = 1;\n" + first + "\treturn 0;\n}\n"
	}
	// Who takes a, and b, and gives a back, comes between who has seen b below a and its exchange.
	recycle := "\tstruct node *x = pop();\n\tassert(!x || x->v);\n"
	recycler := `	push(&b);
	push(&a);
	pthread_create(&t, 0, run, 0);
	struct node *x = pop(), *y = pop();
	if (x != &a || y != &b) return 0;
	y->v = 0;
	push(x);
	pthread_join(t, 0);
	x = pop();
	assert(x != &b);
`
	handOver := "\tb.v = 2;\n\tpush(&b);\n"
	taker := "\tpthread_create(&t, 0, run, 0);\n\tstruct node *x = pop();\n\tassert(!x || x->v == 2);\n"
	every := func(v verdict.Verdict) map[memory.Model]verdict.Verdict {
		return map[memory.Model]verdict.Verdict{memory.IMM: v, "armv8": v, "riscv": v, "power": v}
	}
	release, relaxed := "memory_order_release", "memory_order_relaxed"
	for name, test := range map[string]struct {
		text string
		want map[memory.Model]verdict.Verdict
	}{
		"counted":          {stack("1", release, recycle, recycler), map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe}},
		"not counted":      {stack("0*(int)old.n", release, recycle, recycler), map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnsafe, memory.RA: verdict.IsUnsafe}},
		"counts far":       {stack("0x2000000000000", release, recycle, recycler), map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnknown}},
		"released":         {stack("1", release, handOver, taker), map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe, memory.IMM: verdict.IsSafe, "armv8": verdict.IsSafe, "riscv": verdict.IsSafe, "power": verdict.IsSafe}},
		"relaxed":          {stack("1", relaxed, handOver, taker), map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnsafe, memory.IMM: verdict.IsUnsafe, "armv8": verdict.IsUnsafe, "riscv": verdict.IsUnsafe, "power": verdict.IsUnsafe}},
		"four members":     {"#define BIG 30000\n" + four, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe}},
		"without room":     {large, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnknown, memory.RA: verdict.IsUnknown}},
		"queue":            {"#define LINK memory_order_release\n" + queue, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe}},
		"queue, relaxed":   {"#define LINK memory_order_relaxed\n" + queue, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnsafe, memory.RA: verdict.IsSafe}},
		"one alone":        {"#define FIRST b\n#define SECOND b\n" + alone, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe, "armv8": verdict.IsSafe}},
		"both alone":       {"#define FIRST b\n#define SECOND a\n" + alone, map[memory.Model]verdict.Verdict{memory.RC11: refused, memory.IMM: refused, "armv8": refused}},
		"lockref":          {"#define HOW __ATOMIC_ACQUIRE\n" + lockref, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe}},
		"lockref, relaxed": {"#define HOW __ATOMIC_RELAXED\n" + lockref, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnsafe, memory.RA: verdict.IsSafe}},
		"counter":          {counter, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.IMM: verdict.IsSafe, "armv8": verdict.IsSafe}},
		"in vain":          {"#define WANT 1\n" + inVain, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsSafe, memory.RA: verdict.IsSafe, memory.IMM: verdict.IsSafe}},
		"not in vain":      {"#define WANT 0\n" + inVain, map[memory.Model]verdict.Verdict{memory.RC11: verdict.IsUnsafe, memory.RA: verdict.IsUnsafe}},
		"buffered":         {"#define BIG 1\n#define BRANCH 0\n#define OTHER 0\n" + buffered, every(verdict.IsUnsafe)},
		"buffered far":     {"#define BIG 0x100000000\n#define BRANCH 0\n#define OTHER 0\n" + buffered, every(verdict.IsUnsafe)},
		"buffered too far": {"#define BIG (1ull << 40)\n#define BRANCH 0\n#define OTHER 1ull << 40\n" + buffered, every(refused)},
		"branched":         {"#define BIG 0x100000000\n#define BRANCH r > 1\n#define OTHER 1ull << 40\n" + buffered, every(verdict.IsSafe)},
		"branched far":     {"#define BIG 0x100000000\n#define BRANCH r == 1\n#define OTHER 0\n" + buffered, every(verdict.IsSafe)},
	} {
		for m, want := range test.want {
			mapping := map[memory.Model]c.Mapping{"armv8": c.AArch64, "riscv": c.RISCV, "power": c.Power}[m]
			if mapping == "" {
				mapping = c.Orders
			}
			p := read(t, "a.c", test.text, c.Options{Mapping: mapping, NoBlocks: true, Speculation: map[memory.Model]target.Speculation{memory.IMM: target.BeforeLoads}[m]})
			r, err := engine.Check(t.Context(), p, engine.Options{Model: m})
			if err != nil && want == refused {
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", name, m, err)
				continue
			}
			if r.Verdict() != want {
				t.Errorf("%s, %s: %s, want %s", name, m, r.Verdict(), want)
			}
		}
	}
}

// TestMembers has what executions say of structures that are one cell.
func TestMembers(t *testing.T) {
	const text = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct in { TYPE a; unsigned TYPE b; };
static struct { int n; _Atomic struct in s; } x;
static void *f(void *arg) { atomic_store(&x.s, ((struct in){ -1, 7 })); return 0; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	struct in v = atomic_load(&x.s);
	assert(v.a == 0);
	return 0;
}
`
	for _, typ := range []string{"short", "int", "long"} {
		p := read(t, "a.c", strings.ReplaceAll(text, "TYPE", typ), c.Options{Mapping: c.Orders, NoBlocks: true})
		r, err := engine.Check(t.Context(), p, engine.Options{Model: memory.RC11})
		if err != nil || r.Verdict() != verdict.IsUnsafe {
			t.Errorf("%s: %v, %v", typ, r, err)
			continue
		}
		const want = "W x.s={a=-1, b=7}"
		if g := r.Execution().Graph; !slices.ContainsFunc(g.Events, func(e memory.Event) bool { return e.String() == want }) {
			t.Errorf("%s: no %s in %v", typ, want, g.Events)
		}
	}
}
