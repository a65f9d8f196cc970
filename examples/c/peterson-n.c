// Peterson's algorithm for N threads, also called the filter lock: there are N - 1 levels to
// pass, and the last thread to arrive at a level stays there while others are at that level
// or above.
//
// From: G. L. Peterson, Myths about the mutual exclusion problem, Information Processing
// Letters 12(3), 1981; as a lock in M. Herlihy and N. Shavit, The Art of Multiprocessor
// Programming, section 2.4.
// Client: N threads (2) that enter for ever; in the critical section each writes a plain
// variable and reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: UNSAFE. The stores to level and last may still be buffered when a thread looks for
//      the others.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, which makes the stores seq_cst: SAFE under all three.

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

atomic_int level[N], last[N];

static void lock(int me) {
	for (int l = 1; l < N; l++) {
		atomic_store_explicit(&level[me], l, ORDER);
		atomic_store_explicit(&last[l], me, ORDER);
		for (int j = 0; j < N; j++)
			if (j != me)
				while (atomic_load(&level[j]) >= l && atomic_load(&last[l]) == me)
					;
	}
}

static void unlock(int me) { atomic_store_explicit(&level[me], 0, ORDER); }

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
