// sc SAFE tso SAFE pso UNSAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_uint seq;
atomic_int a, b;
void *w(void *u) {
	for (int i = 1; i < 3; i++) {
		unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
		atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
		atomic_store_explicit(&a, i, memory_order_relaxed);
		atomic_store_explicit(&b, i, memory_order_relaxed);
		atomic_store_explicit(&seq, s + 2, memory_order_release);
	} return 0;
}

void *r(void *u) {
	unsigned s;
	int x, y;
	do {
		while ((s = atomic_load_explicit(&seq, memory_order_acquire)) & 1) ;
		x = atomic_load_explicit(&a, memory_order_relaxed);
		y = atomic_load_explicit(&b, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&seq, memory_order_relaxed) != s);
	assert(x == y);
	return 0;
}

int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, w, 0);
	pthread_create(&t, 0, r, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
}
