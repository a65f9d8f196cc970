// Who tries to wait for a thread does not wait, and who is cancelled in a wait is not in it any more.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int go;
pthread_t u;

void *waits(void *arg)
{
	while (!atomic_load(&go))
		sched_yield();
	return 0;
}

void *joins(void *arg)
{
	pthread_join(u, 0);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&u, 0, waits, 0);
	int busy = pthread_tryjoin_np(u, 0);
	if (busy) {
		pthread_create(&t, 0, joins, 0);
		pthread_cancel(t);
		void *r;
		pthread_join(t, &r);
		atomic_store(&go, 1);
		if (r == PTHREAD_CANCELED)
			pthread_join(u, 0);
	}
	return 0;
}
