// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A pool of nodes with a free list of indices and a tag against ABA, all in one array. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdint.h>
#include <assert.h>
#define POOL 3
#define NIL 0xffu
typedef struct { uint16_t tag; uint8_t idx; uint8_t pad; } head_t;
static struct { _Atomic uint8_t next; int owner; } pool[POOL];
static _Atomic uint32_t head;
static uint32_t mk(uint32_t tag, uint32_t idx) { return (tag & 0xffff) << 8 | idx; }
static uint32_t get(void)
{
	uint32_t h = atomic_load(&head);
	do {
		if ((h & 0xff) == NIL)
			return NIL;
	} while (!atomic_compare_exchange_weak(&head, &h, mk((h >> 8) + 1, atomic_load(&pool[h & 0xff].next))));
	return h & 0xff;
}
static void put(uint32_t i)
{
	uint32_t h = atomic_load(&head);
	do
		atomic_store(&pool[i].next, (uint8_t)(h & 0xff));
	while (!atomic_compare_exchange_weak(&head, &h, mk((h >> 8) + 1, i)));
}
static void *f(void *p)
{
	int me = (int)(intptr_t)p;
	uint32_t i = get();
	if (i != NIL) {
		pool[i].owner = me;
		assert(pool[i].owner == me);
		put(i);
	}
	return 0;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < POOL; i++) atomic_init(&pool[i].next, i + 1 < POOL ? i + 1 : NIL);
	for (intptr_t i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)(i + 1));
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	int n = 0;
	while (get() != NIL) n++;
	assert(n == POOL);
	return 0;
}
