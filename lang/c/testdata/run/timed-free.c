// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Who can have a lock at once has it, whatever the limit of time; and who has it may be told so. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, counts = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	struct timespec past = {1, 0};
	assert(pthread_mutex_timedlock(&m, &past) == 0 && pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
	assert(pthread_mutex_timedlock(&checks, &past) == 0 && pthread_mutex_timedlock(&checks, &past) == EDEADLK);
	assert(pthread_mutex_timedlock(&counts, &past) == 0 && pthread_mutex_timedlock(&counts, &past) == 0);
	assert(pthread_rwlock_timedrdlock(&l, &past) == 0 && pthread_rwlock_timedrdlock(&l, &past) == 0);
	assert(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT && pthread_rwlock_trywrlock(&l) == EBUSY);
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	assert(pthread_rwlock_timedwrlock(&l, &past) == 0);
	assert(pthread_rwlock_timedwrlock(&l, &past) == EDEADLK && pthread_rwlock_timedrdlock(&l, &past) == EDEADLK);
	assert(pthread_rwlock_wrlock(&l) == EDEADLK && pthread_rwlock_rdlock(&l) == EDEADLK);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY && pthread_rwlock_tryrdlock(&l) == EBUSY);
	return 0;
}
