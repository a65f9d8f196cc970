/* What programs for the kernel's model include: GenMC and Dat3M have one, too. */
#ifndef _FP_LKMM_H
#define _FP_LKMM_H
#include <pthread.h>
#include <linux/atomic.h>
#include <linux/spinlock.h>
#endif
