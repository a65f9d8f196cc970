// sc UNSAFE tso UNSAFE rc11 UNSAFE
// who wakes up in vain has the mutex for a while, and pthread_mutex_trylock tells
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, waiting, saw;
void *p(void *x) { pthread_mutex_lock(&m); waiting = 1; while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
void *q(void *x) { pthread_mutex_lock(&m); int w = waiting; pthread_mutex_unlock(&m); if (w) { if (pthread_mutex_trylock(&m)) saw = 1; else pthread_mutex_unlock(&m); } pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t s, t; pthread_create(&s,0,p,0); pthread_create(&t,0,q,0); pthread_join(s,0); pthread_join(t,0); assert(!saw); return 0; }
