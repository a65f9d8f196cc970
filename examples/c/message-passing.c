// A message: a value, and a flag that says that it is there.
//
// From: the litmus test MP.
// Client: a sender, and N receivers (1) that wait for the flag.
// Property: they see the value.
// SC:  SAFE
// TSO: SAFE. Stores reach memory in their order.
// PSO: UNSAFE. They need not, and a release store is a plain one.
// With -D FIXED=1, which makes the store of the flag seq_cst: SAFE under all three.

#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif

#ifndef N
#define N 1
#endif

int value;
atomic_bool there;

static int sender(void *arg) {
	value = 42;
	atomic_store_explicit(&there, 1, ORDER);
	return 0;
}

static int receiver(void *arg) {
	while (!atomic_load_explicit(&there, memory_order_acquire))
		;
	assert(value == 42);
	return 0;
}

int main(void) {
	thrd_t s, r[N];
	thrd_create(&s, sender, 0);
	for (int i = 0; i < N; i++)
		thrd_create(&r[i], receiver, 0);
	thrd_join(s, 0);
	for (int i = 0; i < N; i++)
		thrd_join(r[i], 0);
	return 0;
}
