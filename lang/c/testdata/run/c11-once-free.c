// sc SAFE tso SAFE
// C11 threads with call_once, mtx_trylock, tss, thrd_exit, timespec_get
#include <threads.h>
#include <time.h>
#include <assert.h>
#include <stdlib.h>
static once_flag of = ONCE_FLAG_INIT; static mtx_t m; static cnd_t c; static tss_t k; static int go, sum;
static void init(void) { mtx_init(&m, mtx_plain | mtx_timed); cnd_init(&c); tss_create(&k, free); }
static int w(void *a) { call_once(&of, init); int *p = malloc(sizeof *p); *p = *(int *)a; tss_set(k, p); struct timespec ts; timespec_get(&ts, TIME_UTC); mtx_lock(&m); while (!go) cnd_wait(&c, &m); sum += *(int *)tss_get(k); mtx_unlock(&m); if (*p > 100) thrd_exit(1); return 0; }
int main(void) { call_once(&of, init); int a[2] = { 1, 2 }; thrd_t t[2]; for (int i = 0; i < 2; i++) thrd_create(&t[i], w, &a[i]); mtx_lock(&m); go = 1; cnd_broadcast(&c); mtx_unlock(&m); int r; for (int i = 0; i < 2; i++) { thrd_join(t[i], &r); assert(r == 0); } assert(sum == 3); mtx_destroy(&m); cnd_destroy(&c); tss_delete(k); return 0; }
