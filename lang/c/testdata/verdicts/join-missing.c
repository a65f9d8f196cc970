// Read without a join.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

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
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	assert(x == 1);
	return 0;
}
