// sc SAFE tso SAFE rc11 SAFE
// a thread that waits for a condition is cancelled; the handler gives the mutex back
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, cleaned;
static void unlock(void *p) { cleaned++; pthread_mutex_unlock(p); }
void *w(void *a) { pthread_mutex_lock(&m); pthread_cleanup_push(unlock, &m); while (!ready) pthread_cond_wait(&c, &m); pthread_cleanup_pop(1); return a; }
int main(void) { pthread_t t; void *r; pthread_create(&t,0,w,&ready); pthread_cancel(t); pthread_join(t,&r); assert(r == PTHREAD_CANCELED && cleaned == 1); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
