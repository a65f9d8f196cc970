// Written before, read after.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_barrier_t b;
int x[2];
void *a(void *arg)
{
	int i = (int)(long)arg;
	x[i] = 1;
	pthread_barrier_wait(&b);
	assert(x[1 - i] == 1);
	return 0;
}

int main(void)
{
	pthread_t h, k;
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&h, 0, a, (void *)0);
	pthread_create(&k, 0, a, (void *)1);
	pthread_join(h, 0);
	pthread_join(k, 0);
	return 0;
}
