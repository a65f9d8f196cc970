// A lock by compare-and-swap, and between two attempts a counter that is volatile, though nobody else sees it.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct lock {
	atomic_uint owner;
} lock;
int entries;

static void back_off(int *ceiling)
{
	for (volatile int i = *ceiling; i > 0; --i)
		sched_yield();
	*ceiling = *ceiling * 2 < 1 << 20 ? *ceiling * 2 : 1 << 20;
}

static void acquire(struct lock *l, unsigned me)
{
	int ceiling = 1 << 9;
	for (unsigned free = 0; !atomic_compare_exchange_strong(&l->owner, &free, me); free = 0)
		back_off(&ceiling);
}

void *worker(void *arg)
{
	acquire(&lock, (unsigned)(unsigned long)arg);
	entries++;
	atomic_store(&lock.owner, 0);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, (void *)1);
	pthread_create(&b, 0, worker, (void *)2);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(entries == 2);
	return 0;
}
