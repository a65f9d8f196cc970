#ifndef _FP_SYS_MMAN_H
#define _FP_SYS_MMAN_H
#include <unistd.h>
#include <stdint.h>
#endif
