#ifndef _FP_UCHAR_H
#define _FP_UCHAR_H
#include <stddef.h>
typedef unsigned short char16_t;
typedef unsigned int char32_t;
#endif
