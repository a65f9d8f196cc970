// One of those who have met gives the barrier back at once.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *a(void *arg)
{
	pthread_barrier_t *b = arg;
	if (pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD) {
		assert(pthread_barrier_destroy(b) == 0);
		free(b);
	}
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_barrier_t *b = malloc(sizeof *b);
	pthread_barrier_init(b, 0, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&h[i], 0, a, b);
	for (int i = 0; i < 2; i++)
		pthread_join(h[i], 0);
	return 0;
}
