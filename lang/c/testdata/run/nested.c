// sc SAFE tso SAFE pso SAFE
// Functions of GNU C inside others, called, handed on, and executed by threads.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int out;
static void each(int n, void (*f)(int)) { for (int i = 0; i < n; i++) f(i); }
static int sum(int n) {
	int s = 0;
	void add(int i) { s += i; }
	each(n, add);
	if (n > 1) assert(sum(n - 1) == s - (n - 1));
	return s;
}
int main(void) {
	int a[3] = {3, 1, 2}, calls = 0;
	int cmp(const void *x, const void *y) { calls++; return *(int *)x - *(int *)y; }
	qsort(a, 3, sizeof a[0], cmp);
	assert(a[0] == 1 && a[2] == 3 && calls > 0);
	assert(sum(4) == 6);
	int k = 0;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	void *worker(void *arg) {
		int one(void) { return (int)(long)arg; }
		pthread_mutex_lock(&m);
		k += one();
		pthread_mutex_unlock(&m);
		return 0;
	}
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)(i + 1));
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(k == 3);
	int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
	assert(fact(4) == 24);
	return 0;
}
