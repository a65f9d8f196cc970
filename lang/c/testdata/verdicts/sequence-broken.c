// A relaxed store by another thread ends it.
// sc SAFE, tso SAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

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
	if (atomic_load_explicit(&f, memory_order_relaxed) == 1)
		atomic_store_explicit(&f, 2, memory_order_relaxed);
	return 0;
}

void *c(void *arg)
{
	if (atomic_load_explicit(&f, memory_order_acquire) == 2)
		assert(d == 1);
	return 0;
}

int main(void)
{
	pthread_t h[3];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_create(&h[2], 0, c, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	pthread_join(h[2], 0);
	return 0;
}
