// Two bit-fields of one unit are one piece of memory.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct { unsigned a : 4, b : 4; } s;
void *a(void *arg)
{
	s.a = 1;
	return 0;
}

void *b(void *arg)
{
	s.b = 1;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(s.a + s.b == 2);
	return 0;
}
