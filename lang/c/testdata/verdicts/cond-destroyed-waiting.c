// A condition is destroyed while a thread may wait for it.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock UNSAFE

#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting;

void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	waiting = 1;
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, waiter, 0);
	pthread_mutex_lock(&m);
	if (waiting)
		pthread_cond_destroy(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
