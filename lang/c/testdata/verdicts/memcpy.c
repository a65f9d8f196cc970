// A structure is copied while it is written.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <string.h>
struct { int a, b; } s, t;
void *a(void *arg)
{
	memcpy(&t, &s, sizeof s);
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
	assert(t.b == 0 || t.b == 1);
	return 0;
}
