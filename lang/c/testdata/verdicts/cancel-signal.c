// A thread that is cancelled while it waits does not take a signal from another one.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int go;

void unlock(void *arg)
{
	pthread_mutex_unlock(&m);
}

void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, 0);
	while (!go)
		pthread_cond_wait(&c, &m);
	pthread_cond_signal(&c);
	pthread_cleanup_pop(1);
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, waits, 0);
	pthread_create(&u, 0, waits, 0);
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_cancel(t);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
