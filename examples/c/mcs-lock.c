// The queue lock of Mellor-Crummey and Scott: everybody waits on a node of
// their own.
//
// From: J. M. Mellor-Crummey and M. L. Scott, Algorithms for scalable
// synchronization on shared-memory multiprocessors, TOCS 9(1), 1991.
// Client: N threads (2) that enter for ever; in the critical section each writes a plain variable and reads it back.
// Property: what it reads is what it wrote.
// SC:  SAFE
// TSO: SAFE. The queue is changed by locked instructions, and stores reach memory
//      in their order.
// PSO: UNSAFE. A release store is a plain one, and may reach memory before the
//      store to the variable: the next thread is in while that is under way.
// With -D FIXED=1, which makes the weak stores seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

struct node {
	_Atomic(struct node *) next;
	atomic_int waits;
};

struct node nodes[3];
_Atomic(struct node *) tail;

static void lock(int me) {
	struct node *mine = &nodes[me];
	atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
	atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
	struct node *before = atomic_exchange(&tail, mine);
	if (before) {
		atomic_store_explicit(&before->next, mine, memory_order_release);
		while (atomic_load_explicit(&mine->waits, memory_order_acquire))
			;
	}
}

static void unlock(int me) {
	struct node *mine = &nodes[me], *expected = mine;
	if (!atomic_load_explicit(&mine->next, memory_order_acquire)) {
		if (atomic_compare_exchange_strong(&tail, &expected, 0))
			return;
		while (!atomic_load_explicit(&mine->next, memory_order_acquire))
			;
	}
	struct node *after = atomic_load_explicit(&mine->next, memory_order_relaxed);
	atomic_store_explicit(&after->waits, 0, ORDER);
}

int data;

static void *run(void *arg) {
	int me = (int)(long)arg;
	for (;;) {
		lock(me);
		data = me;
		assert(data == me);
		unlock(me);
	}
	return 0;
}

#ifndef N
#define N 2
#endif

int main(void) {
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
