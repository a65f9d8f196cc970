#ifndef _FP_SYS_SYSCALL_H
#define _FP_SYS_SYSCALL_H
#include <unistd.h>
#include <stdint.h>
#endif
