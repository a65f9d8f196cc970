// sc SAFE tso SAFE pso SAFE
/* SV-COMP's weaver: counters from free choices, threads with atomic parts, an array of a size that is chosen. */
typedef unsigned long int pthread_t;
union pthread_attr_t { char __size[56]; long int __align; };
typedef union pthread_attr_t pthread_attr_t;
extern void __assert_fail(const char *__assertion, const char *__file, unsigned int __line, const char *__function) __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "w.c", 21, __extension__ __PRETTY_FUNCTION__); }
extern int pthread_create(pthread_t *__restrict __newthread, const pthread_attr_t *__restrict __attr, void *(*__start_routine)(void *), void *__restrict __arg);
extern int pthread_join(pthread_t __th, void **__thread_return);
typedef unsigned int size_t;
extern void *malloc(size_t __size);
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void abort(void);
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
int N, x, y;
_Bool b1, b2;
void *thread1(void *_argptr)
{
	for (int i = 0; i < 2; i++) {
		__VERIFIER_atomic_begin();
		x = x + N;
		__VERIFIER_atomic_end();
	}
	return 0;
}
void *thread2(void *_argptr)
{
	for (int i = 0; i < 2; i++) {
		__VERIFIER_atomic_begin();
		y = y + N;
		__VERIFIER_atomic_end();
	}
	return 0;
}
int main()
{
	pthread_t t1, t2;
	N = __VERIFIER_nondet_int();
	x = y = __VERIFIER_nondet_int();
	assume_abort_if_not(0 <= N && N < 5 && x >= 0 && x < 4);
	pthread_create(&t1, 0, thread1, 0);
	pthread_create(&t2, 0, thread2, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	assume_abort_if_not(!(x == y));
	reach_error();
	return 0;
}
