// sc SAFE tso SAFE pso SAFE rc11 UNSAFE
// readers are not ordered with readers: what one reader does before, another need not see
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; atomic_int x, f;
void *a(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); atomic_store_explicit(&f, 1, memory_order_relaxed); return 0; }
void *b(void *p) { if (atomic_load_explicit(&f, memory_order_relaxed)) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); assert(atomic_load_explicit(&x, memory_order_relaxed) == 1); } return 0; }
int main() { pthread_t s, t; pthread_create(&s,0,a,0); pthread_create(&t,0,b,0); pthread_join(s,0); pthread_join(t,0); return 0; }
