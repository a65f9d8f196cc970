// Reference counting: who gives the last reference back frees the object.
//
// From: boost::shared_ptr, and H. Sutter, atomic<> weapons, 2012.
// Client: N threads (2) that write to a member of their own and give their reference back.
// Property: nobody accesses what has been freed, and the last one sees what all have written.
// SC:  SAFE
// TSO: SAFE. A locked instruction is a fence.
// PSO: SAFE. Likewise.
// Data races: UNSAFE. A relaxed decrement orders nothing: what another thread wrote before it
// gave its reference back may come after the object is freed.
// With -D FIXED=1, which makes the decrement acquire and release, and a release sequence of
// all of them: SAFE.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define ORDER memory_order_acq_rel
#else
#define ORDER memory_order_relaxed
#endif

#ifndef N
#define N 2
#endif

struct object {
	atomic_int references;
	int done[N];
};

struct object *shared;

static void give_back(struct object *o) {
	if (atomic_fetch_sub_explicit(&o->references, 1, ORDER) == 1) {
		for (int i = 0; i < N; i++)
			assert(o->done[i]);
		free(o);
	}
}

static void *user(void *arg) {
	long i = (long)arg;
	struct object *o = shared;
	o->done[i] = 1;
	give_back(o);
	return 0;
}

int main(void) {
	pthread_t t[N];
	shared = calloc(1, sizeof(struct object));
	atomic_init(&shared->references, N);
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, user, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
