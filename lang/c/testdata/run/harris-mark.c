// sc SAFE
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
#include <assert.h>
typedef struct node {
	int key;
	_Atomic(uintptr_t) next;
} node;
node *head, *tail;
#define MARK(p) ((p) | 1)
#define PTR(p) ((node *)((p) & ~(uintptr_t)1))
bool del(int k) {
	for (;;) {
		node *p = head, *c = PTR(atomic_load(&head->next));
		while (c != tail && c->key < k) {
			p = c;
			c = PTR(atomic_load(&c->next));
		}
		if (c == tail || c->key != k) return false;
		uintptr_t n = atomic_load(&c->next);
		if (n & 1) return false;
		if (atomic_compare_exchange_strong(&c->next, &n, MARK(n))) {
			uintptr_t e = (uintptr_t)c;
			atomic_compare_exchange_strong(&p->next, &e, n);
			return true;
		}
	}
}

bool ins(int k) {
	node *x = malloc(sizeof *x);
	x->key = k;
	for (;;) {
		node *p = head, *c = PTR(atomic_load(&head->next));
		while (c != tail && c->key < k) {
			p = c;
			c = PTR(atomic_load(&c->next));
		}
		if (c != tail && c->key == k) return false;
		atomic_store(&x->next, (uintptr_t)c);
		uintptr_t e = (uintptr_t)c;
		if (atomic_compare_exchange_strong(&p->next, &e, (uintptr_t)x)) return true;
	}
}

int r[2];
void *a(void *u) {
	r[0] = del(5);
	return 0;
}

void *b(void *u) {
	r[1] = del(5);
	return 0;
}

int main(void) {
	head = malloc(sizeof *head);
	tail = malloc(sizeof *tail);
	atomic_init(&head->next, (uintptr_t)tail);
	atomic_init(&tail->next, 0);
	assert(ins(5));
	pthread_t s, t;
	pthread_create(&s, 0, a, 0);
	pthread_create(&t, 0, b, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(r[0] + r[1] == 1);
}
