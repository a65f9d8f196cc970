// Atomic_flag as a lock.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_flag l = ATOMIC_FLAG_INIT;
int c;
void *a(void *arg)
{
	while (atomic_flag_test_and_set(&l))
		;
	c++;
	atomic_flag_clear(&l);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
