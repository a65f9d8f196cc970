// SAFE
extern void abort(void);
extern void __assert_fail (const char *__assertion, const char *__file, unsigned int __line, const char *__function) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
void reach_error() { __assert_fail("0", "fib_safe.h", 9, __extension__ __PRETTY_FUNCTION__); }
void __VERIFIER_assert(int expression) { if (!expression) { ERROR: {reach_error();abort();}}; return; }
#include <pthread.h>
#define NUM 3
int p, i, j, q, cur, prev, next, x;
void *t1(void *arg) { for (p = 0; p < NUM; p++) { __VERIFIER_atomic_begin(); i = i + j; __VERIFIER_atomic_end(); } return 0; }
void *t2(void *arg) { for (q = 0; q < NUM; q++) { __VERIFIER_atomic_begin(); j = j + i; __VERIFIER_atomic_end(); } return 0; }
int fib() { for (x = 0; x < 8; x++) { next = prev + cur; prev = cur; cur = next; } return prev; }
int main(int argc, char **argv) { pthread_t id1, id2; i = j = 1; cur = 1; prev = 0; next = 0; x = 0;
 pthread_create(&id1, 0, t1, 0); pthread_create(&id2, 0, t2, 0);
 int correct = fib(); __VERIFIER_atomic_begin(); _Bool assert_cond = i <= correct && j <= correct; __VERIFIER_atomic_end(); __VERIFIER_assert(assert_cond); return 0; }
