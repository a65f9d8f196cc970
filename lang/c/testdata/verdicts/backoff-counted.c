// How often a thread has backed off is asked in the end.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;

void *worker(void *arg)
{
	int rounds = 0, i = 0;
	if (atomic_exchange(&taken, 1))
		for (i = 0; i < 4; i++)
			rounds += 2;
	assert(rounds + i != 12);
	atomic_store(&taken, 0);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
