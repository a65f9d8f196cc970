#ifndef _FP_CTYPE_H
#define _FP_CTYPE_H
#endif
