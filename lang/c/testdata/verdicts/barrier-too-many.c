// It waits for three, and there are two.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_barrier_t b;

void *a(void *arg)
{
	pthread_barrier_wait(&b);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_barrier_init(&b, 0, 3);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
