// A broadcast wakes the right one, too.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full;
void *put(void *arg)
{
	pthread_mutex_lock(&m);
	while (full)
		pthread_cond_wait(&c, &m);
	full = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return 0;
}

void *get(void *arg)
{
	pthread_mutex_lock(&m);
	while (!full)
		pthread_cond_wait(&c, &m);
	full = 0;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h[4];
	pthread_create(&h[0], 0, put, 0);
	pthread_create(&h[1], 0, put, 0);
	pthread_create(&h[2], 0, get, 0);
	pthread_create(&h[3], 0, get, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	pthread_join(h[2], 0);
	pthread_join(h[3], 0);
	return 0;
}
