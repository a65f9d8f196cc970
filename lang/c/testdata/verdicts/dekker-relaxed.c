// Flags that are relaxed: no race under SC, and two get in under TSO.
// sc SAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
int d;
void *a(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	if (atomic_load_explicit(&y, memory_order_relaxed) == 0)
		d++;
	return 0;
}

void *b(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	if (atomic_load_explicit(&x, memory_order_relaxed) == 0)
		d++;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(d <= 1);
	return 0;
}
