#ifndef _FP_STDCKDINT_H
#define _FP_STDCKDINT_H
#define __STDC_VERSION_STDCKDINT_H__ 202311L
#define ckd_add(r, x, y) __builtin_add_overflow(x, y, r)
#define ckd_sub(r, x, y) __builtin_sub_overflow(x, y, r)
#define ckd_mul(r, x, y) __builtin_mul_overflow(x, y, r)
#endif
