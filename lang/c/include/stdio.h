#ifndef _FP_STDIO_H
#define _FP_STDIO_H
#include <stddef.h>
#include <stdarg.h>
typedef struct __fp_file FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int puts(const char *);
int putchar(int);
int fputs(const char *, FILE *);
int fputc(int, FILE *);
int putc(int, FILE *);
int fflush(FILE *);
void perror(const char *);
#endif
