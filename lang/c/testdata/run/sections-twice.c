// sc UNSAFE tso UNSAFE rc11 UNSAFE
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
#include <pthread.h>
#include <assert.h>
int c;
void *w(void *a) { __VERIFIER_atomic_begin(); c++; __VERIFIER_atomic_begin(); c++; __VERIFIER_atomic_end(); __VERIFIER_atomic_end(); assert(c != 4); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, w, 0); pthread_create(&b, 0, w, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
