// A lock by compare-exchange that nobody gives back.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int l;
int c;
void *a(void *arg)
{
	int e = 0;
	while (!atomic_compare_exchange_strong(&l, &e, 1))
		e = 0;
	c++;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
