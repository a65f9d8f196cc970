// SAFE
#include <pthread.h>
extern void __VERIFIER_assume(int);
void reach_error(void) {}
int mutex, count;
void __VERIFIER_atomic_acquire() { __VERIFIER_assume(mutex == 0); mutex = 1; }
void __VERIFIER_atomic_release() { __VERIFIER_assume(mutex == 1); mutex = 0; }
int __VERIFIER_atomic_cas(volatile int *p, int a, int b) { if (*p == a) { *p = b; return 1; } return 0; }
void *thr(void *a) { __VERIFIER_atomic_acquire(); count++; count--; if (count != 0) reach_error(); __VERIFIER_atomic_release(); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, thr, 0); thr(0); int y = 0; while (!__VERIFIER_atomic_cas(&y, 0, 1)); return 0; }
