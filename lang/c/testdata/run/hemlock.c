// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Hemlock: a word for each thread in which its predecessor finds the lock's address. */
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
typedef struct hem_lock hemlock_t;
typedef struct { _Atomic(hemlock_t *) grant; } hem_node_t;
struct hem_lock { _Atomic(hem_node_t *) tail; };
static hemlock_t lock;
static _Thread_local hem_node_t self;
static int x;
static void hem_acquire(hemlock_t *l, hem_node_t *me)
{
	hem_node_t *pred = atomic_exchange_explicit(&l->tail, me, memory_order_acq_rel);
	if (pred != NULL) {
		while (atomic_load_explicit(&pred->grant, memory_order_acquire) != l)
			;
		atomic_store_explicit(&pred->grant, NULL, memory_order_release);
	}
}
static void hem_release(hemlock_t *l, hem_node_t *me)
{
	hem_node_t *expected = me;
	if (!atomic_compare_exchange_strong_explicit(&l->tail, &expected, NULL, memory_order_acq_rel, memory_order_relaxed)) {
		atomic_store_explicit(&me->grant, l, memory_order_release);
		while (atomic_load_explicit(&me->grant, memory_order_acquire) != NULL)
			;
	}
}
static void *run(void *a)
{
	hem_acquire(&lock, &self);
	x++;
	hem_release(&lock, &self);
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	assert(x == 3);
	return 0;
}
