#ifndef _FP_SYS_RESOURCE_H
#define _FP_SYS_RESOURCE_H
#include <sys/time.h>
struct rusage {
	struct timeval ru_utime, ru_stime;
	long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
typedef unsigned long rlim_t;
struct rlimit {
	rlim_t rlim_cur, rlim_max;
};
enum { RUSAGE_SELF = 0, RUSAGE_CHILDREN = -1, RUSAGE_THREAD = 1, PRIO_PROCESS = 0, RLIMIT_STACK = 3, RLIMIT_CORE = 4, RLIMIT_NPROC = 6, RLIMIT_NOFILE = 7, RLIMIT_AS = 9 };
int getrusage(int, struct rusage *), getrlimit(int, struct rlimit *), setrlimit(int, const struct rlimit *), setpriority(int, unsigned, int);
#endif
