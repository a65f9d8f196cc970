#ifndef _FP_SYS_TIME_H
#define _FP_SYS_TIME_H
#include <unistd.h>
#include <stdint.h>
#include <time.h>
struct timeval {
	time_t tv_sec;
	long tv_usec;
};
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timercmp(a, b, op) ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op (b)->tv_usec : (a)->tv_sec op (b)->tv_sec)
#define timeradd(a, b, r) do { \
	(r)->tv_sec = (a)->tv_sec + (b)->tv_sec; \
	(r)->tv_usec = (a)->tv_usec + (b)->tv_usec; \
	if ((r)->tv_usec >= 1000000) { \
		(r)->tv_sec++; \
		(r)->tv_usec -= 1000000; \
	} \
} while (0)
#define timersub(a, b, r) do { \
	(r)->tv_sec = (a)->tv_sec - (b)->tv_sec; \
	(r)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
	if ((r)->tv_usec < 0) { \
		(r)->tv_sec--; \
		(r)->tv_usec += 1000000; \
	} \
} while (0)
struct timezone {
	int tz_minuteswest, tz_dsttime;
};
int gettimeofday(struct timeval *, void *);
struct itimerval {
	struct timeval it_interval, it_value;
};
enum { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
int setitimer(int, const struct itimerval *, struct itimerval *), getitimer(int, struct itimerval *);
#endif
