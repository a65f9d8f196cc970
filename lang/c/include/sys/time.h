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
struct itimerval {
	struct timeval it_interval, it_value;
};
enum { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
int setitimer(int, const struct itimerval *, struct itimerval *), getitimer(int, struct itimerval *);
#endif
