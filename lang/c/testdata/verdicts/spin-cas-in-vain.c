// The value that the compare-exchange waits for is never there.
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
	int e, done;
	do {
		e = 1;
		done = atomic_compare_exchange_strong(&x, &e, 2);
	} while (!done);
	pthread_join(h, 0);
	return 0;
}
