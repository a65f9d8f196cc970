// sc SAFE tso SAFE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <assert.h>
#define N 3
struct {
	uint32_t next;
	int v;
} pool[N + 1];
_Atomic uint64_t top;
#define IDX(x) ((uint32_t)(x))
#define TAG(x) ((x) >> 32)
static void push(uint32_t i) {
	uint64_t o = atomic_load(&top);
	do pool[i].next = IDX(o);
	while (!atomic_compare_exchange_weak(&top, &o, (TAG(o) + 1) << 32 | i));
}

static uint32_t pop(void) {
	uint64_t o = atomic_load(&top);
	uint32_t n;
	do {
		if (!IDX(o)) return 0;
		n = pool[IDX(o)].next;
	} while (!atomic_compare_exchange_weak(&top, &o, (TAG(o) + 1) << 32 | n));
	return IDX(o);
}

int own[N + 1];
void *t(void *a) {
	uint32_t i = pop();
	if (i) {
		assert(__sync_fetch_and_add(&own[i], 1) == 0);
		__sync_fetch_and_sub(&own[i], 1);
		push(i);
	} return 0;
}

int main(void) {
	for (int i = 1; i <= 2; i++) push(i);
	pthread_t x, y;
	pthread_create(&x, 0, t, 0);
	pthread_create(&y, 0, t, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	assert(pop() && pop() && !pop());
}
