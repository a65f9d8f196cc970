// The lock-free queue of Michael and Scott: a list with a dummy at its head, and a tail
// that may lag behind by one node.
//
// From: M. M. Michael and M. L. Scott, Simple, fast, and practical non-blocking and
// blocking concurrent queue algorithms, PODC 1996.
// Client: N producers (2) put one number each, and a consumer tries twice to take one;
// in the end main takes what is left. With -D CLIENT=2, N threads put their number and then
// take one, so that nobody finds the queue empty. Nodes are not used again.
// Property: every number comes out once.
// SC:  SAFE
// TSO: SAFE. Every change of the list is a compare-exchange, which waits for the
//      buffer to be empty.
// PSO: SAFE, for the same reason.
// With -D BROKEN=1, which links a node by a store: UNSAFE under all three. Of two
// producers who have seen the same last node one is forgotten.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

struct node {
	_Atomic(struct node *) next;
	int value;
};

struct node nodes[N + 1];
_Atomic(struct node *) head = &nodes[N], tail = &nodes[N];
atomic_int seen[N];

static void put(struct node *n, int value) {
	n->value = value;
	for (;;) {
		struct node *last = atomic_load(&tail);
		struct node *next = atomic_load(&last->next);
		if (last != atomic_load(&tail))
			continue;
		if (next) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
#ifdef BROKEN
		atomic_store(&last->next, n);
		{
#else
		if (atomic_compare_exchange_strong(&last->next, &next, n)) {
#endif
			atomic_compare_exchange_strong(&tail, &last, n);
			return;
		}
	}
}

static int take(void) {
	for (;;) {
		struct node *first = atomic_load(&head);
		struct node *last = atomic_load(&tail);
		struct node *next = atomic_load(&first->next);
		if (first != atomic_load(&head))
			continue;
		if (!next)
			return -1;
		if (first == last) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		int value = next->value;
		if (atomic_compare_exchange_strong(&head, &first, next))
			return value;
	}
}

static void *producer(void *arg) {
	int me = (int)(long)arg;
	put(&nodes[me], me);
	return 0;
}

static void *both(void *arg) {
	producer(arg);
	int v = take();
	assert(v >= 0);
	atomic_fetch_add(&seen[v], 1);
	return 0;
}

static void *consumer(void *arg) {
	for (int i = 0; i < 2; i++) {
		int v = take();
		if (v >= 0)
			atomic_fetch_add(&seen[v], 1);
	}
	return 0;
}

int main(void) {
	pthread_t t[N];
#if CLIENT == 2
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, both, (void *)i);
#else
	pthread_t c;
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, producer, (void *)i);
	pthread_create(&c, 0, consumer, 0);
	pthread_join(c, 0);
#endif
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	for (int i = 0; i < N; i++) {
		int v = take();
		if (v < 0)
			break;
		atomic_fetch_add(&seen[v], 1);
	}
	for (int i = 0; i < N; i++)
		assert(seen[i] == 1);
	return 0;
}
