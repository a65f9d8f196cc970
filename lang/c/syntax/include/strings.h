#ifndef _FP_STRINGS_H
#define _FP_STRINGS_H
#include <string.h>
void bzero(void *, size_t);
#define bcopy(p, q, n) ((void)memmove((q), (p), (n)))
#define bcmp(p, q, n) memcmp((p), (q), (n))
#endif
