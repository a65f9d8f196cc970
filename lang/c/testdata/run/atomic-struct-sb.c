// sc SAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
// store buffering with small atomic structures: relaxed stores and loads are plain moves
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
struct pair { int a, b; };
_Atomic struct pair x, y;
int r1, r2;
void *p(void *a) { struct pair v = { 1, 2 }; atomic_store_explicit(&x, v, memory_order_relaxed); struct pair w = atomic_load_explicit(&y, memory_order_relaxed); r1 = w.b; assert(w.a == 0 ? w.b == 0 : w.b == 2); return 0; }
void *q(void *a) { struct pair v = { 1, 2 }; atomic_store_explicit(&y, v, memory_order_relaxed); struct pair w = atomic_load_explicit(&x, memory_order_relaxed); r2 = w.b; return 0; }
int main(void) { pthread_t s, t; pthread_create(&s,0,p,0); pthread_create(&t,0,q,0); pthread_join(s,0); pthread_join(t,0); assert(r1 || r2); return 0; }
