// sc SAFE tso SAFE
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
#include <pthread.h>
#include <assert.h>
int c, lock;
int try(void) { __VERIFIER_atomic_begin(); if (lock) { __VERIFIER_atomic_end(); return 0; } lock = 1; __VERIFIER_atomic_end(); return 1; }
void *w(void *a) { while (!try()); c++; assert(c == 1); c--; for (int i = 0; i < 2; i++) { __VERIFIER_atomic_begin(); if (i) lock = 0; __VERIFIER_atomic_end(); } return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, w, 0); pthread_create(&b, 0, w, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
