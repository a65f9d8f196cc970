// Behind the end.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int v[2];
void *a(void *arg)
{
	for (int i = 0; i <= 2; i++)
		v[i] = i;
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	return 0;
}
