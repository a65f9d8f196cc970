// Dekker's algorithm with both flags in one word: who has set his byte reads the word, and no fence
// comes between, since the load covers what has just been stored.
//
// From: D. Dice, H. Huang, M. Yang, Asymmetric Dekker synchronization, 2001, which says of this trick
// that it works on some machines, and that none promises it.
// Client: two threads that try for ever; in the critical section each writes a plain variable and
// reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: UNSAFE. A load of several bytes may have one from the store buffer and the others from memory: each
//      thread sees its own flag, and that of the other before it is set.
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

union flags {
	_Atomic uint8_t of[2];
	_Atomic uint16_t both;
} flags;

int data;

static void *run(void *arg) {
	int me = (int)(long)arg;
	uint16_t mine = me ? 0x100 : 1;
	for (;;) {
		atomic_store_explicit(&flags.of[me], 1, ORDER);
		if (atomic_load_explicit(&flags.both, memory_order_acquire) == mine) {
			data = me;
			assert(data == me);
		}
		atomic_store_explicit(&flags.of[me], 0, ORDER);
	}
	return 0;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, run, (void *)0);
	pthread_create(&b, 0, run, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
