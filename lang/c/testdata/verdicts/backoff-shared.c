// What a thread counts with while it backs off is not its own: somebody else begins anew, and its rounds are seen.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>

volatile int i;

void *waiter(void *arg)
{
	for (i = 0; i < 3; i++)
		;
	return 0;
}

void *watcher(void *arg)
{
	assert(i != 2);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, waiter, 0);
	pthread_create(&b, 0, watcher, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
