// main waits for what only main would set.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
void *a(void *arg)
{
	y = 1;
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_create(&h, 0, a, 0);
	while (!x)
		;
	x = 1;
	return 0;
}
