// sc SAFE tso SAFE pso SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

atomic_int x, y;
int r[2];

void *left(void *unused) { x = 1; r[0] = y; return NULL; }
void *right(void *unused) { atomic_store(&y, 1); r[1] = atomic_load(&x); return NULL; }

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(r[0] || r[1]);
	return 0;
}
