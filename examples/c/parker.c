// The lost wake-up in LockSupport.park of the Java VM: park consumes a permit by a plain
// store, which may overwrite, late, the permit of an unpark.
//
// From: D. Dice, A race in LockSupport park() arising from weak memory models, 2009.
// Client: one thread parks until ready is set; UNPARKERS others (1) set it and unpark the
// first. A permit is left over from before.
// Property: once all have unparked it, the parked thread has its permit.
// SC:  SAFE
// TSO: UNSAFE. The thread takes the old permit and finds that it is not ready while its
//      store to permit is in its buffer; unpark sets permit; then the buffer overwrites
//      it, and the thread sleeps for ever.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, which makes that store seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

#ifndef UNPARKERS
#define UNPARKERS 1
#endif

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
atomic_int permit = 1, ready;
int asleep;

static void park(void) {
	if (atomic_load_explicit(&permit, memory_order_relaxed)) {
		atomic_store_explicit(&permit, 0, ORDER);
		return;
	}
	pthread_mutex_lock(&m);
	asleep = 1;
	while (!atomic_load_explicit(&permit, memory_order_relaxed))
		pthread_cond_wait(&c, &m);
	atomic_store_explicit(&permit, 0, ORDER);
	asleep = 0;
	pthread_mutex_unlock(&m);
}

static void unpark(void) {
	pthread_mutex_lock(&m);
	atomic_store_explicit(&permit, 1, memory_order_relaxed);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}

static void *parker(void *arg) {
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		park();
	return 0;
}

static void *unparker(void *arg) {
	atomic_store(&ready, 1);
	unpark();
	return 0;
}

int main(void) {
	pthread_t p, u[UNPARKERS];
	pthread_create(&p, 0, parker, 0);
	for (int i = 0; i < UNPARKERS; i++)
		pthread_create(&u[i], 0, unparker, 0);
	for (int i = 0; i < UNPARKERS; i++)
		pthread_join(u[i], 0);
	pthread_mutex_lock(&m);
	assert(!asleep || atomic_load_explicit(&permit, memory_order_relaxed));
	pthread_mutex_unlock(&m);
	return 0;
}
