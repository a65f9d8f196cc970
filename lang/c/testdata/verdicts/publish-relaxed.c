// Published by a relaxed store.
// sc SAFE, tso SAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int v; struct node *next; };
_Atomic(struct node *) p;
void *a(void *arg)
{
	struct node *n = malloc(sizeof *n);
	n->v = 1;
	atomic_store_explicit(&p, n, memory_order_relaxed);
	return 0;
}

void *b(void *arg)
{
	struct node *n = atomic_load_explicit(&p, memory_order_acquire);
	if (n)
		assert(n->v == 1);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
