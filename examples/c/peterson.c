// Peterson's mutual exclusion algorithm for two threads.
//
// From: G. L. Peterson, Myths about the mutual exclusion problem, Information
// Processing Letters 12(3), 1981.
// Client: two threads that enter for ever; in the critical section each writes a plain variable and reads it back.
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

atomic_int flag[2], turn;

static void lock(int me) {
	atomic_store_explicit(&flag[me], 1, ORDER);
	atomic_store_explicit(&turn, 1 - me, ORDER);
	while (atomic_load(&flag[1 - me]) && atomic_load(&turn) != me)
		;
}

static void unlock(int me) {
	atomic_store_explicit(&flag[me], 0, ORDER);
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

#ifndef N
#define N 2
#endif

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
