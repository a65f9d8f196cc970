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
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
	long tm_gmtoff;
};
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define TIMER_ABSTIME 1
#define CLOCKS_PER_SEC 1000000L
#define TIME_UTC 1
time_t time(time_t *);
clock_t clock(void);
int nanosleep(const struct timespec *, struct timespec *);
int clock_gettime(clockid_t, struct timespec *);
int clock_getres(clockid_t, struct timespec *), clock_nanosleep(clockid_t, int, const struct timespec *, struct timespec *);
struct tm *localtime(const time_t *), *gmtime(const time_t *), *localtime_r(const time_t *, struct tm *), *gmtime_r(const time_t *, struct tm *);
size_t strftime(char *, size_t, const char *, const struct tm *);
char *ctime(const time_t *), *ctime_r(const time_t *, char *), *asctime(const struct tm *), *asctime_r(const struct tm *, char *);
time_t mktime(struct tm *), timegm(struct tm *), timelocal(struct tm *);
double difftime(time_t, time_t);
void tzset(void);
int timespec_get(struct timespec *, int);
#endif
