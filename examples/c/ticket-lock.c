// A ticket lock: who comes draws a number and waits until it is called. The
// numbers wrap around.
//
// From: D. P. Reed and R. K. Kanodia, Synchronization with eventcounts and
// sequencers, CACM 22(2), 1979.
// Client: N threads (2) that enter for ever; in the critical section each writes a plain variable and reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: SAFE. To draw a number is a locked instruction, and stores reach memory in
//      their order.
// PSO: UNSAFE. A release store is a plain one, and may reach memory before the
//      store to the variable: the next thread is in while that is under way.
// With -D FIXED=1, which makes the weak stores seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

_Atomic unsigned char next, owner;

static void lock(int me) {
	unsigned char mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
	while (atomic_load_explicit(&owner, memory_order_acquire) != mine)
		;
}

static void unlock(int me) {
	atomic_store_explicit(&owner, atomic_load_explicit(&owner, memory_order_relaxed) + 1, ORDER);
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
