// A ring of one place whose index is relaxed.
// sc SAFE, tso SAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int slot;
atomic_int put, got;
void *a(void *arg)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_load_explicit(&put, memory_order_relaxed) - atomic_load_explicit(&got, memory_order_acquire) == 1)
			;
		slot = i + 1;
		atomic_store_explicit(&put, i + 1, memory_order_relaxed);
	}
	return 0;
}

void *b(void *arg)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_load_explicit(&put, memory_order_acquire) == i)
			;
		assert(slot == i + 1);
		atomic_store_explicit(&got, i + 1, memory_order_release);
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
