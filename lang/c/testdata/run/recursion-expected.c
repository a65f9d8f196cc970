// sc SAFE tso SAFE
// A parameter that a compare-exchange writes to is not what the call has made it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x = 5;

static int take(int n) {
	if (n == 0)
		return 0;
	atomic_compare_exchange_strong(&x, &n, 9);
	if (n == 5)
		return 7;
	return 1 + take(n - 1);
}

static void *thread(void *arg) {
	assert(take(3) == 7);
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return 0;
}
