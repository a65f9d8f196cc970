// Who finds the lock taken backs off for twice as long each time: that takes time and does nothing else.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int inside, entries;

static void acquire(void)
{
	unsigned ceiling = 512;
	for (;;) {
		while (atomic_load_explicit(&taken, memory_order_relaxed)) {
			for (unsigned i = 0; i < ceiling; i++)
				__asm__ __volatile__("pause" ::: "memory");
			ceiling <<= 1;
			if (ceiling > 1u << 20)
				ceiling = 1u << 20;
		}
		if (!atomic_exchange_explicit(&taken, 1, memory_order_acquire))
			return;
	}
}

void *worker(void *arg)
{
	acquire();
	assert(!inside);
	inside = 1;
	entries++;
	inside = 0;
	atomic_store(&taken, 0);
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
