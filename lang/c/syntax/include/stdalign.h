#ifndef _FP_STDALIGN_H
#define _FP_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
