#ifndef _FP_SCHED_H
#define _FP_SCHED_H
int sched_yield(void);
#define CPU_SETSIZE 1024
typedef struct {
	unsigned long __bits[CPU_SETSIZE / 64];
} cpu_set_t;
#define CPU_ZERO(s) ((void)(*(s) = (cpu_set_t){{0}}))
#define CPU_SET(n, s) __fp_cpu_set((n), (s), 1)
#define CPU_CLR(n, s) __fp_cpu_set((n), (s), 0)
#define CPU_ISSET(n, s) __fp_cpu_isset((n), (s))
#define CPU_AND(d, a, b) __fp_cpu_op((d), (a), (b), 0)
#define CPU_OR(d, a, b) __fp_cpu_op((d), (a), (b), 1)
#define CPU_XOR(d, a, b) __fp_cpu_op((d), (a), (b), 2)
#define CPU_EQUAL(a, b) __fp_cpu_equal((a), (b))
#define CPU_COUNT(s) __fp_cpu_count(s)
static inline void __fp_cpu_set(unsigned long __n, cpu_set_t *__s, int __on) {
	if (__n >= CPU_SETSIZE)
		return;
	__s->__bits[__n / 64] = __s->__bits[__n / 64] & ~(1ul << __n % 64) | (unsigned long)__on << __n % 64;
}
static inline int __fp_cpu_isset(unsigned long __n, const cpu_set_t *__s) {
	return __n < CPU_SETSIZE && (__s->__bits[__n / 64] >> __n % 64 & 1);
}
static inline void __fp_cpu_op(cpu_set_t *__d, const cpu_set_t *__a, const cpu_set_t *__b, int __op) {
	for (int __i = 0; __i < CPU_SETSIZE / 64; __i++)
		__d->__bits[__i] = __op == 0 ? __a->__bits[__i] & __b->__bits[__i] : __op == 1 ? __a->__bits[__i] | __b->__bits[__i] : __a->__bits[__i] ^ __b->__bits[__i];
}
static inline int __fp_cpu_equal(const cpu_set_t *__a, const cpu_set_t *__b) {
	int __same = 1;
	for (int __i = 0; __i < CPU_SETSIZE / 64; __i++)
		__same &= __a->__bits[__i] == __b->__bits[__i];
	return __same;
}
static inline int __fp_cpu_sum(const unsigned long *__p) {
	return __builtin_popcountl(__p[0]) + __builtin_popcountl(__p[1]) + __builtin_popcountl(__p[2]) + __builtin_popcountl(__p[3]);
}
static inline int __fp_cpu_count(const cpu_set_t *__s) {
	return __fp_cpu_sum(__s->__bits) + __fp_cpu_sum(__s->__bits + 4) + __fp_cpu_sum(__s->__bits + 8) + __fp_cpu_sum(__s->__bits + 12);
}
int sched_setaffinity();
int sched_getaffinity(int, unsigned long, cpu_set_t *);
int sched_getcpu(void);
struct sched_param {
	int sched_priority;
};
enum { SCHED_OTHER, SCHED_FIFO, SCHED_RR };
int sched_get_priority_max(int), sched_get_priority_min(int);
int sched_getparam(int, struct sched_param *), sched_setparam(int, const struct sched_param *);
#endif
