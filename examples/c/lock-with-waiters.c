// A lock with a flag that tells that somebody waits, in the byte beside it: who gives it back clears the
// byte of the lock and reads the word, to see whether there is anybody to wake.
//
// From: the futex locks of C libraries, which do that by one exchange.
// Client: one thread has the lock and gives it back; the other one announces that it waits, looks whether the lock is still
// taken, and sleeps until it is woken.
// Property: nobody sleeps for ever (fencepost check --property liveness).
// SC:  SAFE
// TSO: UNSAFE. Both bytes are in the store buffers: the one does not see that somebody waits, the other one
//      that the lock is free.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, which makes both stores seq_cst: SAFE under all three.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

union lock {
	struct {
		_Atomic uint8_t taken, waiters;
	};
	_Atomic uint16_t word;
} lock = { .word = 1 };

atomic_int wake;

static void *holder(void *arg) {
	atomic_store_explicit(&lock.taken, 0, ORDER);
	if (atomic_load_explicit(&lock.word, memory_order_acquire) & 0xff00)
		atomic_store_explicit(&wake, 1, memory_order_release);
	return 0;
}

static void *waiter(void *arg) {
	atomic_store_explicit(&lock.waiters, 1, ORDER);
	if (atomic_load_explicit(&lock.word, memory_order_acquire) & 0xff)
		while (!atomic_load_explicit(&wake, memory_order_acquire))
			;
	return 0;
}

int main(void) {
	pthread_t h, w;
	pthread_create(&h, 0, holder, 0);
	pthread_create(&w, 0, waiter, 0);
	pthread_join(h, 0);
	pthread_join(w, 0);
	return 0;
}
