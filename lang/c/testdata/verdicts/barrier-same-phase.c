// Both write between two barriers.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_barrier_t b;
int x;
void *a(void *arg)
{
	pthread_barrier_wait(&b);
	x++;
	pthread_barrier_wait(&b);
	assert(x == 2);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
