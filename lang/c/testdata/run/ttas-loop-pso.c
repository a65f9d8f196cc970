// sc SAFE tso SAFE pso UNSAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdbool.h>
atomic_bool l;
int in;
static void *thr(void *a) {
	while (1) {
		do {
			while (atomic_load_explicit(&l, memory_order_relaxed)) ;
		} while (atomic_exchange_explicit(&l, true, memory_order_acquire));
		in++;
		assert(in == 1);
		in--;
		atomic_store_explicit(&l, false, memory_order_release);
	}
}

int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, thr, 0);
	pthread_create(&t, 0, thr, 0);
	pthread_join(s, 0);
}
