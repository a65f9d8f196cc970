// What a thread returns orders nothing else than its end.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void *a(void *arg)
{
	static int v;
	v = 5;
	return &v;
	return 0;
}

int main(void)
{
	pthread_t h;
	void *r;
	pthread_create(&h, 0, a, 0);
	pthread_join(h, &r);
	assert(*(int *)r == 5);
	return 0;
}
