// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* Anderson's lock: an array of flags, padded. */
#include <stdatomic.h>
#include <stdbool.h>
#include <pthread.h>
#include <assert.h>
#define MAX 2
struct slot { _Alignas(64) atomic_bool can; };
static struct slot slots[MAX] = { { true }, { false } };
static atomic_uint tail;
static int counter;
static unsigned acquire(void)
{
	unsigned my = atomic_fetch_add(&tail, 1) % MAX;
	while (!atomic_load_explicit(&slots[my].can, memory_order_acquire))
		;
	return my;
}
static void release(unsigned my)
{
	atomic_store_explicit(&slots[my].can, false, memory_order_relaxed);
	atomic_store_explicit(&slots[(my + 1) % MAX].can, true, memory_order_release);
}
static void *f(void *a)
{
	unsigned s = acquire();
	counter++;
	release(s);
	return 0;
}
int main(void)
{
	_Static_assert(sizeof(struct slot) == 64, "padded");
	pthread_t t[MAX];
	for (int i = 0; i < MAX; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < MAX; i++) pthread_join(t[i], 0);
	assert(counter == MAX);
	return 0;
}
