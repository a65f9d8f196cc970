// Dijkstra's mutual exclusion algorithm: whose turn it is goes, if nobody else does.
//
// From: E. W. Dijkstra, Solution of a problem in concurrent programming control,
// CACM 8(9), 1965.
// Client: N threads (2) that enter for ever; in the critical section each writes a plain variable and reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: UNSAFE. The stores by which a thread makes itself known may still be
//      buffered when it reads that the other one is not there.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, which makes the weak stores seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef N
#define N 2
#endif

atomic_int state[N], turn; // 0: out, 1: wants, 2: goes

static void lock(int me) {
again:
	atomic_store_explicit(&state[me], 1, ORDER);
	while (atomic_load(&turn) != me) {
		if (atomic_load(&state[atomic_load(&turn)]) == 0)
			atomic_store_explicit(&turn, me, ORDER);
	}
	atomic_store_explicit(&state[me], 2, ORDER);
	for (int i = 0; i < N; i++)
		if (i != me && atomic_load(&state[i]) == 2)
			goto again;
}

static void unlock(int me) {
	atomic_store_explicit(&state[me], 0, ORDER);
}

int data;

static void *run(void *arg) {
	int me = (int)(long)arg;
	for (;;) {
		lock(me);
		data = me;
		assert(data == me);
		unlock(me);
	}
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
