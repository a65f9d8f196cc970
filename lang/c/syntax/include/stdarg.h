#ifndef _FP_STDARG_H
#define _FP_STDARG_H
typedef __builtin_va_list va_list;
#define va_start(ap, ...) __fp_va_start(ap)
#define va_end(ap) ((void)0)
#define va_arg(ap, type) ((type)__fp_va_arg(ap))
#define va_copy(a, b) __fp_va_copy(a, b)
#endif
