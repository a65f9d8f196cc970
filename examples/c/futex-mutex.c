// A mutex of three states on a futex: 0 is free, 1 is taken, and 2 is taken by one while others may sleep. Who finds
// it taken sets it to 2 and sleeps for as long as it is 2; who gives it back wakes one if it was not 1.
//
// From: U. Drepper, "Futexes are tricky" (2011), section 6, mutex 2.
// Client: N threads (two) that increment a counter under the mutex, each once.
// Property: no increment is lost.
// SC:  SAFE
// TSO: SAFE. Every access to the word is a locked instruction.
// PSO: SAFE, for the same reason.
// With -D BROKEN=1, which takes the mutex in two steps, as if it could not be taken in between: UNSAFE under all three.
// With -D HASTY=1, in which a thread that has slept takes the mutex as 1, not 2: nothing is lost, but with -D N=3
// the one that sleeps on is never woken (fencepost check --property deadlock): it is UNSAFE then, and SAFE without HASTY.

#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

atomic_int word;
int count;

static int cmpxchg(int from, int to) {
#ifdef BROKEN
	int was = atomic_load(&word);
	if (was == from)
		atomic_store(&word, to);
	return was;
#else
	atomic_compare_exchange_strong(&word, &from, to);
	return from;
#endif
}

static void lock(void) {
	int was = cmpxchg(0, 1);
	if (was == 0)
		return;
#ifdef HASTY
	do {
		if (was == 2 || cmpxchg(1, 2) != 0)
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
	} while ((was = cmpxchg(0, 1)) != 0);
#else
	if (was != 2)
		was = atomic_exchange(&word, 2);
	while (was != 0) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
		was = atomic_exchange(&word, 2);
	}
#endif
}

static void unlock(void) {
	if (atomic_fetch_sub(&word, 1) != 1) {
		atomic_store(&word, 0);
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	}
}

static void *worker(void *arg) {
	lock();
	count++;
	unlock();
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	assert(count == N);
	return 0;
}
