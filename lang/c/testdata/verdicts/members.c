// Two members of one structure.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct { int a, b; } s;
void *a(void *arg)
{
	s.a++;
	return 0;
}

void *b(void *arg)
{
	s.b++;
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
