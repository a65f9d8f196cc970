// Peterson by atomics.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag[2], turn;
int c;
void *a(void *arg)
{
	int i = (int)(long)arg;
	flag[i] = 1;
	turn = 1 - i;
	while (flag[1 - i] && turn == 1 - i)
		;
	c++;
	flag[i] = 0;
	return 0;
}

int main(void)
{
	pthread_t h, k;
	pthread_create(&h, 0, a, (void *)0);
	pthread_create(&k, 0, a, (void *)1);
	pthread_join(h, 0);
	pthread_join(k, 0);
	assert(c == 2);
	return 0;
}
