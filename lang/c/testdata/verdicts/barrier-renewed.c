// Main makes a barrier anew, for more threads, while the other one has yet to notice that both have come.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

pthread_barrier_t b;
int x;

void *a(void *arg)
{
	x = 1;
	pthread_barrier_wait(&b);
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&h, 0, a, 0);
	pthread_barrier_wait(&b);
	assert(x == 1);
	pthread_barrier_destroy(&b);
	pthread_barrier_init(&b, 0, 3);
	pthread_join(h, 0);
	pthread_barrier_destroy(&b);
	pthread_barrier_init(&b, 0, 1);
	assert(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
	return 0;
}
