// A run in which an assumption fails is of no interest, and nobody is stuck in it.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_assume(int);
atomic_int x, y;
void *a(void *arg)
{
	x = 1;
	return 0;
}

int main(void)
{
	pthread_t h;
	pthread_create(&h, 0, a, 0);
	int r = x;
	pthread_join(h, 0);
	y = r;
	r = y;
	__VERIFIER_assume(r);
	assert(r == 1);
	return 0;
}
