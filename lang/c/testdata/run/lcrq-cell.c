// sc SAFE tso SAFE pso SAFE
/* A double-width compare-exchange on a pair of index and value. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdint.h>
#include <assert.h>
typedef struct { uint32_t idx; uint32_t val; } cell_t;
static _Atomic(cell_t) cell;
static atomic_int won;
static void *f(void *p)
{
	uint32_t me = (uint32_t)(uintptr_t)p;
	cell_t old = atomic_load(&cell);
	cell_t new = { old.idx + 1, me };
	if (atomic_compare_exchange_strong(&cell, &old, new))
		atomic_fetch_add(&won, 1);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, (void *)1);
	pthread_create(&u, 0, f, (void *)2);
	pthread_join(t, 0);
	pthread_join(u, 0);
	cell_t c = atomic_load(&cell);
	assert(c.idx == (uint32_t)atomic_load(&won) && (c.val == 1 || c.val == 2));
	return 0;
}
