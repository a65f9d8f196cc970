// sc SAFE tso SAFE pso UNSAFE
// Tickets of 32 bits that are taken for ever: what counts is how far they are apart.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct ticket { atomic_uint next, owner; } l;
int x;
void *t(void *p) { for (;;) { unsigned mine = atomic_fetch_add(&l.next, 1); while (atomic_load_explicit(&l.owner, memory_order_acquire) != mine); x++; assert(x == 1); x--; atomic_store_explicit(&l.owner, mine + 1, memory_order_release); } return 0; }
int main(void) { pthread_t h[3]; for (int i = 0; i < 3; i++) pthread_create(&h[i], 0, t, 0); for (int i = 0; i < 3; i++) pthread_join(h[i], 0); return 0; }
