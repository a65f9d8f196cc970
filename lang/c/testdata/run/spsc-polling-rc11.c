// sc SAFE tso SAFE rc11 SAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stddef.h>
#include <stdalign.h>
_Static_assert(sizeof(int) == 4, "int");
#define CACHE 64
#define ____cacheline_aligned __attribute__((aligned(CACHE)))
struct ring { alignas(CACHE) _Atomic(size_t) head; alignas(CACHE) _Atomic(size_t) tail; int buf[2] ____cacheline_aligned; };
_Static_assert(offsetof(struct ring, tail) == 64, "tail");
static struct ring r ____cacheline_aligned;
__attribute__((noinline, unused)) static _Bool push(struct ring *r, int v) { size_t h = atomic_load_explicit(&r->head, memory_order_relaxed); if (h - atomic_load_explicit(&r->tail, memory_order_acquire) == 2) return 0; r->buf[h & 1] = v; atomic_store_explicit(&r->head, h + 1, memory_order_release); return 1; }
static __attribute__((always_inline)) inline _Bool pop(struct ring *r, int *v) { size_t t = atomic_load_explicit(&r->tail, memory_order_relaxed); if (t == atomic_load_explicit(&r->head, memory_order_acquire)) return 0; *v = r->buf[t % 2]; atomic_store_explicit(&r->tail, t + 1, memory_order_release); return 1; }
void *p(void *x) { for (int i = 1; i < 4; i++) while (!push(&r, i)); return x; }
void *q(void *x) { int v, want = 1; while (want < 4) { if (pop(&r, &v)) { assert(v == want); want++; } } return x; }
int main() { pthread_t a, b; pthread_create(&a,0,p,0); pthread_create(&b,0,q,0); pthread_join(a,0); pthread_join(b,0); return 0; }
