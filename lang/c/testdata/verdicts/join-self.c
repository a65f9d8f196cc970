// A thread waits for its own end, by a number that it is told.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_ulong id;

void *waiter(void *arg)
{
	pthread_t t = atomic_load(&id);
	if (t != 0)
		pthread_join(t, 0);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, waiter, 0);
	atomic_store(&id, t);
	return 0;
}
