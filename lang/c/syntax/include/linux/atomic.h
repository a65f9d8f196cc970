#ifndef _FP_LINUX_ATOMIC_H
#define _FP_LINUX_ATOMIC_H
#include <fencepost.h>
#include <linux/types.h>
#define ATOMIC_INIT(i) { (i) }
#define ATOMIC_LONG_INIT(i) { (i) }
#define ATOMIC64_INIT(i) { (i) }
#define __FP_ATOMIC(pre, T, base) \
	static inline void pre##_add(base i, T *v) { __fp_noreturn(__fp_fetch_add(&v->counter, i, __ATOMIC_RELAXED)); } \
	static inline void pre##_sub(base i, T *v) { __fp_noreturn(__fp_fetch_sub(&v->counter, i, __ATOMIC_RELAXED)); } \
	static inline void pre##_inc(T *v) { __fp_noreturn(__fp_fetch_add(&v->counter, 1, __ATOMIC_RELAXED)); } \
	static inline void pre##_dec(T *v) { __fp_noreturn(__fp_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED)); } \
	static inline void pre##_and(base i, T *v) { __fp_noreturn(__fp_fetch_and(&v->counter, i, __ATOMIC_RELAXED)); } \
	static inline void pre##_or(base i, T *v) { __fp_noreturn(__fp_fetch_or(&v->counter, i, __ATOMIC_RELAXED)); } \
	static inline void pre##_xor(base i, T *v) { __fp_noreturn(__fp_fetch_xor(&v->counter, i, __ATOMIC_RELAXED)); } \
	static inline void pre##_andnot(base i, T *v) { __fp_noreturn(__fp_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED)); } \
	static inline bool pre##_sub_and_test(base i, T *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST) == i; } \
	static inline bool pre##_dec_and_test(T *v) { return __fp_fetch_sub(&v->counter, 1, __ATOMIC_SEQ_CST) == 1; } \
	static inline bool pre##_inc_and_test(T *v) { return __fp_fetch_add(&v->counter, 1, __ATOMIC_SEQ_CST) == -1; } \
	static inline bool pre##_add_negative(base i, T *v) { return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST) < 0; } \
	static inline base pre##_fetch_add_unless(T *v, base a, base u) { return __fp_add_unless(&v->counter, a, u); } \
	static inline bool pre##_add_unless(T *v, base a, base u) { return pre##_fetch_add_unless(v, a, u) != u; } \
	static inline bool pre##_inc_not_zero(T *v) { return pre##_fetch_add_unless(v, 1, 0) != 0; } \
	static inline base pre##_dec_if_positive(T *v) { return (base)((unsigned long)__fp_dec_if_positive(&v->counter) - 1); }
#define __FP_ATOMIC_ORDER(pre, T, base, suffix, order) \
	static inline base pre##_add_return##suffix(base i, T *v) { return __atomic_add_fetch(&v->counter, i, order); } \
	static inline base pre##_sub_return##suffix(base i, T *v) { return __atomic_sub_fetch(&v->counter, i, order); } \
	static inline base pre##_inc_return##suffix(T *v) { return __atomic_add_fetch(&v->counter, 1, order); } \
	static inline base pre##_dec_return##suffix(T *v) { return __atomic_sub_fetch(&v->counter, 1, order); } \
	static inline base pre##_fetch_inc##suffix(T *v) { return __fp_fetch_add(&v->counter, 1, order); } \
	static inline base pre##_fetch_dec##suffix(T *v) { return __fp_fetch_sub(&v->counter, 1, order); } \
	static inline base pre##_fetch_andnot##suffix(base i, T *v) { return __fp_fetch_and(&v->counter, ~i, order); } \
	static inline base pre##_xchg##suffix(T *v, base i) { return __fp_exchange(&v->counter, i, order); } \
	static inline base pre##_cmpxchg##suffix(T *v, base e, base i) { return __fp_cmpxchg(&v->counter, e, i, order); } \
	static inline bool pre##_try_cmpxchg##suffix(T *v, base *e, base i) { return __fp_cas(&v->counter, e, i, order, __ATOMIC_RELAXED); }
