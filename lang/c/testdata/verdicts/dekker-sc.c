// Flags that are seq_cst keep two out of the section.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
int d;
void *a(void *arg)
{
	x = 1;
	if (y == 0)
		d++;
	return 0;
}

void *b(void *arg)
{
	y = 1;
	if (x == 0)
		d++;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(d <= 1);
	return 0;
}
