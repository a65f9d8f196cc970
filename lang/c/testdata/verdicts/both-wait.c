// Each of two threads waits for the other.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

void *first(void *arg)
{
	while (!atomic_load(&x))
		;
	atomic_store(&y, 1);
	return NULL;
}

void *second(void *arg)
{
	while (!atomic_load(&y))
		;
	atomic_store(&x, 1);
	return NULL;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, NULL, first, NULL);
	pthread_create(&t, NULL, second, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
}
