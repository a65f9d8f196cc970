// sc SAFE tso UNSAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#define R memory_order_relaxed
atomic_long top, bottom;
atomic_int buf[4];
int got[3];
void push(int v) {
	long b = atomic_load_explicit(&bottom, R);
	atomic_store_explicit(&buf[b % 4], v, R);
	atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

int take(void) {
	long b = atomic_load_explicit(&bottom, R) - 1;
	atomic_store_explicit(&bottom, b, R);
	long t = atomic_load_explicit(&top, R);
	int v = 0;
	if (t <= b) {
		v = atomic_load_explicit(&buf[b % 4], R);
		if (t == b) {
			if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, R, R)) v = 0;
			atomic_store_explicit(&bottom, b + 1, R);
		}
	}
	else atomic_store_explicit(&bottom, b + 1, R);
	return v;
}

int steal(void) {
	long t = atomic_load_explicit(&top, memory_order_acquire);
	long b = atomic_load_explicit(&bottom, memory_order_acquire);
	if (t < b) {
		int v = atomic_load_explicit(&buf[t % 4], R);
		if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, R)) return v;
	} return 0;
}

void *thief(void *a) {
	int v;
	for (int i = 0; i < 2; i++) if ((v = steal())) {
		int n = __sync_fetch_and_add(&got[v], 1);
		assert(n == 0);
	} return 0;
}

int main(void) {
	pthread_t t;
	push(1);
	push(2);
	pthread_create(&t, 0, thief, 0);
	for (int i = 0; i < 2; i++) {
		int v = take();
		if (v) {
			int n = __sync_fetch_and_add(&got[v], 1);
			assert(n == 0);
		}
	}
	pthread_join(t, 0);
}
