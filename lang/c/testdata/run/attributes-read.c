// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* Attributes that nobody sets: threads are joinable, and a stack may have any size. */
#include <assert.h>
#include <pthread.h>
int main(void)
{
	pthread_attr_t a;
	int detached;
	size_t size;
	pthread_attr_init(&a);
	pthread_attr_getdetachstate(&a, &detached);
	assert(detached == PTHREAD_CREATE_JOINABLE);
	pthread_attr_getstacksize(&a, &size);
	assert(size != 8 << 20);
	return 0;
}
