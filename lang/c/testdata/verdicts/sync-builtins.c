// A lock of __sync operations, which give it back by a release store.
// sc SAFE, tso SAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int l, c;
void *a(void *arg)
{
	while (__sync_lock_test_and_set(&l, 1))
		;
	c++;
	__sync_lock_release(&l);
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
