// sc SAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
// wrappers hand on the memory order that they are called with: these are relaxed
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void set(atomic_int *p, int v, memory_order o) { atomic_store_explicit(p, v, o); }
static void put(atomic_int *p, memory_order o) { set(p, 1, o); }
static int get(atomic_int *p, memory_order o) { return atomic_load_explicit(p, o); }

static void *left(void *arg) {
	put(&x, memory_order_relaxed);
	a = get(&y, memory_order_relaxed);
	return arg;
}

static void *right(void *arg) {
	put(&y, memory_order_relaxed);
	b = get(&x, memory_order_relaxed);
	return arg;
}

int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, left, 0);
	pthread_create(&t, 0, right, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(a || b);
	return 0;
}
