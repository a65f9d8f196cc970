// SAFE
#include <pthread.h>
#include <assert.h>
#include <time.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <sys/types.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
void *thr(void *a) { struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts); ts.tv_sec += 1; if (pthread_mutex_timedlock(&m, &ts) == 0) { x++; pthread_mutex_unlock(&m); } return 0; }
int main() { pthread_t t; pthread_create(&t, 0, thr, 0); pthread_mutex_lock(&m); int k = x; assert(k <= 1); pthread_mutex_unlock(&m); usleep(10); sleep(1); pthread_join(t, 0); return 0; }
