// A compare-exchange that fails loads with its second order.
// sc SAFE, tso SAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int d;
atomic_int f;
void *a(void *arg)
{
	d = 1;
	atomic_store_explicit(&f, 1, memory_order_release);
	return 0;
}

void *b(void *arg)
{
	int e = 0;
	if (!atomic_compare_exchange_strong_explicit(&f, &e, 5, memory_order_relaxed, memory_order_acquire))
		assert(d == 1);
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
