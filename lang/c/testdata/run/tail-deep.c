// sc UNSAFE tso UNSAFE
// What goes wrong after more rounds than recursion is followed is found.
#include <assert.h>
#include <pthread.h>

int data[20], at;

static int find(const int *p, int n, int k) {
	int fresh = k;
	if (n == 0)
		return -1;
	if (*p == k)
		return fresh + n;
	return find(p + 1, n - 1, k);
}

static void *thread(void *arg) {
	data[17] = 5;
	return arg;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	at = find(data, 20, 5);
	assert(at != 8);
	return 0;
}
