// SAFE
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
int x;
void __VERIFIER_atomic_inner(void) { x++; }
void __VERIFIER_atomic_outer(void) { x++; __VERIFIER_atomic_inner(); }
void *thr(void *a) { __VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_inner(); __VERIFIER_atomic_end(); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, thr, 0); __VERIFIER_atomic_outer(); pthread_join(t, 0); assert(x == 4); return 0; }
