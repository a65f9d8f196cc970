#ifndef _FP_STDLIB_H
#define _FP_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void *memalign(size_t, size_t);
void *reallocarray(void *, size_t, size_t), *valloc(size_t), *pvalloc(size_t);
void free(void *);
_Noreturn void abort(void);
_Noreturn void exit(int);
_Noreturn void _Exit(int);
int atexit(void (*)(void));
int atoi(const char *);
int rand(void);
void srand(unsigned);
int rand_r(unsigned *);
long random(void);
void srandom(unsigned);
int abs(int);
char *getenv(const char *);
int setenv(const char *, const char *, int), unsetenv(const char *), putenv(char *);
unsigned arc4random(void), arc4random_uniform(unsigned);
void arc4random_buf(void *, size_t);
double atof(const char *);
double strtod(const char *, char **);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
int system(const char *);
void quick_exit(int);
double drand48(void);
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
static inline div_t div(int __a, int __b) { div_t __r = {__a / __b, __a % __b}; return __r; }
static inline ldiv_t ldiv(long __a, long __b) { ldiv_t __r = {__a / __b, __a % __b}; return __r; }
static inline lldiv_t lldiv(long long __a, long long __b) { lldiv_t __r = {__a / __b, __a % __b}; return __r; }
static inline long labs(long __n) { return __n < 0 ? -__n : __n; }
static inline long long llabs(long long __n) { return __n < 0 ? -__n : __n; }
static inline int __fp_digit(int __c) {
	if (__c >= '0' && __c <= '9')
		return __c - '0';
	if (__c >= 'a' && __c <= 'z')
		return __c - 'a' + 10;
	if (__c >= 'A' && __c <= 'Z')
		return __c - 'A' + 10;
	return 99;
}
/* The number at the beginning of a string; *__over tells of one that is larger than the limit. */
static inline unsigned long __fp_number(const char *__s, char **__end, int __base, unsigned long __limit, int *__minus, int *__over) {
	const char *__p = __s;
	unsigned long __n = 0;
	int __any = 0, __d;
	*__minus = *__over = 0;
	if (__base < 0 || __base == 1 || __base > 36) {
		__fp_errno(22); /* EINVAL */
		return 0;
	}
	while (*__p == ' ' || *__p >= 9 && *__p <= 13)
		__p++;
	if (*__p == '-' || *__p == '+')
		*__minus = *__p++ == '-';
	if ((__base == 0 || __base == 16) && __p[0] == '0' && (__p[1] == 'x' || __p[1] == 'X') && __fp_digit(__p[2]) < 16) {
		__p += 2;
		__base = 16;
	}
	if (__base == 0)
		__base = *__p == '0' ? 8 : 10;
	for (; (__d = __fp_digit(*__p)) < __base; __p++) {
		__any = 1;
		if (__n > (__limit + *__minus - __d) / __base)
			*__over = 1;
		__n = __n * __base + __d;
	}
	if (__end)
		*__end = (char *)(__any ? __p : __s);
	return __n;
}
static inline long strtol(const char *__s, char **__end, int __base) {
	int __minus, __over;
	unsigned long __n = __fp_number(__s, __end, __base, 9223372036854775807ul, &__minus, &__over);
	if (__over)
		__fp_errno(34); /* ERANGE */
	if (__over)
		return __minus ? -9223372036854775807l - 1 : 9223372036854775807l;
	return __minus ? (long)-__n : (long)__n;
}
static inline unsigned long strtoul(const char *__s, char **__end, int __base) {
	int __minus, __over;
	unsigned long __n = __fp_number(__s, __end, __base, 18446744073709551614ul, &__minus, &__over);
	if (__over)
		__fp_errno(34);
	if (__over)
		return 18446744073709551615ul;
	return __minus ? -__n : __n;
}
static inline long long strtoll(const char *__s, char **__end, int __base) { return strtol(__s, __end, __base); }
static inline unsigned long long strtoull(const char *__s, char **__end, int __base) { return strtoul(__s, __end, __base); }
static inline long atol(const char *__s) { return strtol(__s, (char **)0, 10); }
static inline long long atoll(const char *__s) { return strtol(__s, (char **)0, 10); }
#endif
