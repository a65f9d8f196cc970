// sc SAFE tso SAFE rc11 SAFE
// spinlock by atomic_flag, array of locks by hash, thread index by pointer difference
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdint.h>
#define NB 2
struct bucket { atomic_flag lock; int count; } table[NB] = { { ATOMIC_FLAG_INIT, 0 }, { ATOMIC_FLAG_INIT, 0 } };
pthread_t th[3]; int keys[3] = { 1, 2, 3 };
static uint32_t hash(uint32_t x) { x ^= x >> 16; x *= 0x45d9f3bU; x ^= x >> 16; return x; }
void *w(void *p) { int *k = p; struct bucket *b = &table[hash((uint32_t)*k) % NB]; (void)(k - keys); while (atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire)) ; b->count++; atomic_flag_clear_explicit(&b->lock, memory_order_release); return 0; }
int main(void) { for (int i = 0; i < 3; i++) pthread_create(&th[i],0,w,&keys[i]); for (int i = 0; i < 3; i++) pthread_join(th[i],0); assert(table[0].count + table[1].count == 3); return 0; }
