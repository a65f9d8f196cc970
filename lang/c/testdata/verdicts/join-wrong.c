// Main joins one thread and reads what the other one wrote.
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
	
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[1], 0);
	int r = x;
	assert(r == 0 || r == 1);
	return 0;
}
