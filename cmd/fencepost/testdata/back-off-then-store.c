// Load buffering, where the one thread backs off for as long as it has read before it stores.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int left, right;

void *back_off(void *arg)
{
	int n = atomic_load_explicit(&x, memory_order_relaxed);
	for (int i = 0; i < n; i++)
		;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	left = n;
	return 0;
}

void *answer(void *arg)
{
	right = atomic_load_explicit(&y, memory_order_relaxed);
	if (right)
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, back_off, 0);
	pthread_create(&b, 0, answer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(!(left && right));
	return 0;
}
