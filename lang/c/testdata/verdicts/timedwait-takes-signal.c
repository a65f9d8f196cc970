// One waits with a limit and one without: a signal may go to the former, and the latter waits for ever.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void *patient(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return 0;
}

void *hasty(void *arg)
{
	struct timespec limit = { 4000000000, 0 };
	pthread_mutex_lock(&m);
	if (!ready)
		pthread_cond_timedwait(&c, &m, &limit);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, patient, 0);
	pthread_create(&b, 0, hasty, 0);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	pthread_cond_signal(&c);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
