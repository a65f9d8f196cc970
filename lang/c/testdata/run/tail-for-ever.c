// sc SAFE tso SAFE pso SAFE
// Calls at the end of a function are a loop, which is proved without a bound.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

static void work(unsigned char n, int *p) {
	pthread_mutex_lock(&m);
	assert(*p == 0);
	*p = n;
	*p = 0;
	pthread_mutex_unlock(&m);
	if (n & 1)
		work(n * 3, p);
	else
		work(n + 1, p);
}

static void *thread(void *arg) {
	work(1, &inside);
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	work(4, &inside);
	return 0;
}
