// sc SAFE tso SAFE pso UNSAFE
/* Bits of a map as locks: test_and_set_bit and clear_bit_unlock. */
#include <pthread.h>
#include <assert.h>
#include <limits.h>
#define BITS_PER_LONG (sizeof(long) * CHAR_BIT)
#define BIT_MASK(nr) (1UL << ((nr) % BITS_PER_LONG))
#define BIT_WORD(nr) ((nr) / BITS_PER_LONG)
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DECLARE_BITMAP(name, bits) unsigned long name[DIV_ROUND_UP(bits, BITS_PER_LONG)]
static DECLARE_BITMAP(map, 100);
static int test_and_set_bit_lock(int nr, unsigned long *addr)
{
	unsigned long mask = BIT_MASK(nr), *p = addr + BIT_WORD(nr);
	return (__atomic_fetch_or(p, mask, __ATOMIC_ACQUIRE) & mask) != 0;
}
static void __clear_bit_unlock(int nr, unsigned long *addr)
{
	unsigned long *p = addr + BIT_WORD(nr);
	unsigned long old = __atomic_load_n(p, __ATOMIC_RELAXED);
	old &= ~BIT_MASK(nr);
	__atomic_store_n(p, old, __ATOMIC_RELEASE);
}
static int owner;
static void *f(void *arg)
{
	int me = (long)arg;
	while (test_and_set_bit_lock(70, map))
		;
	owner = me;
	assert(owner == me);
	__clear_bit_unlock(70, map);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 1; i <= 2; i++)
		pthread_create(&t[i - 1], 0, f, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
