// A static variable of a function is shared.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void *a(void *arg)
{
	static int x;
	x++;
	assert(x == 1);
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
