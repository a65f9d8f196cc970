// A thread ends with the mutex held.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int c;
void *a(void *arg)
{
	pthread_mutex_lock(&m);
	c++;
	pthread_exit(0);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
