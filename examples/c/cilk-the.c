// The work-stealing queue of Cilk 5, the THE protocol: the worker takes tasks from the tail,
// thieves take them from the head, and they use the lock only when they might meet.
//
// From: M. Frigo, C. E. Leiserson and K. H. Randall, The implementation of the Cilk-5
// multithreaded language, PLDI 1998.
// Client: the worker pushes two tasks and then pops until the queue is empty; THIEVES
// thieves (1) try TRIES times (2) each.
// Property: in the end, each task was taken exactly once.
// SC:  SAFE
// TSO: UNSAFE. Worker and thief may both take the last task when each reads the other's
//      index before its own is in memory.
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

#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef TRIES
#define TRIES 2
#endif

#define TASKS 2

atomic_int head, tail, busy;
int taken[THIEVES + 1][TASKS];

static void lock(void) {
	while (atomic_exchange(&busy, 1))
		;
}

static void unlock(void) { atomic_store_explicit(&busy, 0, ORDER); }

static void set(atomic_int *x, int v) { atomic_store_explicit(x, v, ORDER); }

static void push(void) { set(&tail, atomic_load(&tail) + 1); }

// pop gives the task taken, or -1.
static int pop(void) {
	int t = atomic_load(&tail) - 1;
	set(&tail, t);
	if (atomic_load(&head) <= t)
		return t;
	set(&tail, t + 1);
	lock();
	set(&tail, t);
	if (atomic_load(&head) > t) {
		set(&tail, t + 1);
		t = -1;
	}
	unlock();
	return t;
}

static int steal(void) {
	lock();
	int h = atomic_load(&head);
	set(&head, h + 1);
	if (h + 1 > atomic_load(&tail)) {
		set(&head, h);
		h = -1;
	}
	unlock();
	return h;
}

static void *worker(void *arg) {
	for (int i = 0; i < TASKS; i++)
		push();
	for (int t; (t = pop()) >= 0;)
		taken[0][t]++;
	return 0;
}

static void *thief(void *arg) {
	int me = (int)(long)arg;
	for (int i = 0; i < TRIES; i++) {
		int t = steal();
		if (t >= 0)
			taken[me][t]++;
	}
	return 0;
}

int main(void) {
	pthread_t w, t[THIEVES];
	pthread_create(&w, 0, worker, 0);
	for (long i = 0; i < THIEVES; i++)
		pthread_create(&t[i], 0, thief, (void *)(i + 1));
	pthread_join(w, 0);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(t[i], 0);
	for (int k = 0; k < TASKS; k++) {
		int n = 0;
		for (int i = 0; i <= THIEVES; i++)
			n += taken[i][k];
		assert(n == 1);
	}
	return 0;
}
