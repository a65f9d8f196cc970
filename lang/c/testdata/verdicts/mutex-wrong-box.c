// The mutex of one object, the variable of another.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	pthread_mutex_t m;
	int v;
} box[2];

void *a(void *arg)
{
	pthread_mutex_lock(&box[0].m);
	box[1].v = 1;
	pthread_mutex_unlock(&box[0].m);
	return 0;
}

void *b(void *arg)
{
	pthread_mutex_lock(&box[1].m);
	box[1].v = 1;
	pthread_mutex_unlock(&box[1].m);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_mutex_init(&box[0].m, 0);
	pthread_mutex_init(&box[1].m, 0);
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(box[1].v == 1);
	return 0;
}
