// Two members of a union are one memory.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

union { int a; unsigned b; } u;
void *a(void *arg)
{
	u.a = 1;
	return 0;
}

void *b(void *arg)
{
	u.b = 1;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(u.a == 1);
	return 0;
}
