// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
#define LOCK_PREFIX "lock; "
typedef struct {
	int counter;
} atomic_t;
static inline void atomic_inc(atomic_t *v) {
	asm volatile(LOCK_PREFIX "incl %0" : "+m" (v->counter));
}

static inline int atomic_dec_and_test(atomic_t *v) {
	unsigned char c;
	asm volatile(LOCK_PREFIX "decl %0; sete %1" : "+m" (v->counter), "=qm" (c) : : "memory");
	return c != 0;
}

static inline int atomic_cmpxchg(atomic_t *v, int old, int new) {
	int ret;
	asm volatile(LOCK_PREFIX "cmpxchgl %2,%1" : "=a" (ret), "+m" (v->counter) : "r" (new), "0" (old) : "memory");
	return ret;
}

static inline int xaddl(atomic_t *v, int i) {
	asm volatile(LOCK_PREFIX "xaddl %0, %1" : "+r" (i), "+m" (v->counter) : : "memory");
	return i;
}

static inline _Bool cas(int *p, int o, int n) {
	_Bool ok;
	asm volatile("lock cmpxchg %[n], %[p]\n\tsete %[ok]" : [ok] "=q"(ok), [p] "+m"(*p), "+a"(o) : [n] "r"(n) : "memory", "cc");
	return ok;
}

atomic_t refs = {2}, x;
int freed, l, n;
void *t(void *a) {
	atomic_inc(&x);
	while (!cas(&l, 0, 1)) asm volatile("rep; nop" ::: "memory");
	n++;
	asm volatile("movl %1, %0" : "=m"(l) : "r"(0) : "memory");
	if (atomic_dec_and_test(&refs)) freed++;
	return 0;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, t, 0);
	pthread_create(&b, 0, t, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(freed == 1 && n == 2 && x.counter == 2);
	assert(atomic_cmpxchg(&x, 2, 7) == 2 && atomic_cmpxchg(&x, 2, 8) == 7 && xaddl(&x, 3) == 7 && x.counter == 10);
}
