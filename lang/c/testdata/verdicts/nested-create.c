// Threads that make threads, and join them.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int c;
void *leaf(void *arg)
{
	c++;
	return 0;
}

void *node(void *arg)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, leaf, 0);
	pthread_create(&h[1], 0, leaf, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, node, 0);
	pthread_create(&h[1], 0, node, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 4);
	return 0;
}
