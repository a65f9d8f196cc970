// A wait that gives up.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <stdatomic.h>
#include <stdlib.h>

struct timespec limit;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, d;

void *b(void *arg)
{
	pthread_mutex_lock(&m);
	if (!ready)
		pthread_cond_timedwait(&c, &m, &limit);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, b, 0);
	pthread_join(h[0], 0);
	return 0;
}
