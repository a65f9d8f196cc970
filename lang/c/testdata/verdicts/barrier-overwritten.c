// What is a barrier has been numbers before, which say nothing about it: the other thread waits, and goes on.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

union {
	int numbers[8];
	pthread_barrier_t b;
} u;
int x, y;

void *a(void *arg)
{
	x = 1;
	pthread_barrier_wait(&u.b);
	y = 1;
	return 0;
}

int main(void)
{
	pthread_t h;
	u.numbers[1] = 5;
	u.numbers[2] = 77;
	pthread_barrier_init(&u.b, 0, 2);
	pthread_create(&h, 0, a, 0);
	pthread_barrier_wait(&u.b);
	assert(x == 1);
	y = 2;
	pthread_join(h, 0);
	return 0;
}
