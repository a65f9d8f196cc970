#ifndef _FP_SYS_SYSCALL_H
#define _FP_SYS_SYSCALL_H
#include <unistd.h>
#include <stdint.h>
#define __NR_futex 202
#define __NR_sched_yield 24
#define __NR_getpid 39
#define __NR_gettid 186
#define SYS_futex __NR_futex
#define SYS_sched_yield __NR_sched_yield
#define SYS_getpid __NR_getpid
#define SYS_gettid __NR_gettid
#endif
