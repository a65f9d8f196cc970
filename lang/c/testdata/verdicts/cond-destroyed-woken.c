// A condition is destroyed when all who wait for it have been woken, and its memory is used for something else before they notice.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <pthread.h>
#include <stdlib.h>

struct gate {
	pthread_cond_t open;
	int waiting;
} *g;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int opened;

void *visitor(void *arg)
{
	pthread_mutex_lock(&m);
	if (!opened) {
		g->waiting++;
		while (!opened)
			pthread_cond_wait(&g->open, &m);
	}
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	g = malloc(sizeof *g);
	pthread_cond_init(&g->open, 0);
	g->waiting = 0;
	pthread_create(&a, 0, visitor, 0);
	pthread_create(&b, 0, visitor, 0);
	pthread_mutex_lock(&m);
	opened = 1;
	pthread_cond_broadcast(&g->open);
	pthread_cond_destroy(&g->open);
	free(g);
	pthread_mutex_unlock(&m);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
