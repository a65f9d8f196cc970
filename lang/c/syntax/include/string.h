#ifndef _FP_STRING_H
#define _FP_STRING_H
#include <stddef.h>
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strchr(const char *, int);
char *strerror(int);
#ifdef _GNU_SOURCE
char *strerror_r(int, char *, size_t);
#else
int strerror_r(int, char *, size_t);
#endif
size_t strlcpy(char *, const char *, size_t), strlcat(char *, const char *, size_t);
void *memccpy(void *, const void *, int, size_t);
char *strrchr(const char *, int), *strtok(char *, const char *);
char *strtok_r(char *, const char *, char **);
char *strncat(char *, const char *, size_t);
void *memchr(const void *, int, size_t);
size_t strnlen(const char *, size_t);
size_t strspn(const char *, const char *), strcspn(const char *, const char *);
char *strpbrk(const char *, const char *), *strsep(char **, const char *), *stpcpy(char *, const char *), *strchrnul(const char *, int);
void *mempcpy(void *, const void *, size_t), *memrchr(const void *, int, size_t);
int strcoll(const char *, const char *), strcasecmp(const char *, const char *), strncasecmp(const char *, const char *, size_t);
static inline char *strstr(const char *__s, const char *__t) {
	size_t __i;
	for (;; __s++) {
		for (__i = 0; __t[__i] && __s[__i] == __t[__i]; __i++)
			;
		if (!__t[__i])
			return (char *)__s;
		if (!*__s)
			return (char *)0;
	}
}
static inline char *strdup(const char *__s) {
	char *__p = (char *)__fp_malloc(strlen(__s) + 1);
	return __p ? strcpy(__p, __s) : (char *)0;
}
static inline char *strndup(const char *__s, size_t __max) {
	size_t __n = strnlen(__s, __max);
	char *__p = (char *)__fp_malloc(__n + 1);
	if (!__p)
		return (char *)0;
	for (size_t __i = 0; __i < __n; __i++)
		__p[__i] = __s[__i];
	__p[__n] = 0;
	return __p;
}
#endif
