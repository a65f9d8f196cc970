// A ticket by compare-exchange: one of them writes.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int taken;
int d;
void *a(void *arg)
{
	int e = 0;
	if (atomic_compare_exchange_strong(&taken, &e, 1))
		d = 1;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(d == 1);
	return 0;
}
