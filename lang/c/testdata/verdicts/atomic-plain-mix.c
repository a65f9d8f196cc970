// An atomic load and a plain store to one variable.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x;
void *a(void *arg)
{
	x = 1;
	return 0;
}

void *b(void *arg)
{
	int r = __atomic_load_n(&x, __ATOMIC_SEQ_CST);
	assert(r == 0 || r == 1);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	return 0;
}
