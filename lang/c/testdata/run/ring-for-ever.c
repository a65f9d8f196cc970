// sc SAFE tso SAFE pso UNSAFE
// A ring whose indices count for ever, and are reduced where it is accessed.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#define N 4
atomic_uint head, tail; int buf[N];
void *prod(void *p) { int v = 0; for (;;) { unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
  if (t - atomic_load_explicit(&head, memory_order_acquire) == N) continue;
  buf[t % N] = v; v = !v; atomic_store_explicit(&tail, t + 1, memory_order_release); } return 0; }
void *cons(void *p) { int v = 0; for (;;) { unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
  if (h == atomic_load_explicit(&tail, memory_order_acquire)) continue;
  assert(buf[h % N] == v); v = !v; atomic_store_explicit(&head, h + 1, memory_order_release); } return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, prod, 0); pthread_create(&b, 0, cons, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
