// An element and its lock by an index.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t l[2];
int v[2];
void *a(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&l[i]);
		v[i]++;
		pthread_mutex_unlock(&l[i]);
	}
	return 0;
}

int main(void)
{
	pthread_t h[2];
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&l[i], 0);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(v[0] == 2 && v[1] == 2);
	return 0;
}
