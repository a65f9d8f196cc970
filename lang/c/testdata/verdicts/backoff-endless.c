// The counter is as wide as what it is compared with and goes round: who backs off never comes back.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken = 1;
int entries;

void *worker(void *arg)
{
	while (atomic_exchange(&taken, 1))
		for (unsigned char i = 0; i <= 255; i++)
			;
	entries++;
	return 0;
}

int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, worker, 0);
	atomic_store(&taken, 0);
	pthread_join(a, 0);
	assert(entries == 1);
	return 0;
}
