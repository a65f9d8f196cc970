// The work-stealing deque of Chase and Lev: the owner puts and takes tasks at the
// bottom, thieves take them from the top, and only the last task is taken by
// compare-exchange on both sides.
//
// From: D. Chase and Y. Lev, Dynamic circular work-stealing deque, SPAA 2005.
// Client: the owner puts two tasks and takes until there is none; THIEVES thieves (1)
// try twice each. With -D EARLY=1 they begin when the tasks are there.
// Property: each task is taken once.
// SC:  SAFE
// TSO: UNSAFE. While the owner's new bottom is in its buffer, a thief can take
//      the task that the owner takes without compare-exchange.
// PSO: UNSAFE, for the same reason; and the new bottom may be there before the task.
// With -D FIXED=1, which puts a fence between the two accesses of take and one after
// the task of put: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() atomic_signal_fence(memory_order_seq_cst)
#endif

#ifndef THIEVES
#define THIEVES 1
#endif

atomic_int top, bottom;
int task[2];
atomic_int taken[3];

static void put(int x) {
	int b = atomic_load_explicit(&bottom, memory_order_relaxed);
	task[b] = x;
	FENCE();
	atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
	int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
	atomic_store_explicit(&bottom, b, memory_order_relaxed);
	FENCE();
	int t = atomic_load_explicit(&top, memory_order_relaxed);
	if (t < b)
		return task[b];
	int got = 0;
	if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
		got = task[b];
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
	return got;
}

static int steal(void) {
	int t = atomic_load_explicit(&top, memory_order_acquire);
	int b = atomic_load_explicit(&bottom, memory_order_acquire);
	if (t >= b)
		return 0;
	int x = task[t];
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? x : 0;
}

static void *thief(void *arg) {
	for (int i = 0; i < 2; i++)
		atomic_fetch_add(&taken[steal()], 1);
	return 0;
}

int main(void) {
	pthread_t t[THIEVES];
#ifdef EARLY
	put(1);
	put(2);
#endif
	for (int i = 0; i < THIEVES; i++)
		pthread_create(&t[i], 0, thief, 0);
#ifndef EARLY
	put(1);
	put(2);
#endif
	for (int x; (x = take());)
		atomic_fetch_add(&taken[x], 1);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(t[i], 0);
	assert(taken[1] == 1 && taken[2] == 1);
	return 0;
}
