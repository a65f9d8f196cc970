// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A Treiber stack whose pushers and poppers may meet in an exchanger first. */
#include <stdatomic.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
enum { EMPTY, WAITING, BUSY };
struct node { int v; struct node *next; };
static _Atomic(struct node *) top;
static _Atomic(struct node *) slot;
static struct node none;
static int try_push(struct node *n)
{
	n->next = atomic_load(&top);
	return atomic_compare_exchange_strong(&top, &n->next, n);
}
static struct node *try_pop(int *failed)
{
	struct node *t = atomic_load(&top);
	*failed = 0;
	if (!t) return NULL;
	if (atomic_compare_exchange_strong(&top, &t, t->next)) return t;
	*failed = 1;
	return NULL;
}
static void push(struct node *n)
{
	for (;;) {
		if (try_push(n)) return;
		struct node *e = NULL;
		if (atomic_compare_exchange_strong(&slot, &e, n)) {
			e = n;
			if (atomic_compare_exchange_strong(&slot, &e, NULL)) continue;
			atomic_store(&slot, NULL);
			return;
		}
	}
}
static struct node *pop(void)
{
	int failed;
	struct node *n = try_pop(&failed);
	if (n || !failed) return n;
	struct node *e = atomic_load(&slot);
	if (e && e != &none && atomic_compare_exchange_strong(&slot, &e, &none)) return e;
	return NULL;
}
static struct node a = { 1 }, b = { 2 };
static void *pusher(void *p) { push(p); return 0; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, pusher, &a);
	pthread_create(&u, 0, pusher, &b);
	struct node *n = pop();
	pthread_join(t, 0);
	pthread_join(u, 0);
	int sum = n ? n->v : 0;
	for (struct node *m = atomic_load(&top); m; m = m->next) sum += m->v;
	assert(sum == 3);
	return 0;
}
