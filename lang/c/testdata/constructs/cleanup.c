// UNSAFE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static int cleaned;
static sem_t never;

static void add(void *arg) { cleaned += *(int *)arg; }

static void *wait(void *arg) {
	static int one = 1, two = 2;
	pthread_cleanup_push(add, &one);
	pthread_cleanup_push(add, &two);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void) {
	pthread_t t;
	sem_init(&never, 0, 0);
	pthread_create(&t, NULL, wait, NULL);
	pthread_cancel(t);
	pthread_join(t, NULL);
	assert(cleaned != 3);
	return 0;
}
