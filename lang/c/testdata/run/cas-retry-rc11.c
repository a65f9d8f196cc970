// sc SAFE tso SAFE rc11 SAFE
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
/* RMW retry loop */
atomic_int n; 
void add(atomic_int *x, int k) { int o = atomic_load_explicit(x, memory_order_relaxed); while (!atomic_compare_exchange_weak_explicit(x, &o, o + k, memory_order_acq_rel, memory_order_relaxed)) ; }
void *w(void *a) { add(&n, 1); add(&n, 2); return 0; }
int main() { pthread_t a, b, d; pthread_create(&a,0,w,0); pthread_create(&b,0,w,0); pthread_create(&d,0,w,0); pthread_join(a,0); pthread_join(b,0); pthread_join(d,0); assert(n == 9); return 0; }
