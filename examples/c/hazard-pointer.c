// Hazard pointers: a reader says which object it is about to use and looks whether it is
// still the current one; who takes an object out frees it when nobody says so of it.
//
// From: M. M. Michael, Hazard pointers: safe memory reclamation for lock-free objects,
// TPDS 15(6), 2004.
// Client: READERS readers (1) read the object once; a writer puts a new one in its place
// and frees the old one when it may.
// Property: nobody uses what has been freed; what is read is initialised.
// SC:  SAFE
// TSO: UNSAFE. The hazard pointer may still be buffered when the reader looks
//      whether the object is the current one.
// PSO: UNSAFE, for the same reason.
// With -D FIXED=1, which puts a fence behind the store of the hazard pointer: SAFE under
// all three.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef READERS
#define READERS 1
#endif

struct object {
	int value;
};

_Atomic(struct object *) current;
_Atomic(struct object *) hazard[READERS];

static void *reader(void *arg) {
	int me = (int)(long)arg;
	struct object *o = atomic_load_explicit(&current, memory_order_acquire);
	for (;;) {
		atomic_store_explicit(&hazard[me], o, memory_order_release);
#ifdef FIXED
		atomic_thread_fence(memory_order_seq_cst);
#endif
		struct object *again = atomic_load_explicit(&current, memory_order_acquire);
		if (again == o)
			break;
		o = again;
	}
	assert(o->value == 1 || o->value == 2);
	atomic_store_explicit(&hazard[me], 0, memory_order_release);
	return 0;
}

static void *writer(void *arg) {
	struct object *o = malloc(sizeof *o);
	o->value = 2;
	struct object *old = atomic_exchange(&current, o);
	for (int i = 0; i < READERS; i++)
		if (atomic_load(&hazard[i]) == old)
			return 0; // later, perhaps
	free(old);
	return 0;
}

int main(void) {
	struct object *o = malloc(sizeof *o);
	o->value = 1;
	atomic_store(&current, o);
	pthread_t w, r[READERS];
	for (long i = 0; i < READERS; i++)
		pthread_create(&r[i], 0, reader, (void *)i);
	pthread_create(&w, 0, writer, 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(r[i], 0);
	pthread_join(w, 0);
	return 0;
}
