// Two mutexes in two orders.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
int c;
void *a(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	c++;
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
	return 0;
}

void *b(void *arg)
{
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	c++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
