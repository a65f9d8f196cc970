// sc SAFE tso UNSAFE
// an atomic structure of 16 bytes, by plain moves
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
struct s { long a, b; };
_Atomic struct s x, y;
long r0, r1;
void *f(void *p) { struct s v = {1,1}; atomic_store_explicit(&x, v, memory_order_relaxed); struct s w = atomic_load_explicit(&y, memory_order_relaxed); r0 = w.a; return 0; }
void *g(void *p) { struct s v = {1,1}; atomic_store_explicit(&y, v, memory_order_relaxed); struct s w = atomic_load_explicit(&x, memory_order_relaxed); r1 = w.a; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,f,0); pthread_create(&b,0,g,0); pthread_join(a,0); pthread_join(b,0); assert(r0 || r1); }
