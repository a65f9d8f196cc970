// A mutex is taken that another thread may have destroyed.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t m;
atomic_int done;

void *destroyer(void *arg)
{
	pthread_mutex_destroy(&m);
	atomic_store(&done, 1);
	return 0;
}

void *user(void *arg)
{
	if (atomic_load(&done)) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_mutex_init(&m, 0);
	pthread_create(&a, 0, destroyer, 0);
	pthread_create(&b, 0, user, 0);
	return 0;
}
