// sc SAFE tso SAFE rc11 SAFE
// the kernel's atomic operations and bits: what they give and what they leave behind
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <assert.h>

static atomic_t v = ATOMIC_INIT(5);
static atomic64_t w;
static unsigned long bits[2];

int main(void) {
	int e = 7;
	atomic_inc(&v);
	atomic_add(3, &v);
	atomic_dec(&v);
	atomic_sub(2, &v);
	assert(atomic_read(&v) == 6);
	assert(atomic_inc_return(&v) == 7 && atomic_dec_return_relaxed(&v) == 6);
	assert(atomic_add_return_acquire(4, &v) == 10 && atomic_sub_return_release(3, &v) == 7);
	assert(atomic_fetch_inc(&v) == 7 && atomic_fetch_dec(&v) == 8);
	assert(atomic_fetch_add(2, &v) == 7 && atomic_fetch_sub_relaxed(2, &v) == 9);
	assert(atomic_fetch_or(8, &v) == 7 && atomic_fetch_and(12, &v) == 15 && atomic_fetch_xor(5, &v) == 12);
	assert(atomic_fetch_andnot(1, &v) == 9 && atomic_read_acquire(&v) == 8);
	atomic_or(3, &v);
	atomic_andnot(1, &v);
	atomic_and(6, &v);
	atomic_xor(4, &v);
	assert(atomic_xchg(&v, 7) == 6);
	assert(atomic_cmpxchg(&v, 6, 1) == 7 && atomic_cmpxchg_acquire(&v, 7, 1) == 7);
	assert(!atomic_try_cmpxchg(&v, &e, 2) && e == 1 && atomic_try_cmpxchg(&v, &e, 2));
	assert(!atomic_dec_and_test(&v) && atomic_dec_and_test(&v));
	assert(!atomic_inc_not_zero(&v) && !atomic_add_unless(&v, 3, 0) && atomic_add_unless(&v, 3, 1));
	assert(atomic_fetch_add_unless(&v, 1, 3) == 3 && atomic_dec_if_positive(&v) == 2);
	assert(!atomic_add_negative(-2, &v) && atomic_add_negative(-1, &v) && atomic_inc_and_test(&v));
	assert(!atomic_sub_and_test(1, &v) && atomic_read(&v) == -1);
	atomic_set(&v, 9);
	atomic_set_release(&v, 4);
	assert(atomic_cond_read_acquire(&v, VAL == 4) == 4);
	atomic64_add(1L << 40, &w);
	assert(atomic64_read(&w) == 1099511627776L);
	set_bit(3, bits);
	__set_bit(64, bits);
	assert(bits[0] == 8 && bits[1] == 1 && test_bit(64, bits) && !test_bit(65, bits));
	assert(test_and_set_bit(3, bits) && test_and_clear_bit(3, bits) && !test_and_change_bit(3, bits));
	clear_bit_unlock(3, bits);
	assert(!test_and_set_bit_lock(3, bits));
	clear_bit(3, bits);
	change_bit(1, bits);
	assert(bits[0] == 2 && !WARN_ON(bits[0] != 2));
	BUG_ON(bits[1] != 1);
	return 0;
}
