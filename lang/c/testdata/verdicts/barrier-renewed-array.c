// Barriers of an array are given back and made anew as soon as all have come; what the other one writes behind it is in no order with what main reads.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE
#include <pthread.h>

static pthread_barrier_t meetings[2];
static int x, y;

static void *other(void *unused)
{
	for (int i = 0; i < 2; i++)
		pthread_barrier_wait(&meetings[i]);
	x = 1;
	return 0;
}

int main(void)
{
	pthread_t t;
	for (int i = 0; i < 2; i++)
		pthread_barrier_init(&meetings[i], 0, 2);
	pthread_create(&t, 0, other, 0);
	for (int i = 0; i < 2; i++) {
		pthread_barrier_wait(&meetings[i]);
		pthread_barrier_destroy(&meetings[i]);
		pthread_barrier_init(&meetings[i], 0, 3);
	}
	y = x;
	pthread_join(t, 0);
	return 0;
}
