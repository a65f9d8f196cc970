// A reader that wants to write waits for itself.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *a(void *arg)
{
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_wrlock(&l);
	x++;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	return 0;
}
