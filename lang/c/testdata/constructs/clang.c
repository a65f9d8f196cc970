// SAFE
#include <assert.h>
#include <pthread.h>
typedef _Atomic(int) atomic_int_;
atomic_int_ v; static _Atomic(struct p *) head; struct p { int a; struct p *n; };
struct p n0 = { 4, 0 };
void *f(void *a) { __c11_atomic_store(&v, 1, 3); struct p *h = __c11_atomic_load(&head, 2); if (h) assert(h->a == 4); int e = 1; __c11_atomic_compare_exchange_strong(&v, &e, 2, 5, 5); __c11_atomic_fetch_add(&v, 1, 5); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); __c11_atomic_store(&head, &n0, 3); pthread_join(t, 0); assert(v == 3); __atomic_store_n(&n0.a, 5, 5); assert(__sync_add_and_fetch(&n0.a, 1) == 6 && __sync_bool_compare_and_swap(&n0.a, 6, 7)); return 0; }
