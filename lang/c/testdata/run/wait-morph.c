// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Semaphores of POSIX as turnstiles; trywait; a count that is looked at. */
#include <semaphore.h>
#include <pthread.h>
#include <assert.h>
#include <errno.h>
static sem_t turn, mutex, gate;
static int n, order[2];
static void *f(void *p)
{
	int me = p != 0;
	if (me) sem_wait(&turn);
	sem_wait(&mutex);
	order[n++] = me;
	sem_post(&mutex);
	if (!me) sem_post(&turn);
	sem_post(&gate);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	int v;
	sem_init(&turn, 0, 0);
	sem_init(&mutex, 0, 1);
	sem_init(&gate, 0, 0);
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, &n);
	sem_wait(&gate);
	sem_wait(&gate);
	assert(sem_trywait(&gate) == -1);
	sem_getvalue(&mutex, &v);
	assert(v == 1);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(order[0] == 0 && order[1] == 1);
	sem_destroy(&gate);
	return 0;
}
