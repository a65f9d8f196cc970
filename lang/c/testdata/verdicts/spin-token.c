// Each waits for its turn.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int turn;
int c;
void *a(void *arg)
{
	while (turn != 0)
		;
	c++;
	turn = 1;
	return 0;
}

void *b(void *arg)
{
	while (turn != 1)
		;
	c++;
	turn = 0;
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, b, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
