#ifndef _FP_STDIO_H
#define _FP_STDIO_H
#include <stddef.h>
#include <stdarg.h>
#ifndef _FP_UNISTD_H
typedef long ssize_t, off_t;
#endif
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
int dprintf(int, const char *, ...), vdprintf(int, const char *, va_list);
int getchar(void);
int fclose(FILE *);
FILE *fopen(const char *, const char *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
char *fgets(char *, int, FILE *);
int fgetc(FILE *), getc(FILE *), ungetc(int, FILE *), feof(FILE *), ferror(FILE *);
int vsprintf(char *, const char *, va_list), vsnprintf(char *, size_t, const char *, va_list);
void setbuf(FILE *, char *);
int setvbuf(FILE *, char *, int, size_t);
ssize_t getline(char **, size_t *, FILE *), getdelim(char **, size_t *, int, FILE *);
int asprintf(char **, const char *, ...), vasprintf(char **, const char *, va_list);
int fseek(FILE *, long, int), fseeko(FILE *, off_t, int);
long ftell(FILE *);
off_t ftello(FILE *);
void rewind(FILE *), clearerr(FILE *), setlinebuf(FILE *);
int fileno(FILE *), remove(const char *), rename(const char *, const char *), pclose(FILE *);
FILE *tmpfile(void), *popen(const char *, const char *), *fdopen(int, const char *), *freopen(const char *, const char *, FILE *);
void flockfile(FILE *), funlockfile(FILE *);
int ftrylockfile(FILE *);
int getc_unlocked(FILE *), fgetc_unlocked(FILE *), getchar_unlocked(void), putc_unlocked(int, FILE *), fputc_unlocked(int, FILE *), putchar_unlocked(int);
int fputs_unlocked(const char *, FILE *), fflush_unlocked(FILE *), feof_unlocked(FILE *), ferror_unlocked(FILE *);
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define FILENAME_MAX 4096
#define BUFSIZ 8192
#define _IONBF 2
#define _IOLBF 1
#endif
