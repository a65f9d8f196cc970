// sc SAFE tso SAFE pso UNSAFE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

#define N 3
atomic_int lock;
int count;

void *worker(void *arg)
{
	int expected;
	do
		expected = 0;
	while (!atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire, memory_order_relaxed));
	count++;
	atomic_store_explicit(&lock, 0, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, (void *)(long)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(count == N);
	return 0;
}
