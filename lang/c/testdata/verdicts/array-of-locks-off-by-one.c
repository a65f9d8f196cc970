// The lock of the neighbour.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t l[3];
int v[3];

void *a(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&l[i]);
		v[i + 1] = 1;
		pthread_mutex_unlock(&l[i]);
	}
	return 0;
}

void *b(void *arg)
{
	for (int i = 1; i < 3; i++) {
		pthread_mutex_lock(&l[i]);
		v[i] = 1;
		pthread_mutex_unlock(&l[i]);
	}
	return 0;
}

int main(void)
{
	pthread_t h[2];
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&l[i], 0);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(v[1] == 1 && v[2] == 1);
	return 0;
}
