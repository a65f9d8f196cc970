// Fences around a plain flag.
// sc SAFE, tso SAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int d, f;
void *a(void *arg)
{
	d = 1;
	atomic_thread_fence(memory_order_release);
	f = 1;
	return 0;
}

void *b(void *arg)
{
	if (f) {
		atomic_thread_fence(memory_order_acquire);
		assert(d == 1);
	}
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
