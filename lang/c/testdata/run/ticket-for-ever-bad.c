// sc UNSAFE tso UNSAFE pso UNSAFE
// Who takes a ticket in two steps may have one that somebody else has.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, owner;
int x;
void *t(void *p) { for (;;) { unsigned mine = atomic_load(&next); atomic_store(&next, mine + 1); while (atomic_load(&owner) != mine); x++; assert(x == 1); x--; atomic_store(&owner, mine + 1); } return 0; }
int main(void) { pthread_t h[2]; for (int i = 0; i < 2; i++) pthread_create(&h[i], 0, t, 0); for (int i = 0; i < 2; i++) pthread_join(h[i], 0); return 0; }
