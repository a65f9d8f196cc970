// One reader after the other: a relaxed flag says so, and the lock orders them not.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;
atomic_int f;
void *a(void *arg)
{
	pthread_rwlock_rdlock(&l);
	x = 1;
	pthread_rwlock_unlock(&l);
	atomic_store_explicit(&f, 1, memory_order_relaxed);
	return 0;
}

void *b(void *arg)
{
	if (atomic_load_explicit(&f, memory_order_relaxed)) {
		pthread_rwlock_rdlock(&l);
		x = 2;
		pthread_rwlock_unlock(&l);
	}
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(x == 1 || x == 2);
	return 0;
}
