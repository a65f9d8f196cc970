// Written before the thread is made.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x;
void *a(void *arg)
{
	assert(x == 7);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	x = 7;
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	return 0;
}
