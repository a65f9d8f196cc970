#ifndef _FP_SYS_WAIT_H
#define _FP_SYS_WAIT_H
#include <unistd.h>
#include <stdint.h>
pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
#endif
