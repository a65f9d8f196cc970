// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A semaphore that may be taken is not given up, however late it is. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t s;
static void *take(void *a)
{
	sem_wait(&s);
	return a;
}
int main(void)
{
	pthread_t t;
	struct timespec until = {1, 0};
	sem_init(&s, 0, 2);
	pthread_create(&t, 0, take, 0);
	assert(sem_timedwait(&s, &until) == 0);
	pthread_join(t, 0);
	return 0;
}
