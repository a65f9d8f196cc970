#ifndef _FP_LINUX_SPINLOCK_H
#define _FP_LINUX_SPINLOCK_H
#include <linux/kernel.h>
typedef struct { int locked; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
#define __SPIN_LOCK_UNLOCKED(l) { 0 }
#define DEFINE_SPINLOCK(l) spinlock_t l = __SPIN_LOCK_UNLOCKED(l)
#define DEFINE_RAW_SPINLOCK(l) raw_spinlock_t l = __SPIN_LOCK_UNLOCKED(l)
#define spin_lock_init(l) ((void)((l)->locked = 0))
#define spin_lock(l) __fp_spin_lock(&(l)->locked)
#define spin_unlock(l) __fp_spin_unlock(&(l)->locked)
#define spin_trylock(l) __fp_spin_trylock(&(l)->locked)
#define spin_is_locked(l) __fp_spin_is_locked(&(l)->locked)
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_irqsave(l, f) ((void)((f) = 0), spin_lock(l))
#define spin_unlock_irqrestore(l, f) ((void)(f), spin_unlock(l))
#define raw_spin_lock_init(l) spin_lock_init(l)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define raw_spin_trylock(l) spin_trylock(l)
#define raw_spin_is_locked(l) spin_is_locked(l)
#define raw_spin_lock_irq(l) spin_lock(l)
#define raw_spin_unlock_irq(l) spin_unlock(l)
#define raw_spin_lock_irqsave(l, f) spin_lock_irqsave(l, f)
#define raw_spin_unlock_irqrestore(l, f) spin_unlock_irqrestore(l, f)
#define lockdep_assert_held(l) ((void)0)
#endif
