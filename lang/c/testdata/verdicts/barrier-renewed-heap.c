// A barrier on the heap is given back and made anew while the other one has yet to notice that both have come.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *meeting;
static int x;

static void *other(void *unused)
{
	x = 1;
	pthread_barrier_wait(meeting);
	return 0;
}

int main(void)
{
	pthread_t t;
	meeting = malloc(sizeof *meeting);
	if (!meeting)
		return 1;
	pthread_barrier_init(meeting, 0, 2);
	pthread_create(&t, 0, other, 0);
	pthread_barrier_wait(meeting);
	assert(x == 1);
	pthread_barrier_destroy(meeting);
	pthread_barrier_init(meeting, 0, 1);
	pthread_barrier_wait(meeting);
	pthread_barrier_destroy(meeting);
	pthread_join(t, 0);
	free(meeting);
	return 0;
}
