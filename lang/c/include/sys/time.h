#ifndef _FP_SYS_TIME_H
#define _FP_SYS_TIME_H
#include <unistd.h>
#include <stdint.h>
#endif
