#ifndef _FP_CPUID_H
#define _FP_CPUID_H
#define __cpuid(l, a, b, c, d) __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(l))
#define __cpuid_count(l, k, a, b, c, d) __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(l), "2"(k))
/* A processor may not have the leaf. */
static inline int __get_cpuid_count(unsigned __l, unsigned __k, unsigned *__a, unsigned *__b, unsigned *__c, unsigned *__d) {
	if (!__VERIFIER_nondet_bool()) return 0;
	__cpuid_count(__l, __k, *__a, *__b, *__c, *__d);
	return 1;
}
static inline int __get_cpuid(unsigned __l, unsigned *__a, unsigned *__b, unsigned *__c, unsigned *__d) {
	return __get_cpuid_count(__l, 0, __a, __b, __c, __d);
}
#endif
