// The halves overlap by one.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int v[4];
void *a(void *arg)
{
	int from = (int)(long)arg;
	for (int i = from; i < from + 3 && i < 4; i++)
		v[i] = i;
	return 0;
}

int main(void)
{
	pthread_t h, k;
	pthread_create(&h, 0, a, (void *)0);
	pthread_create(&k, 0, a, (void *)2);
	pthread_join(h, 0);
	pthread_join(k, 0);
	assert(v[0] + v[1] + v[2] + v[3] == 6);
	return 0;
}
