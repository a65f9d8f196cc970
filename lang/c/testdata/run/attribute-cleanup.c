// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int n;
static void unlocker(pthread_mutex_t **p) { pthread_mutex_unlock(*p); }
#define GUARD(x) pthread_mutex_t *g __attribute__((cleanup(unlocker))) = (x); pthread_mutex_lock(g)
int inc(int k) { GUARD(&m); if (k) { n += k; return n; } n++; return 0; }
void *w(void *a) { inc(2); for (int i = 0; i < 2; i++) { GUARD(&m); if (i) break; n++; } return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,w,0); pthread_create(&b,0,w,0); pthread_join(a,0); pthread_join(b,0); assert(n == 6); return 0; }
