// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* x ?: y */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static int calls;
static int get(int v) { calls++; return v; }
static void *f(void *p) { return p ?: &calls; }
int main(void)
{
	int a = get(0) ?: 7, b = get(5) ?: 9;
	assert(a == 7 && b == 5 && calls == 2);
	long l = 0 ?: -1L;
	assert(l == -1);
	get(0) ?: get(1);
	get(1) ?: get(0);
	assert(calls == 5);
	pthread_t t;
	void *r;
	pthread_create(&t, NULL, f, NULL);
	pthread_join(t, &r);
	assert(r == &calls);
	return 0;
}
