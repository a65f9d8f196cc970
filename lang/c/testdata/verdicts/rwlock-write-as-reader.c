// Written under the read lock.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *w(void *arg)
{
	pthread_rwlock_rdlock(&l);
	x++;
	pthread_rwlock_unlock(&l);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, w, 0);
	pthread_create(&h[1], 0, w, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(x == 2);
	return 0;
}
