// The object goes back and forth.
// sc SAFE, tso SAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int d;
atomic_int turn;
void *a(void *arg)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) != 0)
			;
		d++;
		atomic_store_explicit(&turn, 1, memory_order_release);
	}
	return 0;
}

void *b(void *arg)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) != 1)
			;
		d++;
		atomic_store_explicit(&turn, 0, memory_order_release);
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
	assert(d == 4);
	return 0;
}
