// sc SAFE tso SAFE pso SAFE
/* threads.h throughout: mtx_timed, call_once, tss, thrd results, _Generic, _Noreturn, _Static_assert. */
#include <threads.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdnoreturn.h>
#define kind(x) _Generic((x), int: 1, long: 2, default: 3)
static mtx_t m;
static cnd_t c;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t slot;
static int ready, n;
static void setup(void) { n++; }
static noreturn void quit(int r) { thrd_exit(r); }
static int worker(void *arg)
{
	call_once(&flag, setup);
	tss_set(slot, arg);
	mtx_lock(&m);
	while (!ready) cnd_wait(&c, &m);
	mtx_unlock(&m);
	if (tss_get(slot) == arg) quit(thrd_success + 5);
	return -1;
}
int main(void)
{
	thrd_t t[2];
	int r[2];
	_Static_assert(kind(1L) == 2, "long");
	mtx_init(&m, mtx_plain);
	cnd_init(&c);
	tss_create(&slot, 0);
	for (int i = 0; i < 2; i++) if (thrd_create(&t[i], worker, &r[i]) != thrd_success) return 1;
	mtx_lock(&m);
	ready = 1;
	cnd_broadcast(&c);
	mtx_unlock(&m);
	for (int i = 0; i < 2; i++) thrd_join(t[i], &r[i]);
	assert(r[0] == 5 && r[1] == 5 && n == 1);
	mtx_destroy(&m);
	cnd_destroy(&c);
	return 0;
}
