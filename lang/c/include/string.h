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
char *strdup(const char *), *strrchr(const char *, int), *strstr(const char *, const char *), *strtok(char *, const char *);
char *strtok_r(char *, const char *, char **);
char *strncat(char *, const char *, size_t);
void *memchr(const void *, int, size_t);
size_t strnlen(const char *, size_t);
#endif
