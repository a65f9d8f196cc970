#ifndef _FP_UNISTD_H
#define _FP_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
typedef int pid_t;
typedef unsigned useconds_t;
int usleep(useconds_t);
unsigned sleep(unsigned);
pid_t getpid(void);
ssize_t read(int, void *, size_t), write(int, const void *, size_t);
int close(int), getopt(int, char *const *, const char *);
long sysconf(int), syscall(long, ...);
unsigned alarm(unsigned);
_Noreturn void _exit(int);
#define _SC_NPROCESSORS_ONLN 84
#endif
