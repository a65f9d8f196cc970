// A sequence lock: the writer makes the number odd before an update and even after it;
// a reader who sees it odd, or changed, reads again. Readers write nothing.
//
// From: the seqcount of the Linux kernel; see H.-J. Boehm, Can seqlocks get along with
// programming language memory models?, MSPC 2012.
// Client: a writer that updates x and y together twice, and READERS readers (1) who read
// for ever. (With a number that wraps around, a reader could sleep through a whole round
// of it and not notice.)
// Property: no torn read - what a reader accepts is from one update.
// SC:  SAFE
// TSO: SAFE. Stores reach memory in their order and loads are done in theirs.
// PSO: UNSAFE. Nothing keeps the stores of the data between those of the number.
// With -D FIXED=1, which puts fences between them: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() atomic_thread_fence(memory_order_release)
#endif

#ifndef READERS
#define READERS 1
#endif

atomic_uint seq;
atomic_int x, y;

static void update(int v) {
	unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
	atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
	FENCE();
	atomic_store_explicit(&x, v, memory_order_relaxed);
	atomic_store_explicit(&y, v, memory_order_relaxed);
	FENCE();
	atomic_store_explicit(&seq, s + 2, memory_order_release);
}

static void *writer(void *arg) {
	update(1);
	update(2);
	return 0;
}

static void *reader(void *arg) {
	for (;;) {
		unsigned s = atomic_load_explicit(&seq, memory_order_acquire);
		if (s & 1)
			continue;
		int a = atomic_load_explicit(&x, memory_order_relaxed);
		int b = atomic_load_explicit(&y, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&seq, memory_order_relaxed) == s)
			assert(a == b);
	}
}

int main(void) {
	pthread_t w, r[READERS];
	pthread_create(&w, 0, writer, 0);
	for (int i = 0; i < READERS; i++)
		pthread_create(&r[i], 0, reader, 0);
	pthread_join(w, 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(r[i], 0);
	return 0;
}
