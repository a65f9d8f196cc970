// sc SAFE tso SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdbool.h>
#include <assert.h>
struct cell {
	atomic_size_t seq;
	int data;
};
struct {
	struct cell b[2];
	size_t mask;
	atomic_size_t enq, deq;
} q;
atomic_int sum;
static bool enqueue(int d) {
	struct cell *c;
	size_t pos = atomic_load_explicit(&q.enq, memory_order_relaxed);
	for (;;) {
		c = &q.b[pos & q.mask];
		size_t s = atomic_load_explicit(&c->seq, memory_order_acquire);
		intptr_t dif = (intptr_t)s - (intptr_t)pos;
		if (dif == 0) {
			if (atomic_compare_exchange_weak_explicit(&q.enq, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed)) break;
		}
		else if (dif < 0) return false;
		else pos = atomic_load_explicit(&q.enq, memory_order_relaxed);
	}
	c->data = d;
	atomic_store_explicit(&c->seq, pos + 1, memory_order_release);
	return true;
}

static bool dequeue(int *d) {
	struct cell *c;
	size_t pos = atomic_load_explicit(&q.deq, memory_order_relaxed);
	for (;;) {
		c = &q.b[pos & q.mask];
		size_t s = atomic_load_explicit(&c->seq, memory_order_acquire);
		intptr_t dif = (intptr_t)s - (intptr_t)(pos + 1);
		if (dif == 0) {
			if (atomic_compare_exchange_weak_explicit(&q.deq, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed)) break;
		}
		else if (dif < 0) return false;
		else pos = atomic_load_explicit(&q.deq, memory_order_relaxed);
	}
	*d = c->data;
	atomic_store_explicit(&c->seq, pos + q.mask + 1, memory_order_release);
	return true;
}

void *p(void *a) {
	while (!enqueue((long)a)) ;
	return 0;
}

void *c(void *a) {
	int x;
	while (!dequeue(&x)) ;
	sum += x;
	return 0;
}

int main(void) {
	q.mask = 1;
	for (size_t i = 0; i < 2; i++) atomic_init(&q.b[i].seq, i);
	pthread_t t[4];
	pthread_create(&t[0], 0, p, (void *)1);
	pthread_create(&t[1], 0, p, (void *)2);
	pthread_create(&t[2], 0, c, 0);
	pthread_create(&t[3], 0, c, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	assert(sum == 3);
}
