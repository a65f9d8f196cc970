#ifndef _FP_SIGNAL_H
#define _FP_SIGNAL_H
typedef int sig_atomic_t;
#endif
