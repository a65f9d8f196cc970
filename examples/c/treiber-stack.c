// Treiber's lock-free stack. Nodes are used again, so a top that has not changed may
// still be another one than it was (the ABA problem), unless a count is stored with it.
//
// From: R. K. Treiber, Systems programming: coping with parallelism, IBM RJ 5118, 1986.
// Client: the stack has the nodes 1, 2 and 3. One thread pops a node; another one pops
// two and pushes the first one back. With -D CLIENT=2, three threads pop, and two of them
// push back what they have got. In the end main empties the stack.
// Property: nobody gets a node that somebody else has.
// SC:  UNSAFE. Between the load of the second node and the compare-exchange the
//      first one is taken, the second one too, and the first one is put back.
// TSO: UNSAFE, for the same reason.
// PSO: UNSAFE, for the same reason.
// With -D COUNTED=1, which stores a count beside the top: SAFE under all three. A
// compare-exchange waits for the buffer to be empty, so no fence is needed.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef COUNTED
#define COUNT 16
#else
#define COUNT 0
#endif

atomic_uint top = 1;                   // the node, and the count from bit 4 on
atomic_uint next[4] = { 0, 2, 3, 0 };
atomic_int taken[4];

static unsigned pop(void) {
	unsigned was = atomic_load_explicit(&top, memory_order_acquire);
	for (;;) {
		unsigned node = was & 15;
		if (node == 0)
			return 0;
		unsigned after = atomic_load_explicit(&next[node], memory_order_relaxed);
		if (atomic_compare_exchange_strong(&top, &was, (was & ~15u) + COUNT | after)) {
			int others = atomic_exchange(&taken[node], 1);
			assert(!others);
			return node;
		}
	}
}

static void push(unsigned node) {
	unsigned was = atomic_load_explicit(&top, memory_order_relaxed);
	atomic_store_explicit(&taken[node], 0, memory_order_relaxed);
	do
		atomic_store_explicit(&next[node], was & 15, memory_order_relaxed);
	while (!atomic_compare_exchange_strong(&top, &was, (was & ~15u) + COUNT | node));
}

static void *one(void *arg) {
	pop();
	return 0;
}

static void *two(void *arg) {
	unsigned a = pop();
	pop();
	if (a)
		push(a);
	return 0;
}

static void *back(void *arg) {
	unsigned a = pop();
	if (a)
		push(a);
	return 0;
}

int main(void) {
#if CLIENT == 2
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, i ? back : one, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
#else
	pthread_t s, t;
	pthread_create(&s, 0, one, 0);
	pthread_create(&t, 0, two, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
#endif
	while (pop())
		;
	return 0;
}
