// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Who writes and asks for the lock again does not have it twice. */
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	pthread_rwlock_wrlock(&l);
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	return 0;
}
