// A detached thread writes what main reads.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x;
void *a(void *arg)
{
	x = 1;
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_create(&h, 0, a, 0);
	pthread_detach(h);
	int r = x;
	assert(r == 0 || r == 1);
	return 0;
}
