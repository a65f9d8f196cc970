// Atomic_init is no atomic operation.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x;
void *a(void *arg)
{
	int r = x;
	assert(r == 0 || r == 3);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	atomic_init(&x, 3);
	pthread_join(h[0], 0);
	return 0;
}
