// sc SAFE tso SAFE rc11 UNSAFE
// a compare-exchange of the kernel that is relaxed publishes nothing
#include <fencepost.h>
#include <pthread.h>
#include <assert.h>
int data, flag;
void *p(void *a) { WRITE_ONCE(data, 1); cmpxchg_relaxed(&flag, 0, 1); return 0; }
void *q(void *a) { if (smp_load_acquire(&flag)) assert(READ_ONCE(data) == 1); return 0; }
int main(void) { pthread_t s, t; pthread_create(&s,0,p,0); pthread_create(&t,0,q,0); pthread_join(s,0); pthread_join(t,0); return 0; }
