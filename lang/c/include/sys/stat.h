#ifndef _FP_SYS_STAT_H
#define _FP_SYS_STAT_H
#include <unistd.h>
#include <stdint.h>
#endif
