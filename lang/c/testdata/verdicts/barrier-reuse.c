// Two rounds.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_barrier_t b;
int x;
void *a(void *arg)
{
	x = 1;
	pthread_barrier_wait(&b);
	pthread_barrier_wait(&b);
	assert(x == 2);
	return 0;
}

void *c(void *arg)
{
	pthread_barrier_wait(&b);
	assert(x == 1);
	x = 2;
	pthread_barrier_wait(&b);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, c, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
