// Who waits with a limit reads all of it.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct timespec limit;

void *later(void *arg) {
	limit.tv_sec = 5;
	return 0;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, later, 0);
	if (!pthread_mutex_timedlock(&m, &limit))
		pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
