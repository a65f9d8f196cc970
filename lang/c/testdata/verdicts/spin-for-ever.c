// Nobody sets what it waits for.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x;
void *a(void *arg)
{
	while (!x)
		;
	x = 42;
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	return 0;
}
