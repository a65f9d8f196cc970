#ifndef _FP_STRINGS_H
#define _FP_STRINGS_H
#include <string.h>
void bzero(void *, size_t);
#define bcopy(p, q, n) ((void)memmove((q), (p), (n)))
#define bcmp(p, q, n) memcmp((p), (q), (n))
static inline int strncasecmp(const char *__s, const char *__t, size_t __n) {
	for (; __n > 0; __n--, __s++, __t++) {
		int __a = *(const unsigned char *)__s, __b = *(const unsigned char *)__t;
		if (__a >= 'A' && __a <= 'Z') __a += 'a' - 'A';
		if (__b >= 'A' && __b <= 'Z') __b += 'a' - 'A';
		if (__a != __b || !__a) return __a - __b;
	}
	return 0;
}
static inline int strcasecmp(const char *__s, const char *__t) { return strncasecmp(__s, __t, -1); }
#endif
