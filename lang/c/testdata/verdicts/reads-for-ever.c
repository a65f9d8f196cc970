// A thread that never ends and waits for nothing.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x;
void *a(void *arg)
{
	for (;;)
		assert(x >= 0);
	return 0;
}

void *b(void *arg)
{
	x = 1;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	return 0;
}
