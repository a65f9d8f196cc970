// Given back by who does not hold it.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int c;
void *a(void *arg)
{
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	return 0;
}
