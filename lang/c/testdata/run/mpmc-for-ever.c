// sc SAFE tso SAFE pso UNSAFE
// A queue with a number of 64 bits for each slot (Vyukov), for ever.
#include <stdatomic.h>
#include <pthread.h>
#include <stdint.h>
#include <assert.h>
#define N 2
struct cell { _Atomic uint64_t seq; int data; } buf[N];
_Atomic uint64_t enq, deq;
int push(int v) { uint64_t pos = atomic_load_explicit(&enq, memory_order_relaxed); struct cell *c;
  for (;;) { c = &buf[pos & (N - 1)]; uint64_t s = atomic_load_explicit(&c->seq, memory_order_acquire); int64_t d = (int64_t)s - (int64_t)pos;
    if (d == 0) { if (atomic_compare_exchange_weak_explicit(&enq, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed)) break; }
    else if (d < 0) return 0; else pos = atomic_load_explicit(&enq, memory_order_relaxed); }
  c->data = v; atomic_store_explicit(&c->seq, pos + 1, memory_order_release); return 1; }
int pop(int *v) { uint64_t pos = atomic_load_explicit(&deq, memory_order_relaxed); struct cell *c;
  for (;;) { c = &buf[pos & (N - 1)]; uint64_t s = atomic_load_explicit(&c->seq, memory_order_acquire); int64_t d = (int64_t)s - (int64_t)(pos + 1);
    if (d == 0) { if (atomic_compare_exchange_weak_explicit(&deq, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed)) break; }
    else if (d < 0) return 0; else pos = atomic_load_explicit(&deq, memory_order_relaxed); }
  *v = c->data; c->data = 0; atomic_store_explicit(&c->seq, pos + N, memory_order_release); return 1; }
void *p(void *a) { for (;;) push(1); return 0; }
void *q(void *a) { int v; for (;;) if (pop(&v)) assert(v == 1); return 0; }
int main(void) { pthread_t h[2]; for (int i = 0; i < N; i++) atomic_init(&buf[i].seq, i); pthread_create(&h[0], 0, p, 0); pthread_create(&h[1], 0, q, 0); 
pthread_join(h[0], 0); return 0; }
