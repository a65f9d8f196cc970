// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* A ticket lock with a waiting array, indices hashed. */
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
#define TWA_A 4U
#define TWA_L 1U
typedef struct { atomic_uint next, owner; } twalock_t;
static atomic_uint arr[TWA_A];
#define TWA_HASH(t) ((t) % TWA_A)
static void acquire(twalock_t *l)
{
	uint32_t ticket = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
	uint32_t owner = atomic_load_explicit(&l->owner, memory_order_acquire);
	uint32_t dx = ticket - owner;
	if (dx == 0)
		return;
	if (dx > TWA_L) {
		unsigned at = TWA_HASH(ticket);
		uint32_t u = atomic_load_explicit(&arr[at], memory_order_acquire);
		dx = ticket - atomic_load_explicit(&l->owner, memory_order_relaxed);
		while (dx > TWA_L) {
			while (atomic_load_explicit(&arr[at], memory_order_acquire) == u)
				;
			u = atomic_load_explicit(&arr[at], memory_order_acquire);
			dx = ticket - atomic_load_explicit(&l->owner, memory_order_relaxed);
		}
	}
	while (atomic_load_explicit(&l->owner, memory_order_acquire) != ticket)
		;
}
static void release(twalock_t *l)
{
	uint32_t k = atomic_load_explicit(&l->owner, memory_order_relaxed) + 1;
	atomic_store_explicit(&l->owner, k, memory_order_release);
	atomic_fetch_add_explicit(&arr[TWA_HASH(k + TWA_L)], 1, memory_order_acq_rel);
}
static twalock_t lock;
static int n;
static void *f(void *p)
{
	acquire(&lock);
	n++;
	release(&lock);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	assert(n == 3);
	return 0;
}
