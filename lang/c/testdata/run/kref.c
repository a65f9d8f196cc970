// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Reference counts with a function that releases, refcount_inc_not_zero, and atomic_t. */
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
typedef struct { int counter; } atomic_t;
typedef struct refcount_struct { atomic_t refs; } refcount_t;
#define REFCOUNT_INIT(n) { .refs = { (n) } }
static inline int atomic_read(const atomic_t *v) { return __atomic_load_n(&v->counter, __ATOMIC_RELAXED); }
static inline _Bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	int r, o = *old;
	r = __sync_val_compare_and_swap(&v->counter, o, new);
	if (r != o)
		*old = r;
	return r == o;
}
static _Bool refcount_inc_not_zero(refcount_t *r)
{
	int old = atomic_read(&r->refs);
	do {
		if (!old)
			break;
	} while (!atomic_try_cmpxchg(&r->refs, &old, old + 1));
	return old;
}
static _Bool refcount_dec_and_test(refcount_t *r) { return __atomic_sub_fetch(&r->refs.counter, 1, __ATOMIC_ACQ_REL) == 0; }
struct kref { refcount_t refcount; };
static inline int kref_put(struct kref *kref, void (*release)(struct kref *kref))
{
	if (refcount_dec_and_test(&kref->refcount)) {
		release(kref);
		return 1;
	}
	return 0;
}
struct device { int id; struct kref ref; int alive; };
static struct device dev = { .id = 7, .ref = { REFCOUNT_INIT(1) }, .alive = 1 };
static int released;
static void dev_release(struct kref *k)
{
	struct device *d = (struct device *)((char *)k - __builtin_offsetof(struct device, ref));
	assert(d->alive && d->id == 7);
	d->alive = 0;
	released++;
}
static void *user(void *p)
{
	struct device *d = p;
	if (refcount_inc_not_zero(&d->ref.refcount)) {
		assert(d->alive);
		kref_put(&d->ref, dev_release);
	}
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, user, &dev);
	pthread_create(&b, NULL, user, &dev);
	kref_put(&dev.ref, dev_release);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(released == 1);
	return 0;
}
