// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A read-write lock that is taken where the type of the expression is asked for first. */
#include <assert.h>
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	__typeof__(pthread_rwlock_rdlock(&l)) r = 1;
	r = __builtin_expect(pthread_rwlock_tryrdlock(&l), 0);
	assert(r == 0 && sizeof pthread_rwlock_tryrdlock(&l) == sizeof(int));
	pthread_rwlock_unlock(&l);
	return 0;
}
