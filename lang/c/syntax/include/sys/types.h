#ifndef _FP_SYS_TYPES_H
#define _FP_SYS_TYPES_H
#include <unistd.h>
#include <stdint.h>
#endif
