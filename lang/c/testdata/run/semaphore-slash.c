// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A slash before the name of a semaphore changes nothing. */
#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
int main(void)
{
	sem_t *a = sem_open("/turn", O_CREAT, 0600, 1), *b = sem_open("turn", 0);
	assert(a != SEM_FAILED && b != SEM_FAILED);
	assert(sem_trywait(a) == 0 && sem_trywait(b) == -1);
	assert(sem_unlink("turn") == 0);
	return 0;
}
