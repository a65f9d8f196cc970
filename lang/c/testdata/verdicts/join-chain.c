// A joins b, main joins a.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x;
pthread_t hb;
void *b(void *arg)
{
	x = 1;
	return 0;
}

void *a(void *arg)
{
	pthread_create(&hb, 0, b, 0);
	pthread_join(hb, 0);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	pthread_join(h[0], 0);
	assert(x == 1);
	return 0;
}
