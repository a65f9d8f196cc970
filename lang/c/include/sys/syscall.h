#ifndef _FP_SYS_SYSCALL_H
#define _FP_SYS_SYSCALL_H
#include <unistd.h>
#include <stdint.h>
#define __NR_futex 202
#define SYS_futex __NR_futex
#endif
