// The loop reads again what was read before it; nobody sets the flag for good.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
void *a(void *arg)
{
	int r = x;
	while (r == 0)
		r = x;
	y = r;
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_create(&h, 0, a, 0);
	x = 1;
	x = 0;
	pthread_join(h, 0);
	assert(y == 1);
	return 0;
}
