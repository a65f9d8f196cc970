// sc SAFE tso SAFE rc11 SAFE
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
#include <stdbool.h>
typedef struct { uint16_t idx; bool mark; uint32_t tag; } head_t;
static _Atomic(head_t) head = { .idx = 1, .tag = 7 };
struct q { int pad; _Atomic head_t h[2]; } Q = { 1, { { 3, true, 4 }, { 5, false, 6 } } };
void *w(void *arg) { head_t old = atomic_load(&head), new; do { new = old; new.tag++; new.idx ^= 1; new.mark = !new.mark; } while (!atomic_compare_exchange_weak(&head, &old, new)); return 0; }
int main(void) { pthread_t a, b; head_t i = { 9, 1, 2 };
 assert(((head_t)Q.h[0]).tag == 4); head_t g = Q.h[1]; assert(g.idx == 5 && !g.mark && g.tag == 6); Q.h[1] = i; g = atomic_exchange(&Q.h[1], g); assert(g.idx == 9 && g.mark);
 pthread_create(&a,0,w,0); pthread_create(&b,0,w,0); pthread_join(a,0); pthread_join(b,0);
 head_t r = atomic_load_explicit(&head, memory_order_acquire); assert(r.tag == 9 && r.idx == 1 && !r.mark);
 _Atomic head_t loc; atomic_init(&loc, r); r = loc; assert(r.tag == 9); return 0; }
