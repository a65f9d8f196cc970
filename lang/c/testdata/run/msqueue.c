// sc SAFE tso SAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
typedef struct node {
	int val;
	_Atomic(struct node *) next;
} node_t;
struct {
	_Atomic(node_t *) head, tail;
} q;
void enq(int v) {
	node_t *n = malloc(sizeof(node_t)), *t, *x;
	n->val = v;
	atomic_init(&n->next, NULL);
	while (1) {
		t = atomic_load(&q.tail);
		x = atomic_load(&t->next);
		if (t == atomic_load(&q.tail)) {
			if (x == NULL) {
				if (atomic_compare_exchange_weak(&t->next, &x, n)) break;
			}
			else atomic_compare_exchange_weak(&q.tail, &t, x);
		}
	}
	atomic_compare_exchange_strong(&q.tail, &t, n);
}

int deq(void) {
	node_t *h, *t, *x;
	while (1) {
		h = atomic_load(&q.head);
		t = atomic_load(&q.tail);
		x = atomic_load(&h->next);
		if (h == atomic_load(&q.head)) {
			if (h == t) {
				if (!x) return -1;
				atomic_compare_exchange_weak(&q.tail, &t, x);
			}  else {
				int v = x->val;
				if (atomic_compare_exchange_weak(&q.head, &h, x)) return v;
			}
		}
	}
}

void *a(void *u) {
	enq(1);
	return 0;
} int got;
void *b(void *u) {
	got = deq();
	return 0;
}

int main(void) {
	node_t *d = malloc(sizeof *d);
	atomic_init(&d->next, NULL);
	atomic_init(&q.head, d);
	atomic_init(&q.tail, d);
	pthread_t s, t;
	pthread_create(&s, 0, a, 0);
	pthread_create(&t, 0, b, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(got == 1 || got == -1);
	if (got == -1) assert(deq() == 1);
	assert(deq() == -1);
}
