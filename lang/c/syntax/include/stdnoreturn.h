#ifndef _FP_STDNORETURN_H
#define _FP_STDNORETURN_H
#define noreturn _Noreturn
#endif
