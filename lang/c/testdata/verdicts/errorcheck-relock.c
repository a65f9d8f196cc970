// A mutex that checks errors refuses to be taken twice.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int c;
void *a(void *arg)
{
	pthread_mutex_lock(&m);
	if (pthread_mutex_lock(&m) == 0)
		assert(0);
	c++;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
