#ifndef _FP_SCHED_H
#define _FP_SCHED_H
int sched_yield(void);
typedef struct {
	unsigned long __bits[1];
} cpu_set_t;
#define CPU_ZERO(s) ((void)0)
#define CPU_SET(n, s) ((void)0)
int sched_setaffinity();
int sched_getcpu(void);
struct sched_param {
	int sched_priority;
};
enum { SCHED_OTHER, SCHED_FIFO, SCHED_RR };
int sched_get_priority_max(int), sched_get_priority_min(int);
int sched_getparam(int, struct sched_param *), sched_setparam(int, const struct sched_param *);
#endif
