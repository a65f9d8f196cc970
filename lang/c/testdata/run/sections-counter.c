// sc SAFE tso SAFE rc11 SAFE
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int c;
void *inc(void *x) { __VERIFIER_atomic_begin(); c = c + 1; __VERIFIER_atomic_end(); return 0; }
int main() { pthread_t t, s; pthread_create(&t,0,inc,0); pthread_create(&s,0,inc,0); pthread_join(t,0); pthread_join(s,0); assert(c==2); }
