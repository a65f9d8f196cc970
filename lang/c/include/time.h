#ifndef _FP_TIME_H
#define _FP_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec {
	time_t tv_sec;
	long tv_nsec;
};
struct tm {
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year;
};
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCKS_PER_SEC 1000000L
#define TIME_UTC 1
time_t time(time_t *);
clock_t clock(void);
int nanosleep(const struct timespec *, struct timespec *);
int clock_gettime(clockid_t, struct timespec *);
int timespec_get(struct timespec *, int);
#endif
