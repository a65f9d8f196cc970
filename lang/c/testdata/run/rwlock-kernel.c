// sc SAFE tso SAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#define RW_LOCK_BIAS 0x00100000
typedef union {
	atomic_int lock;
} rwlock_t;
rwlock_t lk = { RW_LOCK_BIAS };
int shared;
static inline void read_lock(rwlock_t *rw) {
	int priorvalue = atomic_fetch_sub_explicit(&rw->lock, 1, memory_order_acquire);
	while (priorvalue <= 0) {
		atomic_fetch_add_explicit(&rw->lock, 1, memory_order_relaxed);
		while (atomic_load_explicit(&rw->lock, memory_order_relaxed) <= 0) ;
		priorvalue = atomic_fetch_sub_explicit(&rw->lock, 1, memory_order_acquire);
	}
}

static inline void write_lock(rwlock_t *rw) {
	int priorvalue = atomic_fetch_sub_explicit(&rw->lock, RW_LOCK_BIAS, memory_order_acquire);
	while (priorvalue != RW_LOCK_BIAS) {
		atomic_fetch_add_explicit(&rw->lock, RW_LOCK_BIAS, memory_order_relaxed);
		while (atomic_load_explicit(&rw->lock, memory_order_relaxed) != RW_LOCK_BIAS) ;
		priorvalue = atomic_fetch_sub_explicit(&rw->lock, RW_LOCK_BIAS, memory_order_acquire);
	}
}

static inline void read_unlock(rwlock_t *rw) {
	atomic_fetch_add_explicit(&rw->lock, 1, memory_order_release);
}

static inline void write_unlock(rwlock_t *rw) {
	atomic_fetch_add_explicit(&rw->lock, RW_LOCK_BIAS, memory_order_release);
}

void *r(void *u) {
	read_lock(&lk);
	int a = shared;
	assert(a == shared);
	read_unlock(&lk);
	return 0;
}

void *w(void *u) {
	write_lock(&lk);
	shared++;
	write_unlock(&lk);
	return 0;
}

int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, w, 0);
	pthread_create(&t, 0, r, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(shared == 1);
}
