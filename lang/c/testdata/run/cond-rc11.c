// sc SAFE tso SAFE rc11 SAFE
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, data;
void *p(void *x) { data = 42; pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
void *q(void *x) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); assert(data == 42); return 0; }
int main() { pthread_t a, b; pthread_create(&a,0,p,0); pthread_create(&b,0,q,0); pthread_join(a,0); pthread_join(b,0); return 0; }
