#ifndef _FP_LINUX_MUTEX_H
#define _FP_LINUX_MUTEX_H
#include <linux/kernel.h>
struct mutex { int locked; };
#define DEFINE_MUTEX(m) struct mutex m = { 0 }
#define mutex_init(m) ((void)((m)->locked = 0))
#define mutex_lock(m) __fp_spin_lock(&(m)->locked)
#define mutex_unlock(m) __fp_spin_unlock(&(m)->locked)
#define mutex_trylock(m) __fp_spin_trylock(&(m)->locked)
#define mutex_is_locked(m) __fp_spin_is_locked(&(m)->locked)
#endif
