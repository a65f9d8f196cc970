// sc SAFE tso SAFE
#include <stdatomic.h>
#include <stdint.h>
#include <pthread.h>
#include <assert.h>
typedef union {
	struct {
		uint32_t idx, tag;
	};
	uint64_t raw;
} ptr_t;
_Atomic uint64_t top;
uint32_t next[4];
int own[4];
void push(uint32_t i) {
	ptr_t o, n;
	o.raw = atomic_load(&top);
	do {
		next[i] = o.idx;
		n.idx = i;
		n.tag = o.tag + 1;
	} while (!atomic_compare_exchange_weak(&top, &o.raw, n.raw));
}

uint32_t pop(void) {
	ptr_t o, n;
	o.raw = atomic_load(&top);
	do {
		if (!o.idx) return 0;
		n.idx = next[o.idx];
		n.tag = o.tag + 1;
	} while (!atomic_compare_exchange_weak(&top, &o.raw, n.raw));
	return o.idx;
}

void *t(void *a) {
	uint32_t i = pop();
	if (i) {
		assert(__sync_fetch_and_add(&own[i], 1) == 0);
		__sync_fetch_and_sub(&own[i], 1);
		push(i);
	} return 0;
}

int main(void) {
	push(1);
	push(2);
	pthread_t x, y;
	pthread_create(&x, 0, t, 0);
	pthread_create(&y, 0, t, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	assert(pop() && pop() && !pop());
}
