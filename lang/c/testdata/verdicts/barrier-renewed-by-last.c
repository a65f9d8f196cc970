// Who comes last to a barrier on the heap destroys it, and initialises it again, while the others may have yet to leave; they come to another one then.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *renewed, all;
static int rounds;

static void *run(void *unused)
{
	for (int i = 1; i <= 2; i++) {
		if (pthread_barrier_wait(renewed) == PTHREAD_BARRIER_SERIAL_THREAD) {
			pthread_barrier_destroy(renewed);
			pthread_barrier_init(renewed, 0, 2);
			rounds++;
		}
		pthread_barrier_wait(&all);
		assert(rounds == i);
		pthread_barrier_wait(&all);
	}
	return 0;
}

int main(void)
{
	pthread_t t;
	renewed = malloc(sizeof *renewed);
	if (!renewed)
		return 0;
	pthread_barrier_init(renewed, 0, 2);
	pthread_barrier_init(&all, 0, 2);
	pthread_create(&t, 0, run, 0);
	run(0);
	pthread_join(t, 0);
	pthread_barrier_destroy(renewed);
	pthread_barrier_destroy(&all);
	free(renewed);
	return 0;
}
