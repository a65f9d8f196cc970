// sc SAFE tso SAFE
// Recursion whose depth constants decide is followed to its end.
#include <assert.h>
#include <pthread.h>

static unsigned long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static int fibonacci(int n) {
	if (n < 2)
		return n;
	return fibonacci(n - 1) + fibonacci(n - 2);
}

static void hanoi(int n, int from, int to, int *moves) {
	if (n == 0)
		return;
	hanoi(n - 1, from, 6 - from - to, moves);
	++*moves;
	hanoi(n - 1, 6 - from - to, to, moves);
}

static void *thread(void *arg) {
	assert(factorial(15) == 1307674368000UL);
	assert(fibonacci(11) == 89);
	int moves = 0;
	hanoi(9, 1, 3, &moves);
	assert(moves == 511);
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return 0;
}
