// The address of the loop variable as an argument.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int seen[2];
void *a(void *arg)
{
	int i = *(int *)arg;
	if (i < 2)
		seen[i]++;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	int i;
	for (i = 0; i < 2; i++)
		pthread_create(&h[i], 0, a, &i);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(seen[0] == 1 && seen[1] == 1);
	return 0;
}
