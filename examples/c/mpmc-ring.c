// A bounded queue for many producers and consumers: each cell of a ring has a number
// that says whose turn it is.
//
// From: D. Vyukov, Bounded MPMC queue, 1024cores.net, 2010.
// Client: PRODUCERS producers (2) put one number each, CONSUMERS consumers (1) take until
// they have one.
// Property: what is taken has been put, and nothing is taken twice.
// SC:  SAFE
// TSO: SAFE. Places are drawn by compare-exchange, and a number reaches memory before
//      the turn that tells of it.
// PSO: UNSAFE. A release store is a plain one, and the turn may reach memory before
//      the number.
// With -D FIXED=1, which makes the turns seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#define SIZE 2

struct cell {
	atomic_uint turn;
	int value;
};

struct cell ring[SIZE] = { { 0 }, { 1 } };
atomic_uint in, out;
atomic_int seen[PRODUCERS + 1];

static int put(int value) {
	unsigned at = atomic_load_explicit(&in, memory_order_relaxed);
	for (;;) {
		struct cell *c = &ring[at % SIZE];
		int late = (int)(atomic_load_explicit(&c->turn, memory_order_acquire) - at);
		if (late < 0)
			return 0;
		if (late > 0) {
			at = atomic_load_explicit(&in, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&in, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
			c->value = value;
			atomic_store_explicit(&c->turn, at + 1, ORDER);
			return 1;
		}
	}
}

static int take(void) {
	unsigned at = atomic_load_explicit(&out, memory_order_relaxed);
	for (;;) {
		struct cell *c = &ring[at % SIZE];
		int late = (int)(atomic_load_explicit(&c->turn, memory_order_acquire) - (at + 1));
		if (late < 0)
			return -1;
		if (late > 0) {
			at = atomic_load_explicit(&out, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&out, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
			int value = c->value;
			atomic_store_explicit(&c->turn, at + SIZE, ORDER);
			return value;
		}
	}
}

static void *producer(void *arg) {
	put((int)(long)arg);
	return 0;
}

static void *consumer(void *arg) {
	int v;
	while ((v = take()) < 0)
		;
	int before = atomic_fetch_add(&seen[v], 1);
	assert(v > 0 && before == 0);
	return 0;
}

int main(void) {
	pthread_t p[PRODUCERS], c[CONSUMERS];
	for (long i = 0; i < PRODUCERS; i++)
		pthread_create(&p[i], 0, producer, (void *)(i + 1));
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&c[i], 0, consumer, 0);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(p[i], 0);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(c[i], 0);
	return 0;
}
