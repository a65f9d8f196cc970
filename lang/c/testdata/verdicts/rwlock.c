// Readers and a writer.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *w(void *arg)
{
	pthread_rwlock_wrlock(&l);
	x++;
	y++;
	pthread_rwlock_unlock(&l);
	return 0;
}

void *r(void *arg)
{
	pthread_rwlock_rdlock(&l);
	assert(x == y);
	pthread_rwlock_unlock(&l);
	return 0;
}

int main(void)
{
	pthread_t h[3];
	pthread_create(&h[0], 0, w, 0);
	pthread_create(&h[1], 0, r, 0);
	pthread_create(&h[2], 0, w, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	pthread_join(h[2], 0);
	return 0;
}