typedef struct { int counter; } atomic_t;
#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))
__FP_ATOMIC(atomic, atomic_t, int)
__FP_ATOMIC_ORDER(atomic, atomic_t, int, , __ATOMIC_SEQ_CST)
__FP_ATOMIC_ORDER(atomic, atomic_t, int, _relaxed, __ATOMIC_RELAXED)
__FP_ATOMIC_ORDER(atomic, atomic_t, int, _acquire, __ATOMIC_ACQUIRE)
__FP_ATOMIC_ORDER(atomic, atomic_t, int, _release, __ATOMIC_RELEASE)
#ifndef atomic_fetch_add
static inline int atomic_fetch_add(int i, atomic_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST); }
#endif
static inline int atomic_fetch_add_relaxed(int i, atomic_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_RELAXED); }
static inline int atomic_fetch_add_acquire(int i, atomic_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline int atomic_fetch_add_release(int i, atomic_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_RELEASE); }
#ifndef atomic_fetch_sub
static inline int atomic_fetch_sub(int i, atomic_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST); }
#endif
static inline int atomic_fetch_sub_relaxed(int i, atomic_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_RELAXED); }
static inline int atomic_fetch_sub_acquire(int i, atomic_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline int atomic_fetch_sub_release(int i, atomic_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_RELEASE); }
#ifndef atomic_fetch_and
static inline int atomic_fetch_and(int i, atomic_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST); }
#endif
static inline int atomic_fetch_and_relaxed(int i, atomic_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_RELAXED); }
static inline int atomic_fetch_and_acquire(int i, atomic_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline int atomic_fetch_and_release(int i, atomic_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_RELEASE); }
#ifndef atomic_fetch_or
static inline int atomic_fetch_or(int i, atomic_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST); }
#endif
static inline int atomic_fetch_or_relaxed(int i, atomic_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_RELAXED); }
static inline int atomic_fetch_or_acquire(int i, atomic_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline int atomic_fetch_or_release(int i, atomic_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_RELEASE); }
#ifndef atomic_fetch_xor
static inline int atomic_fetch_xor(int i, atomic_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_SEQ_CST); }
#endif
static inline int atomic_fetch_xor_relaxed(int i, atomic_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_RELAXED); }
static inline int atomic_fetch_xor_acquire(int i, atomic_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline int atomic_fetch_xor_release(int i, atomic_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_RELEASE); }
typedef struct { long counter; } atomic_long_t;
#define atomic_long_read(v) READ_ONCE((v)->counter)
#define atomic_long_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_long_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_long_set_release(v, i) smp_store_release(&(v)->counter, (i))
__FP_ATOMIC(atomic_long, atomic_long_t, long)
__FP_ATOMIC_ORDER(atomic_long, atomic_long_t, long, , __ATOMIC_SEQ_CST)
__FP_ATOMIC_ORDER(atomic_long, atomic_long_t, long, _relaxed, __ATOMIC_RELAXED)
__FP_ATOMIC_ORDER(atomic_long, atomic_long_t, long, _acquire, __ATOMIC_ACQUIRE)
__FP_ATOMIC_ORDER(atomic_long, atomic_long_t, long, _release, __ATOMIC_RELEASE)
static inline long atomic_long_fetch_add(long i, atomic_long_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic_long_fetch_add_relaxed(long i, atomic_long_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic_long_fetch_add_acquire(long i, atomic_long_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic_long_fetch_add_release(long i, atomic_long_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic_long_fetch_sub(long i, atomic_long_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic_long_fetch_sub_relaxed(long i, atomic_long_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic_long_fetch_sub_acquire(long i, atomic_long_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic_long_fetch_sub_release(long i, atomic_long_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic_long_fetch_and(long i, atomic_long_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic_long_fetch_and_relaxed(long i, atomic_long_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic_long_fetch_and_acquire(long i, atomic_long_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic_long_fetch_and_release(long i, atomic_long_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic_long_fetch_or(long i, atomic_long_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic_long_fetch_or_relaxed(long i, atomic_long_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic_long_fetch_or_acquire(long i, atomic_long_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic_long_fetch_or_release(long i, atomic_long_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic_long_fetch_xor(long i, atomic_long_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic_long_fetch_xor_relaxed(long i, atomic_long_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic_long_fetch_xor_acquire(long i, atomic_long_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic_long_fetch_xor_release(long i, atomic_long_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_RELEASE); }
typedef struct { long counter; } atomic64_t;
#define atomic64_read(v) READ_ONCE((v)->counter)
#define atomic64_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic64_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic64_set_release(v, i) smp_store_release(&(v)->counter, (i))
__FP_ATOMIC(atomic64, atomic64_t, long)
__FP_ATOMIC_ORDER(atomic64, atomic64_t, long, , __ATOMIC_SEQ_CST)
__FP_ATOMIC_ORDER(atomic64, atomic64_t, long, _relaxed, __ATOMIC_RELAXED)
__FP_ATOMIC_ORDER(atomic64, atomic64_t, long, _acquire, __ATOMIC_ACQUIRE)
__FP_ATOMIC_ORDER(atomic64, atomic64_t, long, _release, __ATOMIC_RELEASE)
static inline long atomic64_fetch_add(long i, atomic64_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic64_fetch_add_relaxed(long i, atomic64_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic64_fetch_add_acquire(long i, atomic64_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic64_fetch_add_release(long i, atomic64_t *v) { return __fp_fetch_add(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic64_fetch_sub(long i, atomic64_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic64_fetch_sub_relaxed(long i, atomic64_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic64_fetch_sub_acquire(long i, atomic64_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic64_fetch_sub_release(long i, atomic64_t *v) { return __fp_fetch_sub(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic64_fetch_and(long i, atomic64_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic64_fetch_and_relaxed(long i, atomic64_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic64_fetch_and_acquire(long i, atomic64_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic64_fetch_and_release(long i, atomic64_t *v) { return __fp_fetch_and(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic64_fetch_or(long i, atomic64_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic64_fetch_or_relaxed(long i, atomic64_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic64_fetch_or_acquire(long i, atomic64_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic64_fetch_or_release(long i, atomic64_t *v) { return __fp_fetch_or(&v->counter, i, __ATOMIC_RELEASE); }
static inline long atomic64_fetch_xor(long i, atomic64_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_SEQ_CST); }
static inline long atomic64_fetch_xor_relaxed(long i, atomic64_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_RELAXED); }
static inline long atomic64_fetch_xor_acquire(long i, atomic64_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_ACQUIRE); }
static inline long atomic64_fetch_xor_release(long i, atomic64_t *v) { return __fp_fetch_xor(&v->counter, i, __ATOMIC_RELEASE); }
#define atomic_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))
#define atomic_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))
#endif
