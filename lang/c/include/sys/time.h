#ifndef _FP_SYS_TIME_H
#define _FP_SYS_TIME_H
#include <unistd.h>
#include <stdint.h>
#include <time.h>
struct timeval {
	time_t tv_sec;
	long tv_usec;
};
int gettimeofday(struct timeval *, void *);
#endif
