// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Head and tail of a queue packed into 64 bits with shifts, inline helpers, uintptr casts. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdint.h>
#include <inttypes.h>
#include <assert.h>
#include <stdio.h>
#define PACK(h, t) (((uint64_t)(uint32_t)(h) << 32) | (uint32_t)(t))
#define HEAD(x) ((uint32_t)((x) >> 32))
#define TAIL(x) ((uint32_t)(x))
static _Atomic uint64_t word = PACK(0xffffffffu, 0xffffffffu);
static inline uint64_t bump(uint64_t w, int head) { return head ? PACK(HEAD(w) + 1, TAIL(w)) : PACK(HEAD(w), TAIL(w) + 1); }
static void *f(void *p)
{
	uint64_t w = atomic_load_explicit(&word, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&word, &w, bump(w, p != 0), memory_order_acq_rel, memory_order_relaxed))
		;
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (intptr_t i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)(i & 1));
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	uint64_t w = word;
	printf("%" PRIu64 "\n", w);
	assert(HEAD(w) == 0 && TAIL(w) == 1);
	return 0;
}
