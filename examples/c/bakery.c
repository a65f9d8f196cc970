// Lamport's bakery algorithm: a thread draws a number above all others, and the least
// number goes first.
//
// From: L. Lamport, A new solution of Dijkstra's concurrent programming problem, CACM
// 17(8), 1974.
// Client: N threads (2) that enter once; in the critical section each writes a plain
// variable and reads it back.
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

atomic_bool choosing[N];
atomic_int number[N];
int data;

static void lock(int me) {
	int top = 0;
	atomic_store_explicit(&choosing[me], 1, ORDER);
	for (int i = 0; i < N; i++) {
		int n = atomic_load(&number[i]);
		if (n > top)
			top = n;
	}
	atomic_store_explicit(&number[me], top + 1, ORDER);
	atomic_store_explicit(&choosing[me], 0, ORDER);
	for (int i = 0; i < N; i++) {
		if (i == me)
			continue;
		while (atomic_load(&choosing[i]))
			;
		for (;;) {
			int n = atomic_load(&number[i]);
			if (n == 0 || n > top + 1 || n == top + 1 && i > me)
				break;
		}
	}
}

static void unlock(int me) {
	atomic_store_explicit(&number[me], 0, ORDER);
}

static void *run(void *arg) {
	int me = (int)(long)arg;
	lock(me);
	data = me;
	assert(data == me);
	unlock(me);
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
