// A barrier whose sense is reversed: the last one to come resets the count and lets the
// others go.
//
// From: D. Hensgen, R. Finkel and U. Manber, Two algorithms for barrier synchronization,
// IJPP 17(1), 1988.
// Client: N threads (2) pass the barrier for ever; between two passes each says in which
// round it is.
// Property: after the barrier, all are in the same round or one ahead.
// SC:  SAFE
// TSO: SAFE. To count down is a locked instruction, and the count is reset before the
//      sense.
// PSO: SAFE, as far as rounds go: whoever counts down makes its stores known. But the
//      sense may be reversed before the count is reset, which loses a count, and then
//      all wait for ever.
// With -D FIXED=1, which makes the stores seq_cst: SAFE under all three.
// With -D ONCE=1, which does not reverse the sense: UNSAFE under all three. From the second
// pass on nobody waits.

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

atomic_int count = N, sense;
atomic_int round_of[N];

static void wait_for_all(int *mine) {
#ifdef ONCE
	*mine = 1;
#else
	*mine = !*mine;
#endif
	if (atomic_fetch_sub_explicit(&count, 1, memory_order_acq_rel) == 1) {
		atomic_store_explicit(&count, N, ORDER);
		atomic_store_explicit(&sense, *mine, ORDER);
	} else {
		while (atomic_load_explicit(&sense, memory_order_acquire) != *mine)
			;
	}
}

static void *run(void *arg) {
	int me = (int)(long)arg, mine = 0;
	for (int r = 0;; r = (r + 1) % 4) {
		atomic_store_explicit(&round_of[me], r, memory_order_relaxed);
		wait_for_all(&mine);
		for (int i = 0; i < N; i++) {
			int other = atomic_load_explicit(&round_of[i], memory_order_relaxed);
			assert(other == r || other == (r + 1) % 4);
		}
	}
}

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
