// sc SAFE tso SAFE rc11 SAFE
// reader-writer via atomics + wait loops with cond broadcast and timeouts
#include <pthread.h>
#include <assert.h>
#include <time.h>
#include <errno.h>
#include <sys/time.h>
pthread_mutex_t m; pthread_cond_t cv; int n; 
void *w(void *a) { struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts); ts.tv_sec += 1; pthread_mutex_lock(&m); int rc = 0; while (n == 0 && rc == 0) rc = pthread_cond_timedwait(&cv, &m, &ts); assert(rc == ETIMEDOUT || n == 1); pthread_mutex_unlock(&m); return 0; }
int main(void) { struct timeval tv; gettimeofday(&tv, NULL); pthread_mutex_init(&m, 0); pthread_cond_init(&cv, 0); pthread_t t; pthread_create(&t,0,w,0); pthread_mutex_lock(&m); n = 1; pthread_cond_broadcast(&cv); pthread_mutex_unlock(&m); pthread_join(t,0); return 0; }
