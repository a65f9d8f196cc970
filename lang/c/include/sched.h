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
#endif
