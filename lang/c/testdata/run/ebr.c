// sc SAFE tso SAFE
/* Epoch-based reclamation: three limbo lists, a reader that pins the epoch. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
struct node { int value; struct node *limbo; };
static _Atomic(struct node *) current;
static atomic_uint global_epoch;
static struct { atomic_uint active, epoch; } local[2];
static struct node *limbo[3];
static void enter(int me)
{
	atomic_store(&local[me].active, 1);
	atomic_store(&local[me].epoch, atomic_load(&global_epoch));
}
static void leave(int me) { atomic_store_explicit(&local[me].active, 0, memory_order_release); }
static int try_advance(void)
{
	unsigned e = atomic_load(&global_epoch);
	for (int i = 0; i < 2; i++)
		if (atomic_load(&local[i].active) && atomic_load(&local[i].epoch) != e)
			return 0;
	atomic_store(&global_epoch, (e + 1) % 3);
	unsigned old = (e + 2) % 3;
	while (limbo[old]) {
		struct node *n = limbo[old];
		limbo[old] = n->limbo;
		free(n);
	}
	return 1;
}
static void *reader(void *arg)
{
	enter(0);
	struct node *n = atomic_load(&current);
	assert(n->value == 1 || n->value == 2);
	leave(0);
	return 0;
}
int main(void)
{
	struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
	first->value = 1;
	second->value = 2;
	atomic_store(&current, first);
	pthread_t t;
	pthread_create(&t, 0, reader, 0);
	struct node *old = atomic_exchange(&current, second);
	unsigned e = atomic_load(&global_epoch);
	old->limbo = limbo[e];
	limbo[e] = old;
	for (int i = 0; i < 3; i++)
		try_advance();
	pthread_join(t, 0);
	return 0;
}
