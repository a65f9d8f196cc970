// SAFE
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
pthread_key_t k;
void *thr(void *a) { assert(pthread_getspecific(k) == 0); pthread_setspecific(k, a); assert(pthread_getspecific(k) == a); return 0; }
int x, y;
int main() { pthread_t t, u; pthread_key_create(&k, 0); pthread_setspecific(k, &y); pthread_create(&t, 0, thr, &x); pthread_create(&u, 0, thr, &y); pthread_join(t, 0); pthread_join(u, 0); assert(pthread_getspecific(k) == &y); return 0; }
