// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* An MCS lock whose waiter word doubles as a pointer: a 1 or the address of a list. */
#include <stdatomic.h>
#include <stdint.h>
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
typedef struct node { _Atomic(uintptr_t) spin; _Atomic(struct node *) next; int socket; } cna_node_t;
static _Atomic(cna_node_t *) tail;
static cna_node_t nodes[2];
static int x;
static void lock(cna_node_t *me)
{
	atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&me->spin, 0, memory_order_relaxed);
	cna_node_t *prev = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
	if (!prev) {
		atomic_store_explicit(&me->spin, 1, memory_order_relaxed);
		return;
	}
	atomic_store_explicit(&prev->next, me, memory_order_release);
	while (!atomic_load_explicit(&me->spin, memory_order_acquire))
		;
}
static void unlock(cna_node_t *me)
{
	if (!atomic_load_explicit(&me->next, memory_order_acquire)) {
		cna_node_t *local = me;
		if (atomic_load_explicit(&me->spin, memory_order_relaxed) == 1 &&
		    atomic_compare_exchange_strong_explicit(&tail, &local, NULL, memory_order_release, memory_order_relaxed))
			return;
		while (!atomic_load_explicit(&me->next, memory_order_acquire))
			;
	}
	cna_node_t *succ = atomic_load_explicit(&me->next, memory_order_relaxed);
	uintptr_t v = atomic_load_explicit(&me->spin, memory_order_relaxed);
	atomic_store_explicit(&succ->spin, v > 1 ? v : 1, memory_order_release);
}
static void *f(void *p) { cna_node_t *me = p; lock(me); x++; unlock(me); return 0; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &nodes[i]);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(x == 2);
	return 0;
}
