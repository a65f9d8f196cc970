// SAFE
#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m;
void *thr(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); pthread_exit(NULL); }
int main() { pthread_t t; pthread_attr_t at; pthread_mutexattr_t ma; pthread_attr_init(&at); pthread_attr_setdetachstate(&at, PTHREAD_CREATE_JOINABLE); pthread_attr_setscope(&at, PTHREAD_SCOPE_SYSTEM);
 pthread_mutexattr_init(&ma); pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_RECURSIVE); pthread_mutexattr_setpshared(&ma, 0); pthread_mutex_init(&m, &ma); pthread_attr_setstacksize(&at, 1 << 16);
 pthread_create(&t, &at, thr, NULL); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_join(t, NULL); pthread_attr_destroy(&at); assert(x == 2); return 0; }
