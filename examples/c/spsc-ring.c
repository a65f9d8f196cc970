// A ring buffer for one producer and one consumer: each of them has a position that
// only it moves.
//
// From: L. Lamport, Proving the correctness of multiprocess programs, TSE 3(2), 1977.
// Client: the producer puts 0, 1, 2, 0, 1, 2, ... for ever, the consumer takes for ever.
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

int ring[SIZE + 1]; // one place is always empty
atomic_uint in, out;

static void *producer(void *arg) {
	for (int n = 0;; n = (n + 1) % 3) {
		unsigned at = atomic_load_explicit(&in, memory_order_relaxed);
		unsigned next = (at + 1) % (SIZE + 1);
		while (atomic_load_explicit(&out, memory_order_acquire) == next)
			;
		ring[at] = n;
		atomic_store_explicit(&in, next, ORDER);
	}
}

static void *consumer(void *arg) {
	for (int n = 0;; n = (n + 1) % 3) {
		unsigned at = atomic_load_explicit(&out, memory_order_relaxed);
		while (atomic_load_explicit(&in, memory_order_acquire) == at)
			;
		assert(ring[at] == n);
		atomic_store_explicit(&out, (at + 1) % (SIZE + 1), ORDER);
	}
}

int main(void) {
	pthread_t p, c;
	pthread_create(&p, 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	pthread_join(p, 0);
	pthread_join(c, 0);
	return 0;
}
