// Two threads join each other, if both are there, and else nobody.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_t h[2];
void *a(void *arg)
{
	pthread_join(h[1], 0);
	return 0;
}

void *b(void *arg)
{
	pthread_join(h[0], 0);
	return 0;
}

int main(void)
{
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	return 0;
}
