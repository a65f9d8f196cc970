// SAFE
#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m;
int __VERIFIER_atomic_take(int k) { if (k) return x++; x += 2; return x; }
void *thr(void *a) { __VERIFIER_atomic_take(0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main() { pthread_t t; pthread_mutex_init(&m, 0); pthread_create(&t, 0, thr, 0); pthread_join(t, 0); __VERIFIER_atomic_take(1); assert(x == 4); return 0; }
