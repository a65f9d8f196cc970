// Both are in, and each waits for the other one to be out.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int p, q;
int c;
void *a(void *arg)
{
	p = 1;
	while (q)
		;
	c = 1;
	p = 0;
	return 0;
}

void *b(void *arg)
{
	q = 1;
	while (p)
		;
	c = 2;
	q = 0;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c);
	return 0;
}
