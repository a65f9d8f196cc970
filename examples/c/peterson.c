// Peterson's mutual exclusion algorithm for two threads.
//
// From: G. L. Peterson, Myths about the mutual exclusion problem, Information
// Processing Letters 12(3), 1981.
// Client: two threads that enter for ever; in the critical section each writes a plain variable and reads it back.
// With -D N=3 there are three, in a tournament: who has won against another meets the third.
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

struct lock {
	atomic_int flag[2], turn;
} match[N - 1];

static void lock(struct lock *l, int me) {
	atomic_store_explicit(&l->flag[me], 1, ORDER);
	atomic_store_explicit(&l->turn, 1 - me, ORDER);
	while (atomic_load(&l->flag[1 - me]) && atomic_load(&l->turn) != me)
		;
}

static void unlock(struct lock *l, int me) {
	atomic_store_explicit(&l->flag[me], 0, ORDER);
}

// In lock i meet thread i+1 and who has won among those before it.
static void enter(int me) {
	if (me > 0)
		lock(&match[me - 1], 1);
	for (int i = me; i < N - 1; i++)
		lock(&match[i], 0);
}

static void leave(int me) {
	for (int i = N - 2; i >= me; i--)
		unlock(&match[i], 0);
	if (me > 0)
		unlock(&match[me - 1], 1);
}

int data;

static void *run(void *arg) {
	int me = (int)(long)arg;
	for (;;) {
		enter(me);
		data = me;
		assert(data == me);
		leave(me);
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
