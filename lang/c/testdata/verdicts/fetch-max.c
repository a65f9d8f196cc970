// Two threads raise a number to theirs, one lowers another one: the largest and the smallest stay.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int8_t high = -100;
unsigned low = 3000000000u;

void *a(void *arg)
{
	int8_t was = __atomic_fetch_max(&high, 5, __ATOMIC_RELAXED);
	assert(was == -100 || was == 7);
	return 0;
}

void *b(void *arg)
{
	assert(__atomic_max_fetch(&high, 7, __ATOMIC_RELAXED) == 7);
	__atomic_fetch_max(&high, -128, __ATOMIC_RELAXED);
	assert(__atomic_min_fetch(&low, 4000000000u, __ATOMIC_SEQ_CST) == 3000000000u);
	assert(__atomic_fetch_min(&low, 2000000000u, __ATOMIC_SEQ_CST) == 3000000000u);
	return 0;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, a, 0);
	pthread_create(&t, 0, b, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(high == 7 && low == 2000000000u);
	return 0;
}
