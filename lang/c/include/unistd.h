#ifndef _FP_UNISTD_H
#define _FP_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
typedef int pid_t;
typedef unsigned useconds_t;
int usleep(useconds_t);
unsigned sleep(unsigned);
pid_t getpid(void);
#endif
