#ifndef _FP_LINUX_BITOPS_H
#define _FP_LINUX_BITOPS_H
#include <linux/kernel.h>
#define __FP_WORD(nr, p) ((unsigned long *)(p) + (nr) / 64)
#define __FP_BIT(nr) (1UL << (nr) % 64)
static inline void set_bit(long nr, volatile unsigned long *p) { __fp_noreturn(__fp_fetch_or(__FP_WORD(nr, p), __FP_BIT(nr), __ATOMIC_RELAXED)); }
static inline void clear_bit(long nr, volatile unsigned long *p) { __fp_noreturn(__fp_fetch_and(__FP_WORD(nr, p), ~__FP_BIT(nr), __ATOMIC_RELAXED)); }
static inline void change_bit(long nr, volatile unsigned long *p) { __fp_noreturn(__fp_fetch_xor(__FP_WORD(nr, p), __FP_BIT(nr), __ATOMIC_RELAXED)); }
static inline void clear_bit_unlock(long nr, volatile unsigned long *p) { __fp_fetch_and(__FP_WORD(nr, p), ~__FP_BIT(nr), __ATOMIC_RELEASE); }
static inline bool test_and_set_bit(long nr, volatile unsigned long *p) { return __fp_fetch_or(__FP_WORD(nr, p), __FP_BIT(nr), __ATOMIC_SEQ_CST) & __FP_BIT(nr); }
static inline bool test_and_clear_bit(long nr, volatile unsigned long *p) { return __fp_fetch_and(__FP_WORD(nr, p), ~__FP_BIT(nr), __ATOMIC_SEQ_CST) & __FP_BIT(nr); }
static inline bool test_and_change_bit(long nr, volatile unsigned long *p) { return __fp_fetch_xor(__FP_WORD(nr, p), __FP_BIT(nr), __ATOMIC_SEQ_CST) & __FP_BIT(nr); }
static inline bool test_and_set_bit_lock(long nr, volatile unsigned long *p) { return __fp_fetch_or(__FP_WORD(nr, p), __FP_BIT(nr), __ATOMIC_ACQUIRE) & __FP_BIT(nr); }
static inline bool test_bit(long nr, const volatile unsigned long *p) { return READ_ONCE(*__FP_WORD(nr, p)) & __FP_BIT(nr); }
static inline bool test_bit_acquire(long nr, const volatile unsigned long *p) { return smp_load_acquire(__FP_WORD(nr, p)) & __FP_BIT(nr); }
static inline void __set_bit(long nr, volatile unsigned long *p) { *__FP_WORD(nr, p) |= __FP_BIT(nr); }
static inline void __clear_bit(long nr, volatile unsigned long *p) { *__FP_WORD(nr, p) &= ~__FP_BIT(nr); }
#endif
