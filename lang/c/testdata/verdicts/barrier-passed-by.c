// Three threads meet two at a time; who has not noticed yet that all have come does not wait for the next ones.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_barrier_t b;
sem_t first;
int x;
void *a(void *arg)
{
	x = 1;
	pthread_barrier_wait(&b);
	return 0;
}

void *twice(void *arg)
{
	pthread_barrier_wait(&b);
	assert(x == 1);
	sem_post(&first);
	pthread_barrier_wait(&b);
	return 0;
}

void *c(void *arg)
{
	sem_wait(&first);
	pthread_barrier_wait(&b);
	return 0;
}

int main(void)
{
	pthread_t h[3];
	pthread_barrier_init(&b, 0, 2);
	sem_init(&first, 0, 0);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, twice, 0);
	pthread_create(&h[2], 0, c, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(h[i], 0);
	return 0;
}
