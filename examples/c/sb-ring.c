// Store buffering in a ring of threads: each sets its own variable, then reads its
// neighbour's.
//
// Client: N threads (2), whose results main looks at.
// Property: not all of them read 0.
// SC:  SAFE. A thread that reads 0 reads before its neighbour stores, and no one can be
//      before all the others in a ring.
// TSO: UNSAFE. Every store may wait in its buffer until all have read.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, a fence in every thread: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

#ifndef N
#define N 2
#endif

atomic_int x[N];
int r[N];

static void *run(void *arg) {
	int me = (int)(long)arg;
	atomic_store_explicit(&x[me], 1, memory_order_relaxed);
	FENCE();
	r[me] = atomic_load_explicit(&x[(me + 1) % N], memory_order_relaxed);
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	int some = 0;
	for (int i = 0; i < N; i++) {
		pthread_join(t[i], 0);
		some |= r[i];
	}
	assert(some);
	return 0;
}
