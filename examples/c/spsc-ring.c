// A ring buffer for one producer and one consumer: each of them has a position that
// only it moves.
//
// From: L. Lamport, Proving the correctness of multiprocess programs, TSE 3(2), 1977.
// Client: the producer puts 0, 1, 2, 0, 1, 2, ... for ever, the consumer takes for ever. With
// -D RINGS=2 a third thread between them takes from one ring and puts into another.
// Property: the numbers come out in their order.
// SC:  SAFE
// TSO: SAFE. A number reaches memory before the position that tells of it.
// PSO: UNSAFE. A release store is a plain one, and the position may be there first.
// With -D FIXED=1, which makes the stores of positions seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef SIZE
#define SIZE 2
#endif

#ifndef RINGS
#define RINGS 1
#endif

struct ring {
	int place[SIZE + 1]; // one place is always empty
	atomic_uint in, out;
} rings[RINGS];

static void put(struct ring *r, int n) {
	unsigned at = atomic_load_explicit(&r->in, memory_order_relaxed);
	unsigned next = (at + 1) % (SIZE + 1);
	while (atomic_load_explicit(&r->out, memory_order_acquire) == next)
		;
	r->place[at] = n;
	atomic_store_explicit(&r->in, next, ORDER);
}

static int take(struct ring *r) {
	unsigned at = atomic_load_explicit(&r->out, memory_order_relaxed);
	while (atomic_load_explicit(&r->in, memory_order_acquire) == at)
		;
	int n = r->place[at];
	atomic_store_explicit(&r->out, (at + 1) % (SIZE + 1), ORDER);
	return n;
}

static void *producer(void *arg) {
	for (int n = 0;; n = (n + 1) % 3)
		put(&rings[0], n);
}

static void *between(void *arg) {
	for (;;)
		put(&rings[RINGS - 1], take(&rings[0]));
}

static void *consumer(void *arg) {
	for (int n = 0;; n = (n + 1) % 3) {
		int got = take(&rings[RINGS - 1]);
		assert(got == n);
	}
}

int main(void) {
	pthread_t p, m, c;
	pthread_create(&p, 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	if (RINGS > 1)
		pthread_create(&m, 0, between, 0);
	pthread_join(p, 0);
	pthread_join(c, 0);
	return 0;
}
