// Who reads takes the lock again, while another one waits to write.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l);
	int a = x;
	pthread_rwlock_rdlock(&l);
	assert(x == a);
	pthread_rwlock_unlock(&l);
	assert(x == a);
	pthread_rwlock_unlock(&l);
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_create(&h, 0, reader, 0);
	pthread_rwlock_wrlock(&l);
	x++;
	pthread_rwlock_unlock(&l);
	pthread_join(h, 0);
	return 0;
}
