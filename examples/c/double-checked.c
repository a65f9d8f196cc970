// Double-checked initialisation: who finds the object there takes it without a lock.
//
// From: D. C. Schmidt and T. Harrison, Double-checked locking, PLoP 1996; and D. Bacon et
// al., The "double-checked locking is broken" declaration.
// Client: N threads (2) ask for the object and read it.
// Property: it is initialised, and one for all.
// SC:  SAFE
// TSO: SAFE. The members reach memory before the pointer.
// PSO: UNSAFE. A release store is a plain one, and the pointer may be there first.
// With -D FIXED=1, which makes the store of the pointer seq_cst: SAFE under all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef N
#define N 2
#endif

struct object {
	int a, b;
};

struct object the_one;
_Atomic(struct object *) instance;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int made;

static struct object *get(void) {
	struct object *o = atomic_load_explicit(&instance, memory_order_acquire);
	if (!o) {
		pthread_mutex_lock(&mutex);
		o = atomic_load_explicit(&instance, memory_order_relaxed);
		if (!o) {
			o = &the_one;
			o->a = 1;
			o->b = 2;
			assert(made++ == 0);
			atomic_store_explicit(&instance, o, ORDER);
		}
		pthread_mutex_unlock(&mutex);
	}
	return o;
}

static void *run(void *arg) {
	struct object *o = get();
	assert(o->a == 1 && o->b == 2);
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
