// A reader-writer lock in one word: the number of readers, or -1 for a writer.
//
// From: folklore; the word is that of the Linux kernel's older rwlock_t, with a sign.
// Client: a writer that adds one to two variables, modulo 3, for ever, and READERS readers
// (1) that compare them for ever.
// Property: readers see both variables alike.
// SC:  SAFE
// TSO: SAFE. Whoever gets in does so by a locked instruction, and the writer's stores
//      reach memory in their order.
// PSO: UNSAFE. A release store is a plain one, and may reach memory before the
//      stores to the variables.
// With -D FIXED=1, which makes that store seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef READERS
#define READERS 1
#endif

atomic_int word;
int x, y;

static void read_lock(void) {
	for (;;) {
		int n = atomic_load_explicit(&word, memory_order_relaxed);
		if (n >= 0 && atomic_compare_exchange_strong_explicit(&word, &n, n + 1, memory_order_acquire, memory_order_relaxed))
			return;
	}
}

static void read_unlock(void) {
	atomic_fetch_sub_explicit(&word, 1, memory_order_release);
}

static void write_lock(void) {
	int n = 0;
	while (!atomic_compare_exchange_strong_explicit(&word, &n, -1, memory_order_acquire, memory_order_relaxed))
		n = 0;
}

static void write_unlock(void) {
	atomic_store_explicit(&word, 0, ORDER);
}

static void *writer(void *arg) {
	for (;;) {
		write_lock();
		x = (x + 1) % 3;
		y = (y + 1) % 3;
		write_unlock();
	}
}

static void *reader(void *arg) {
	for (;;) {
		read_lock();
		assert(x == y);
		read_unlock();
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
