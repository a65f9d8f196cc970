// sc SAFE tso SAFE
// buf_ring of FreeBSD
#include <stdint.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
#include <errno.h>
#define CACHE_LINE_SIZE 64
#define __aligned(x) __attribute__((aligned(x)))
static __inline int atomic_cmpset_int(volatile uint32_t *p, uint32_t o, uint32_t n) { return __sync_bool_compare_and_swap(p, o, n); }
#define atomic_load_acq_int(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define atomic_store_rel_int(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cpu_spinwait() __asm volatile("pause")
struct buf_ring { volatile uint32_t br_prod_head; volatile uint32_t br_prod_tail; int br_prod_size; int br_prod_mask; uint64_t br_drops;
 volatile uint32_t br_cons_head __aligned(CACHE_LINE_SIZE); volatile uint32_t br_cons_tail; int br_cons_size; int br_cons_mask; void *br_ring[0] __aligned(CACHE_LINE_SIZE); };
static __inline int buf_ring_enqueue(struct buf_ring *br, void *buf) { uint32_t prod_head, prod_next, cons_tail;
 do { prod_head = br->br_prod_head; prod_next = (prod_head + 1) & br->br_prod_mask; cons_tail = br->br_cons_tail;
  if (prod_next == cons_tail) { __sync_synchronize(); if (prod_head == br->br_prod_head && cons_tail == br->br_cons_tail) { br->br_drops++; return ENOBUFS; } continue; }
 } while (!atomic_cmpset_int(&br->br_prod_head, prod_head, prod_next));
 br->br_ring[prod_head] = buf;
 while (br->br_prod_tail != prod_head) cpu_spinwait();
 atomic_store_rel_int(&br->br_prod_tail, prod_next); return 0; }
static __inline void *buf_ring_dequeue_mc(struct buf_ring *br) { uint32_t cons_head, cons_next; void *buf;
 do { cons_head = br->br_cons_head; cons_next = (cons_head + 1) & br->br_cons_mask; if (cons_head == br->br_prod_tail) return NULL; } while (!atomic_cmpset_int(&br->br_cons_head, cons_head, cons_next));
 buf = br->br_ring[cons_head]; while (br->br_cons_tail != cons_head) cpu_spinwait(); atomic_store_rel_int(&br->br_cons_tail, cons_next); return buf; }
struct buf_ring *buf_ring_alloc(int count) { struct buf_ring *br = malloc(sizeof(struct buf_ring) + count * sizeof(void *)); if (br == NULL) return NULL;
 br->br_prod_size = br->br_cons_size = count; br->br_prod_mask = br->br_cons_mask = count - 1; br->br_prod_head = br->br_cons_head = 0; br->br_prod_tail = br->br_cons_tail = 0; return br; }
struct buf_ring *br; int a = 1, b = 2;
void *prod(void *p) { buf_ring_enqueue(br, p); return 0; }
void *cons(void *p) { int *x = buf_ring_dequeue_mc(br); assert(x == NULL || x == &a || x == &b); return x; }
int main() { br = buf_ring_alloc(4); pthread_t t[4]; pthread_create(&t[0],0,prod,&a); pthread_create(&t[1],0,prod,&b); pthread_create(&t[2],0,cons,0); pthread_create(&t[3],0,cons,0);
 void *r1, *r2; pthread_join(t[0],0); pthread_join(t[1],0); pthread_join(t[2],&r1); pthread_join(t[3],&r2); assert(r1 == NULL || r1 != r2); return 0; }
