#ifndef _FP_PTHREAD_H
#define _FP_PTHREAD_H
#include <stddef.h>
#include <sched.h>
#include <time.h>
typedef unsigned long pthread_t;
typedef unsigned pthread_key_t;
typedef struct {
	int __owner, __depth, __kind;
} pthread_mutex_t;
typedef struct {
	int __kind;
} pthread_mutexattr_t;
typedef struct {
	long __detached, __stack;
} pthread_attr_t;
typedef struct {
	int __waiting;
} pthread_cond_t;
typedef struct {
	int __unused;
} pthread_condattr_t;
typedef struct {
	long __writer, __readers;
} pthread_rwlock_t;
typedef struct {
	int __unused;
} pthread_rwlockattr_t;
typedef struct {
	int __owner;
} pthread_spinlock_t;
typedef struct {
	int __need, __waiting, __round, __left;
} pthread_barrier_t;
typedef struct {
	int __unused;
} pthread_barrierattr_t;
typedef struct {
	int __state;
} pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER {0, 0, 0}
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER {0, 0, PTHREAD_MUTEX_RECURSIVE}
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {0, 0, 1}
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {0, 0, 2}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_RWLOCK_INITIALIZER {0, 0}
#define PTHREAD_ONCE_INIT {0}
enum { PTHREAD_MUTEX_NORMAL = 0, PTHREAD_MUTEX_DEFAULT = 0, PTHREAD_MUTEX_RECURSIVE = 1, PTHREAD_MUTEX_ERRORCHECK = 2 };
enum { PTHREAD_CREATE_JOINABLE = 0, PTHREAD_CREATE_DETACHED = 1 };
enum { PTHREAD_SCOPE_SYSTEM = 0, PTHREAD_SCOPE_PROCESS = 1, PTHREAD_INHERIT_SCHED = 0, PTHREAD_EXPLICIT_SCHED = 1 };
enum { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT, PTHREAD_MUTEX_STALLED = 0, PTHREAD_MUTEX_ROBUST = 1 };
enum { PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_DEFERRED = 0, PTHREAD_CANCEL_ASYNCHRONOUS = 1 };
enum { PTHREAD_MUTEX_TIMED_NP = 0, PTHREAD_MUTEX_RECURSIVE_NP = 1, PTHREAD_MUTEX_ERRORCHECK_NP = 2, PTHREAD_MUTEX_ADAPTIVE_NP = 3, PTHREAD_MUTEX_FAST_NP = 0 };
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP {0, 0, 0}
enum { PTHREAD_PROCESS_PRIVATE = 0, PTHREAD_PROCESS_SHARED = 1 };
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_CANCELED ((void *)-1)
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
_Noreturn void pthread_exit(void *);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);
int pthread_detach(pthread_t);
int pthread_tryjoin_np(pthread_t, void **);
int pthread_timedjoin_np(pthread_t, void **, const struct timespec *);
int pthread_clockjoin_np(pthread_t, void **, int, const struct timespec *);
int pthread_yield(void);
int pthread_cancel(pthread_t);
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setdetachstate(pthread_attr_t *, int), pthread_attr_getdetachstate(const pthread_attr_t *, int *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_destroy(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *, int *);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_timedlock(pthread_mutex_t *, const struct timespec *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_rwlock_init(pthread_rwlock_t *, const pthread_rwlockattr_t *);
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int pthread_rwlock_trywrlock(pthread_rwlock_t *);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *, const struct timespec *);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *, const struct timespec *);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *, int, const struct timespec *);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *, int, const struct timespec *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_spin_init(pthread_spinlock_t *, int);
int pthread_spin_destroy(pthread_spinlock_t *);
int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_trylock(pthread_spinlock_t *);
int pthread_spin_unlock(pthread_spinlock_t *);
int pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
int pthread_barrier_destroy(pthread_barrier_t *);
int pthread_barrier_wait(pthread_barrier_t *);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_key_delete(pthread_key_t);
void *pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *);
int pthread_attr_setstacksize(pthread_attr_t *, size_t), pthread_attr_getstacksize(const pthread_attr_t *, size_t *);
int pthread_attr_setguardsize(pthread_attr_t *, size_t), pthread_attr_getguardsize(const pthread_attr_t *, size_t *);
int pthread_attr_setstack(pthread_attr_t *, void *, size_t), pthread_attr_getstack(const pthread_attr_t *, void **, size_t *);
int pthread_getattr_np(pthread_t, pthread_attr_t *), pthread_getcpuclockid(pthread_t, clockid_t *);
enum { PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, PTHREAD_RWLOCK_DEFAULT_NP = 0 };
int pthread_setaffinity_np();
int pthread_getaffinity_np(pthread_t, size_t, cpu_set_t *);
int pthread_setname_np();
int pthread_getname_np(pthread_t, char *, size_t);
int pthread_setcancelstate(int, int *);
int pthread_setcanceltype(int, int *);
void pthread_testcancel(void);
#define pthread_cleanup_push(f, a) do { __fp_cleanup_push((f), (a))
#define pthread_cleanup_pop(e) ; __fp_cleanup_pop(e); } while (0)
int pthread_mutex_clocklock(pthread_mutex_t *, int, const struct timespec *);
int pthread_getschedparam(pthread_t, int *, struct sched_param *);
int pthread_setconcurrency(int), pthread_setschedprio(pthread_t, int), pthread_mutex_setprioceiling(pthread_mutex_t *, int, int *);
int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, int, const struct timespec *);
#endif
