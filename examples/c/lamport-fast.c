// Lamport's fast mutual exclusion algorithm: without
// contention a thread is in after seven accesses.
//
// From: L. Lamport, A fast mutual exclusion algorithm, TOCS 5(1), 1987.
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

atomic_int b[N], x, y; // threads are 1, 2, .. in x and y

static void lock(int me) {
	int i = me + 1;
	for (;;) {
		atomic_store_explicit(&b[me], 1, ORDER);
		atomic_store_explicit(&x, i, ORDER);
		if (atomic_load(&y) != 0) {
			atomic_store_explicit(&b[me], 0, ORDER);
			while (atomic_load(&y) != 0)
				;
			continue;
		}
		atomic_store_explicit(&y, i, ORDER);
		if (atomic_load(&x) == i)
			return;
		atomic_store_explicit(&b[me], 0, ORDER);
		for (int j = 0; j < N; j++)
			while (atomic_load(&b[j]))
				;
		if (atomic_load(&y) == i)
			return;
		while (atomic_load(&y) != 0)
			;
	}
}

static void unlock(int me) {
	atomic_store_explicit(&y, 0, ORDER);
	atomic_store_explicit(&b[me], 0, ORDER);
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
