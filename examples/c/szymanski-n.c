// Szymanski's mutual exclusion algorithm for N threads. A flag is 0 away from the critical
// section, 1 outside the waiting room, 3 in its doorway, 2 inside waiting for others, and 4
// once the door is closed.
//
// From: B. K. Szymanski, A simple solution to Lamport's concurrent programming problem with
// linear wait, International Conference on Supercomputing, 1988.
// Client: N threads (2) that enter for ever; in the critical section each writes a plain
// variable and reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: UNSAFE. A thread may pass the doorway on an old value of another's flag while its own
//      flag is still buffered.
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

atomic_int flag[N];

static void set(int me, int v) { atomic_store_explicit(&flag[me], v, ORDER); }

// any is true where another thread's flag is v.
static int any(int me, int v) {
	for (int j = 0; j < N; j++)
		if (j != me && atomic_load(&flag[j]) == v)
			return 1;
	return 0;
}

static void lock(int me) {
	set(me, 1);
	for (int j = 0; j < N; j++)
		if (j != me)
			while (atomic_load(&flag[j]) >= 3)
				;
	set(me, 3);
	if (any(me, 1)) {
		set(me, 2);
		while (!any(me, 4))
			;
	}
	set(me, 4);
	for (int j = 0; j < me; j++)
		while (atomic_load(&flag[j]) >= 2)
			;
}

static void unlock(int me) {
	for (int j = me + 1; j < N; j++) {
		int f;
		do
			f = atomic_load(&flag[j]);
		while (f == 2 || f == 3);
	}
	set(me, 0);
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
