// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Semaphores with names: who opens one of a name that is there gets the same one. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
int x;
static void *w(void *a)
{
	sem_t *s = sem_open("/turn", 0), *t = sem_open("/other", O_CREAT, 0600, 1);
	assert(t != SEM_FAILED && t != s);
	x = 1;
	sem_post(s);
	sem_wait(t);
	sem_close(s);
	return 0;
}
int main(void)
{
	pthread_t t;
	sem_t *s;
	assert(sem_open("/turn", 0) == SEM_FAILED);
	s = sem_open("/turn", O_CREAT | O_EXCL, 0600, 0);
	assert(s != SEM_FAILED && sem_open("/turn", O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED);
	pthread_create(&t, 0, w, 0);
	sem_wait(s);
	assert(x == 1);
	pthread_join(t, 0);
	sem_close(s);
	assert(sem_unlink("/turn") == 0 && sem_unlink("/turn") == -1);
	return 0;
}
