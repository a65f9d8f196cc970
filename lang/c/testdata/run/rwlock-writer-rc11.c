// sc SAFE tso SAFE rc11 SAFE
// a writer sees what readers did before they gave the lock back
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int seen[2]; int data = 5; int done;
void *r(void *p) { int i = (int)(long)p; pthread_rwlock_rdlock(&l); if (!done) seen[i] = data; pthread_rwlock_unlock(&l); return 0; }
void *w(void *p) { pthread_rwlock_wrlock(&l); done = 1; assert(seen[0] == 0 || seen[0] == 5); seen[0]++; seen[1]++; data = 0; pthread_rwlock_unlock(&l); return 0; }
int main() { pthread_t t[3]; pthread_create(t,0,r,(void*)0); pthread_create(t+1,0,r,(void*)1); pthread_create(t+2,0,w,0); for (int i = 0; i < 3; i++) pthread_join(t[i],0); assert(seen[0] == 1 || seen[0] == 6); assert(seen[1] == 1 || seen[1] == 6); return 0; }
