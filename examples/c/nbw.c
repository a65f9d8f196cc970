// The non-blocking write protocol: a writer never waits; it counts its counter up before
// and after a message, and who reads the message tries again if the counter was odd or has
// changed.
//
// From: H. Kopetz and J. Reisinger, The non-blocking write protocol NBW: a solution to a
// real-time synchronisation problem, RTSS 1993.
// Client: N nodes (2) in a ring; each writes a message of two words, and then reads that of
// the next one.
// Property: no torn read, and some node reads a message.
// SC:  SAFE
// TSO: UNSAFE. No read is torn, but all messages may be in the store buffers when the
//      nodes read.
// PSO: UNSAFE. Reads may be torn as well.
// With -D FIXED=1, which makes the stores seq_cst: SAFE under all three.

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

atomic_uint count[N];
atomic_int a[N], b[N];
int got[N];

static void put(int me, int message) {
	unsigned c = atomic_load_explicit(&count[me], memory_order_relaxed);
	atomic_store_explicit(&count[me], c + 1, ORDER);
	atomic_store_explicit(&a[me], message, ORDER);
	atomic_store_explicit(&b[me], message, ORDER);
	atomic_store_explicit(&count[me], c + 2, ORDER);
}

static int get(int from) {
	for (;;) {
		unsigned c = atomic_load(&count[from]);
		if (c % 2 == 1)
			continue;
		int u = atomic_load(&a[from]), v = atomic_load(&b[from]);
		if (atomic_load(&count[from]) != c)
			continue;
		assert(u == v);
		return u;
	}
}

static void *node(void *arg) {
	int me = (int)(long)arg;
	put(me, 1);
	got[me] = get((me + 1) % N);
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, node, (void *)i);
	int some = 0;
	for (int i = 0; i < N; i++) {
		pthread_join(t[i], 0);
		some |= got[i];
	}
	assert(some);
	return 0;
}
