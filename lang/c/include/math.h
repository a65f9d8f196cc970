#ifndef _FP_MATH_H
#define _FP_MATH_H
#endif
