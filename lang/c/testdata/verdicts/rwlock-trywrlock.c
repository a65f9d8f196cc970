// Who does not get the lock to write does not write.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

void *writer(void *arg)
{
	int e = pthread_rwlock_trywrlock(&l);
	if (e == 0) {
		x++;
		pthread_rwlock_unlock(&l);
	} else
		assert(e == EBUSY);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&h[i], 0, writer, 0);
	pthread_rwlock_rdlock(&l);
	int a = x;
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	assert(x == a);
	pthread_rwlock_unlock(&l);
	for (int i = 0; i < 2; i++)
		pthread_join(h[i], 0);
	assert(pthread_rwlock_trywrlock(&l) == 0);
	return 0;
}
