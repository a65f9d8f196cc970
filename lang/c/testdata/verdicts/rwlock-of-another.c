// Main reads, and another thread, which does not, gives the lock back.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *other(void *unused)
{
	if (pthread_rwlock_tryrdlock(&lock) == 0)
		pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_rwlock_rdlock(&lock);
	pthread_create(&t, 0, other, 0);
	pthread_join(t, 0);
	return 0;
}
