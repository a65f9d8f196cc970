// sc SAFE tso SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
struct foo {
	int a;
};
struct foo *gp;
int nesting;
static inline void rcu_read_lock(void) {
	__atomic_store_n(&nesting, 1, __ATOMIC_RELAXED);
	smp_mb();
}

static inline void rcu_read_unlock(void) {
	smp_mb();
	__atomic_store_n(&nesting, 0, __ATOMIC_RELAXED);
}

static inline void synchronize_rcu(void) {
	smp_mb();
	while (READ_ONCE(nesting)) ;
	smp_mb();
}

void *reader(void *u) {
	rcu_read_lock();
	struct foo *p = __atomic_load_n(&gp, __ATOMIC_CONSUME);
	if (p) {
		int a = p->a;
		assert(a == 1 || a == 2);
	}
	rcu_read_unlock();
	return 0;
}

void *writer(void *u) {
	struct foo *n = malloc(sizeof *n), *o = gp;
	n->a = 2;
	__atomic_store_n(&gp, n, __ATOMIC_RELEASE);
	synchronize_rcu();
	free(o);
	return 0;
}

int main(void) {
	pthread_t r, w;
	gp = malloc(sizeof *gp);
	gp->a = 1;
	pthread_create(&r, 0, reader, 0);
	pthread_create(&w, 0, writer, 0);
	pthread_join(r, 0);
	pthread_join(w, 0);
	return 0;
}
