// Initialised while another thread may hold it, who then cannot give it back.
// sc UNSAFE, tso UNSAFE, pso UNSAFE, race UNSAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int c;
void *a(void *arg)
{
	pthread_mutex_lock(&m);
	c = 1;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t h[1];
	pthread_create(&h[0], 0, a, 0);
	pthread_mutex_init(&m, 0);
	pthread_join(h[0], 0);
	pthread_mutex_destroy(&m);
	return 0;
}
