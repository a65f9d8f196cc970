// Dekker's algorithm with all flags in one word: who has set his byte reads the word, and no fence
// comes between, since the load covers what has just been stored.
//
// From: D. Dice, H. Huang, M. Yang, Asymmetric Dekker synchronization, 2001, which says of this trick
// that it works on some machines, and that none promises it.
// Client: N threads (2) that try for ever; in the critical section each writes a plain variable and
// reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: UNSAFE. A load of several bytes may have one from the store buffer and the others from memory: each
//      thread sees its own flag, and those of the others before they are set.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, which sets the flags by seq_cst stores: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef N
#define N 2
#endif

union flags {
	_Atomic uint8_t of[4];
	_Atomic uint32_t all;
} flags;

int data;

static void *run(void *arg) {
	int me = (int)(long)arg;
	uint32_t mine = 1u << 8 * me;
	for (;;) {
		atomic_store_explicit(&flags.of[me], 1, ORDER);
		if (atomic_load_explicit(&flags.all, memory_order_acquire) == mine) {
			data = me;
			assert(data == me);
		}
		atomic_store_explicit(&flags.of[me], 0, ORDER);
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
