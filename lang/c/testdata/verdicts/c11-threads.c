// The threads of C11.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <threads.h>
mtx_t k;
int c;
int a(void *arg)
{
	mtx_lock(&k);
	c++;
	mtx_unlock(&k);
	return 0;
}

int main(void)
{
	thrd_t h[2];
	mtx_init(&k, mtx_plain);
	thrd_create(&h[0], a, 0);
	thrd_create(&h[1], a, 0);
	thrd_join(h[0], 0);
	thrd_join(h[1], 0);
	assert(c == 2);
	return 0;
}
