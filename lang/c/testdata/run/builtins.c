// sc SAFE
#include <assert.h>
int main(void) {
	int x = 5, e = 5, o;
	assert(__atomic_compare_exchange_n(&x, &e, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	__atomic_load(&x, &o, __ATOMIC_ACQUIRE);
	assert(o == 6);
	int v = 9;
	__atomic_store(&x, &v, __ATOMIC_RELEASE);
	__atomic_exchange(&x, &e, &o, __ATOMIC_ACQ_REL);
	assert(o == 9 && x == 5);
	assert(__atomic_fetch_or(&x, 2, 0) == 5 && x == 7);
	assert(__sync_lock_test_and_set(&x, 1) == 7);
	__sync_lock_release(&x);
	assert(x == 0);
	assert(__builtin_popcount(7) == 3 && __builtin_clz(1) == 31 && __builtin_ctz(8) == 3 && __builtin_ffs(0) == 0);
	assert(__builtin_expect(x == 0, 1));
	int r;
	assert(__builtin_add_overflow(2147483647, 1, &r) && r == -2147483648);
	assert(!__builtin_mul_overflow(3, 4, &r) && r == 12);
}
