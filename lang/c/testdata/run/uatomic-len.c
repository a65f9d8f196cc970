// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* liburcu: operations of several sizes, chosen by sizeof. */
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
static inline void _uatomic_link_error(void) { __builtin_trap(); }
static inline unsigned long _uatomic_xchg(void *addr, unsigned long val, int len)
{
	switch (len) {
	case 1: return __sync_lock_test_and_set((uint8_t *)addr, (uint8_t)val);
	case 2: return __sync_lock_test_and_set((uint16_t *)addr, (uint16_t)val);
	case 4: return __sync_lock_test_and_set((uint32_t *)addr, (uint32_t)val);
	case 8: return __sync_lock_test_and_set((uint64_t *)addr, val);
	}
	_uatomic_link_error();
	return 0;
}
static inline unsigned long _uatomic_cmpxchg(void *addr, unsigned long old, unsigned long _new, int len)
{
	switch (len) {
	case 4: return __sync_val_compare_and_swap_4((uint32_t *)addr, old, _new);
	case 8: return __sync_val_compare_and_swap_8((uint64_t *)addr, old, _new);
	}
	_uatomic_link_error();
	return 0;
}
static inline void _uatomic_add(void *addr, unsigned long val, int len)
{
	switch (len) {
	case 4: {
		__asm__ __volatile__("lock; addl %1, %0" : "=m"(*(uint32_t *)addr) : "ir"((uint32_t)val) : "memory");
		return;
	}
	case 8: {
		__asm__ __volatile__("lock; addq %1, %0" : "=m"(*(uint64_t *)addr) : "er"((unsigned long)val) : "memory");
		return;
	}
	}
	_uatomic_link_error();
}
#define uatomic_xchg(addr, v) ((__typeof__(*(addr)))_uatomic_xchg((addr), (unsigned long)(v), sizeof(*(addr))))
#define uatomic_cmpxchg(addr, old, _new) \
	((__typeof__(*(addr)))_uatomic_cmpxchg((addr), (unsigned long)(old), (unsigned long)(_new), sizeof(*(addr))))
#define uatomic_add(addr, v) _uatomic_add((addr), (unsigned long)(v), sizeof(*(addr)))
#define uatomic_read(addr) (*(volatile __typeof__(*(addr)) *)(addr))
static int32_t word;
static long counter;
static uint8_t flag;
static void *inc(void *a)
{
	int32_t old = uatomic_read(&word), seen;
	while ((seen = uatomic_cmpxchg(&word, old, old + 1)) != old)
		old = seen;
	uatomic_add(&counter, 2);
	return (void *)(long)uatomic_xchg(&flag, 1);
}
int main(void)
{
	pthread_t t, u;
	void *a, *b;
	pthread_create(&t, 0, inc, 0);
	pthread_create(&u, 0, inc, 0);
	pthread_join(t, &a);
	pthread_join(u, &b);
	assert(word == 2 && counter == 4);
	assert((long)a + (long)b == 1);
	return 0;
}
