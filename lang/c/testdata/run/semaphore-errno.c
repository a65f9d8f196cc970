// sc SAFE tso SAFE pso SAFE rc11 SAFE
// What errno says of a semaphore that was not to be had.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t s;
static int x;

static void *post(void *arg) {
	x = 1;
	sem_post(&s);
	return NULL;
}

int main(void) {
	pthread_t t;
	sem_init(&s, 0, 0);
	assert(sem_trywait(&s) == -1 && errno == EAGAIN);
	assert(sem_open("/none", 0) == SEM_FAILED && errno == ENOENT);
	errno = 0;
	assert(sem_unlink("/none") == -1 && errno == ENOENT);
	pthread_create(&t, NULL, post, NULL);
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	int r;
	while ((r = sem_timedwait(&s, &until)) == -1 && errno == EINTR)
		continue;
	if (r == -1)
		assert(errno == ETIMEDOUT);
	else
		assert(x == 1);
	pthread_join(t, NULL);
	return 0;
}
