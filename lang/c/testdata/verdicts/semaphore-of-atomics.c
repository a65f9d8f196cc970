// A counter that is taken down and put up.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int s = 1;
int c;
void *a(void *arg)
{
	int v;
	for (;;) {
		v = atomic_load(&s);
		if (v > 0 && atomic_compare_exchange_strong(&s, &v, v - 1))
			break;
	}
	c++;
	atomic_fetch_add(&s, 1);
	return 0;
}

int main(void)
{
	pthread_t h[2];
	pthread_create(&h[0], 0, a, 0);
	pthread_create(&h[1], 0, a, 0);
	pthread_join(h[0], 0);
	pthread_join(h[1], 0);
	assert(c == 2);
	return 0;
}
