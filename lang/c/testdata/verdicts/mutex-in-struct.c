// Each object has its mutex.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

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
	struct box *b = arg;
	pthread_mutex_lock(&b->m);
	b->v++;
	pthread_mutex_unlock(&b->m);
	return 0;
}

int main(void)
{
	pthread_t h[3];
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&box[i].m, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&h[i], 0, a, &box[i % 2]);
	for (int i = 0; i < 3; i++)
		pthread_join(h[i], 0);
	assert(box[0].v == 2 && box[1].v == 1);
	return 0;
}
