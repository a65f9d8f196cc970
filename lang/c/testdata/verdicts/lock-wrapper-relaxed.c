// It is taken by a relaxed exchange.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct lock {
	atomic_int held;
};
static void take(struct lock *l)
{
	while (atomic_exchange_explicit(&l->held, 1, memory_order_relaxed))
		;
}
static void give(struct lock *l)
{
	atomic_store_explicit(&l->held, 0, memory_order_seq_cst);
}
struct lock l;
int c;
void *a(void *arg)
{
	take(&l);
	c++;
	give(&l);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
