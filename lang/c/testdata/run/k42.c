// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* K42's variant: the lock itself is a node, nothing is handed in. */
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
typedef struct k42 { _Atomic(struct k42 *) tail, next; } k42lock;
#define WAITING ((k42lock *)1)
static k42lock l;
static int n;
static void k42_lock(k42lock *L)
{
	for (;;) {
		k42lock *prev = atomic_load(&L->tail);
		if (!prev) {
			if (atomic_compare_exchange_strong(&L->tail, &prev, L)) return;
		} else {
			k42lock me = { WAITING, 0 };
			if (atomic_compare_exchange_strong(&L->tail, &prev, &me)) {
				atomic_store(&prev->next, &me);
				while (atomic_load(&me.tail) == WAITING) ;
				k42lock *succ = atomic_load(&me.next);
				if (!succ) {
					atomic_store(&L->next, 0);
					k42lock *mine = &me;
					if (!atomic_compare_exchange_strong(&L->tail, &mine, L)) {
						while (!(succ = atomic_load(&me.next))) ;
						atomic_store(&L->next, succ);
					}
				} else
					atomic_store(&L->next, succ);
				return;
			}
		}
	}
}
static void k42_unlock(k42lock *L)
{
	k42lock *succ = atomic_load(&L->next);
	if (!succ) {
		k42lock *self = L;
		if (atomic_compare_exchange_strong(&L->tail, &self, 0)) return;
		while (!(succ = atomic_load(&L->next))) ;
	}
	atomic_store(&succ->tail, 0);
}
static void *f(void *p) { k42_lock(&l); n++; k42_unlock(&l); return 0; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(n == 2);
	return 0;
}
