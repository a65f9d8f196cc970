// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Mutexes that check errors, or count, say so where they are given back by who does not have them. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, counts;
static void *w(void *a)
{
	assert(pthread_mutex_unlock(&checks) == EPERM && pthread_mutex_unlock(&counts) == EPERM);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_mutexattr_t a;
	int kind;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutexattr_gettype(&a, &kind);
	assert(kind == PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&counts, &a);
	pthread_create(&t, 0, w, 0);
	pthread_mutex_lock(&checks);
	assert(pthread_mutex_trylock(&checks) == EBUSY && pthread_mutex_lock(&checks) == EDEADLK);
	assert(pthread_mutex_unlock(&checks) == 0);
	pthread_mutex_lock(&counts);
	assert(pthread_mutex_trylock(&counts) == 0);
	assert(pthread_mutex_unlock(&counts) == 0 && pthread_mutex_unlock(&counts) == 0 && pthread_mutex_unlock(&counts) == EPERM);
	pthread_join(t, 0);
	return 0;
}
