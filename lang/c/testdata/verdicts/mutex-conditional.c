// Taken and given back on the same condition.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int c, shared;
void *a(void *arg)
{
	int mine = shared;
	if (mine)
		pthread_mutex_lock(&m);
	if (mine) {
		c++;
		pthread_mutex_unlock(&m);
	}
	return 0;
}

int main(void)
{
	pthread_t h[2];
	shared = 1;
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
