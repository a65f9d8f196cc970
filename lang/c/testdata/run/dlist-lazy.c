// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Heller's lazy list: locks in nodes, marks, validation, keys at both ends. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <limits.h>
#include <pthread.h>
#include <assert.h>
typedef struct node { int key; _Atomic bool marked; _Atomic(struct node *) next; pthread_mutex_t lock; } node_t;
static node_t tail_ = { .key = INT_MAX }, head_ = { .key = INT_MIN, .next = &tail_ };
static bool validate(node_t *p, node_t *c) { return !p->marked && !c->marked && p->next == c; }
static void locate(int k, node_t **p, node_t **c)
{
	*p = &head_;
	*c = (*p)->next;
	while ((*c)->key < k) { *p = *c; *c = (*c)->next; }
}
static bool add(int k)
{
	node_t *p, *c;
	for (;;) {
		locate(k, &p, &c);
		pthread_mutex_lock(&p->lock);
		pthread_mutex_lock(&c->lock);
		bool ok = validate(p, c), done = false;
		if (ok && c->key != k) {
			node_t *n = calloc(1, sizeof *n);
			n->key = k;
			n->next = c;
			p->next = n;
			done = true;
		}
		pthread_mutex_unlock(&c->lock);
		pthread_mutex_unlock(&p->lock);
		if (ok) return done;
	}
}
static bool del(int k)
{
	node_t *p, *c;
	for (;;) {
		locate(k, &p, &c);
		pthread_mutex_lock(&p->lock);
		pthread_mutex_lock(&c->lock);
		bool ok = validate(p, c), found = ok && c->key == k;
		if (found) { c->marked = true; p->next = c->next; }
		pthread_mutex_unlock(&c->lock);
		pthread_mutex_unlock(&p->lock);
		if (ok) return found;
	}
}
static bool contains(int k)
{
	node_t *c = head_.next;
	while (c->key < k) c = c->next;
	return c->key == k && !c->marked;
}
static void *adder(void *a) { return (void *)(long)add(5); }
static void *deleter(void *a) { return (void *)(long)del(5); }
int main(void)
{
	pthread_t t, u;
	void *a, *d;
	pthread_create(&t, 0, adder, 0);
	pthread_create(&u, 0, deleter, 0);
	pthread_join(t, &a);
	pthread_join(u, &d);
	assert(a && contains(5) == !d);
	return 0;
}
