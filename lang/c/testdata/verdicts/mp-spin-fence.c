// And a fence behind them.
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
	while (!atomic_load_explicit(&f, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_acquire);
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
