#ifndef _FP_SYS_WAIT_H
#define _FP_SYS_WAIT_H
#include <unistd.h>
#include <stdint.h>
#endif
