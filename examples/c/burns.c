// Burns' mutual exclusion algorithm: a thread gives way to those before it, and
// waits for those after it.
//
// From: J. E. Burns, Mutual exclusion with linear waiting using binary shared
// variables, SIGACT News 10(2), 1978.
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

atomic_int flag[N];

static void lock(int me) {
again:
	atomic_store_explicit(&flag[me], 0, ORDER);
	for (int i = 0; i < me; i++)
		while (atomic_load(&flag[i]))
			;
	atomic_store_explicit(&flag[me], 1, ORDER);
	for (int i = 0; i < me; i++)
		if (atomic_load(&flag[i]))
			goto again;
	for (int i = me + 1; i < N; i++)
		while (atomic_load(&flag[i]))
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

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
