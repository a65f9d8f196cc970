// sc SAFE tso SAFE pso UNSAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

int data;
atomic_int flag;

static void *producer(void *unused)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

static void *consumer(void *unused)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	assert(data == 42);
	return NULL;
}

int main(void)
{
	pthread_t p, c;
	pthread_create(&p, NULL, producer, NULL);
	pthread_create(&c, NULL, consumer, NULL);
	pthread_join(p, NULL);
	pthread_join(c, NULL);
	return 0;
}
