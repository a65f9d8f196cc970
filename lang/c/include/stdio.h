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
int scanf(const char *, ...);
int sscanf(const char *, const char *, ...);
int fscanf(FILE *, const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int getchar(void);
int fclose(FILE *);
FILE *fopen(const char *, const char *);
#endif
