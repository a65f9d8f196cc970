// sc UNSAFE tso UNSAFE pso UNSAFE
// What a function inside main writes is not what main has written last.
#include <assert.h>
#include <pthread.h>
int n, x;
int main(void) {
	pthread_t t;
	n = 1;
	void *w(void *a) { static __thread int k; n = 2 + k++; return 0; }
	pthread_create(&t, 0, w, 0);
	for (int i = 0; i < n; i++) x++;
	pthread_join(t, 0);
	assert(x == 1);
	return 0;
}
