#ifndef _FP_SETJMP_H
#define _FP_SETJMP_H
typedef long jmp_buf[8];
typedef long sigjmp_buf[8];
#define setjmp(b) __fp_refuse(b, "setjmp")
#define longjmp(b, v) __fp_refuse(b, "longjmp")
#define sigsetjmp(b, s) __fp_refuse(b, "sigsetjmp")
#define siglongjmp(b, v) __fp_refuse(b, "siglongjmp")
#endif
