// SAFE
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; static pthread_cond_t cv = PTHREAD_COND_INITIALIZER; static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT; static pthread_key_t key; static pthread_spinlock_t sp; static pthread_barrier_t bar; static __thread int tl; static _Thread_local int tl2 = 3;
static int ready, inits, table[2]; static mtx_t cm; static cnd_t cc; static once_flag of = ONCE_FLAG_INIT;
static void dtor(void *p) { free(p); }
static void init(void) { inits++; pthread_key_create(&key, dtor); pthread_spin_init(&sp, PTHREAD_PROCESS_PRIVATE); }
static void *reader(void *a) {
	pthread_once(&once, init);
	int *p = malloc(sizeof *p); *p = 4; pthread_setspecific(key, p);
	tl++; tl2 += tl;
	pthread_mutex_lock(&mx); while (!ready) pthread_cond_wait(&cv, &mx); pthread_mutex_unlock(&mx);
	pthread_rwlock_rdlock(&rw); int v = table[0] + table[1]; pthread_rwlock_unlock(&rw);
	assert(v == 0 || v == 2 || v == 2);
	pthread_spin_lock(&sp); pthread_spin_unlock(&sp);
	assert(*(int *)pthread_getspecific(key) == 4 && tl2 == 4);
	int r = pthread_barrier_wait(&bar); assert(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
	return NULL;
}
int main(void) {
	pthread_t t; pthread_attr_t at; pthread_attr_init(&at); pthread_attr_setdetachstate(&at, PTHREAD_CREATE_JOINABLE); pthread_attr_setstacksize(&at, PTHREAD_STACK_MIN + 0x4000);
	pthread_barrier_init(&bar, NULL, 2);
	pthread_create(&t, &at, reader, NULL); pthread_attr_destroy(&at);
	pthread_once(&once, init);
	pthread_rwlock_wrlock(&rw); table[0] = table[1] = 1; pthread_rwlock_unlock(&rw);
	pthread_mutex_lock(&mx); ready = 1; pthread_cond_signal(&cv); pthread_mutex_unlock(&mx);
	struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts); ts.tv_sec += 1;
	if (pthread_mutex_timedlock(&mx, &ts) == 0) pthread_mutex_unlock(&mx);
	pthread_barrier_wait(&bar);
	pthread_join(t, NULL);
	assert(inits == 1 && tl == 0);
	return 0;
}
