// sc SAFE tso SAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
struct mcs_node {
	_Atomic(struct mcs_node *) next;
	atomic_int locked;
};
struct mcs_lock {
	_Atomic(struct mcs_node *) tail;
};
static struct mcs_lock lk;
static int shared;
static void lock(struct mcs_lock *l, struct mcs_node *me) {
	atomic_init(&me->next, NULL);
	atomic_init(&me->locked, 1);
	struct mcs_node *p = atomic_exchange_explicit(&l->tail, me, memory_order_acq_rel);
	if (p) {
		atomic_store_explicit(&p->next, me, memory_order_release);
		while (atomic_load_explicit(&me->locked, memory_order_acquire)) ;
	}
}

static void unlock(struct mcs_lock *l, struct mcs_node *me) {
	struct mcs_node *n = atomic_load_explicit(&me->next, memory_order_acquire);
	if (!n) {
		struct mcs_node *e = me;
		if (atomic_compare_exchange_strong_explicit(&l->tail, &e, NULL, memory_order_release, memory_order_relaxed)) return;
		while (!(n = atomic_load_explicit(&me->next, memory_order_acquire))) ;
	}
	atomic_store_explicit(&n->locked, 0, memory_order_release);
}

static void *thr(void *a) {
	struct mcs_node me;
	lock(&lk, &me);
	shared++;
	unlock(&lk, &me);
	return NULL;
}

int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, thr, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	assert(shared == 3);
}
