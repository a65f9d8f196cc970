// sc SAFE
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
void *slot;
int got;
void *t(void *a) {
	void **p = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
	if (p) got = *(int *)p[0];
	return 0;
}

int main(void) {
	pthread_t h;
	pthread_create(&h, 0, t, 0);
	void **p = malloc(2 * sizeof(void *));
	void *q = malloc(12);
	p[0] = q;
	*(int *)q = 5;
	__atomic_store_n(&slot, (void *)p, __ATOMIC_RELEASE);
	pthread_join(h, 0);
	assert(got == 0 || got == 5);
}
