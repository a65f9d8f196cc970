// Main joins with the mutex that the thread wants.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *a(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_mutex_lock(&m);
	pthread_create(&h, 0, a, 0);
	pthread_join(h, 0);
	pthread_mutex_unlock(&m);
	return 0;
}
