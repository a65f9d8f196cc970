// sc UNSAFE tso UNSAFE pso UNSAFE
// The function around returns before the thread is done with its variable.
#include <assert.h>
#include <pthread.h>
pthread_t t;
static void start(void) {
	int x = 1;
	void *worker(void *a) { x++; return 0; }
	pthread_create(&t, 0, worker, 0);
}
int main(void) {
	start();
	pthread_join(t, 0);
	return 0;
}
