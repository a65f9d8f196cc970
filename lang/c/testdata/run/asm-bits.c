// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
#define BIT 3
static volatile uint32_t word;
static unsigned long flags = 0x81;

static inline int test_and_set_bit(int nr, volatile uint32_t *p) {
	uint8_t old;
	asm volatile("lock; btsl %2,%1; setc %0" : "=q"(old), "+m"(*p) : "Ir"(nr) : "memory", "cc");
	return old;
}

static inline _Bool test_and_clear_bit(long nr, volatile unsigned long *p) {
	_Bool old;
	asm volatile("lock btrq %[nr], %[p]\n\tsetb %[old]" : [old] "=q"(old), [p] "+m"(*p) : [nr] "r"(nr) : "memory", "cc");
	return old;
}

static inline int test_bit(uint32_t v, uint32_t nr) {
	uint8_t set;
	asm("btl %2, %1; setnc %0" : "=q"(set) : "r"(v), "r"(nr) : "cc");
	return !set;
}

static inline uint32_t flip(uint32_t v, uint32_t nr) {
	asm("btcl %1, %0" : "+r"(v) : "Ir"(nr) : "cc");
	return v;
}

int inside, n;

static void *t(void *a) {
	while (test_and_set_bit(BIT, &word)) asm volatile("pause" ::: "memory");
	assert(!inside);
	inside = 1;
	n++;
	inside = 0;
	asm volatile("lock; andl %1, %0" : "+m"(word) : "r"(~(1u << BIT)) : "memory");
	return 0;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, t, 0);
	pthread_create(&b, 0, t, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(n == 2 && word == 0);
	assert(test_and_clear_bit(7, &flags) && !test_and_clear_bit(7, &flags) && flags == 1);
	assert(test_bit(0x80000000u, 31) && test_bit(2, 33) && !test_bit(2, 2));
	assert(flip(5, 0) == 4 && flip(0, 31) == 0x80000000u && flip(0, 36) == 16);
}
