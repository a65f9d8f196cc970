// A local variable of main, joined.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void *a(void *arg)
{
	(*(int *)arg)++;
	return 0;
}

int main(void)
{
	pthread_t h;
	int x = 1;
	pthread_create(&h, 0, a, &x);
	pthread_join(h, 0);
	assert(x == 2);
	return 0;
}
