// Who waits for a ticket looks again after a time that depends on how many are before.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, owner;
int entries;

static void acquire(void)
{
	unsigned me = atomic_fetch_add(&next, 1), now;
	while ((now = atomic_load_explicit(&owner, memory_order_acquire)) != me)
		for (unsigned i = (me - now) * 64; i > 0; i--)
			__asm__ __volatile__("pause" ::: "memory");
}

void *worker(void *arg)
{
	acquire();
	entries++;
	atomic_store(&owner, atomic_load_explicit(&owner, memory_order_relaxed) + 1);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(entries == 2);
	return 0;
}
