#ifndef _FP_STDARG_H
#define _FP_STDARG_H
typedef __builtin_va_list va_list;
#define va_start(ap, last) ((void)0)
#define va_end(ap) ((void)0)
#define va_arg(ap, type) (*(type *)__fp_refuse(ap, "a function with variable arguments"))
#define va_copy(a, b) ((void)0)
#endif
