// A writer of one waits for a reader of it who waits to write to the other.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k = PTHREAD_RWLOCK_INITIALIZER;
void *a(void *arg)
{
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_wrlock(&k);
	pthread_rwlock_unlock(&k);
	pthread_rwlock_unlock(&l);
	return 0;
}

void *b(void *arg)
{
	pthread_rwlock_rdlock(&k);
	pthread_rwlock_wrlock(&l);
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&k);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
