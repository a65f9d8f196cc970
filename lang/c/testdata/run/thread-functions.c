// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void noargs(void) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); }
int retint(int *p) { pthread_mutex_lock(&m); n += *p; pthread_mutex_unlock(&m); return 0; }
void *unnamed() { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); }
int main(void) { const int k = 3; pthread_t t[k]; int two = 2; pthread_create(&t[0], 0, (void *)&noargs, 0); pthread_create(&t[1], 0, (void *(*)(void *))retint, &two); pthread_create(&t[2], 0, unnamed, 0); for (int i = 0; i < k; i++) pthread_join(t[i], 0); assert(n == 4); }
