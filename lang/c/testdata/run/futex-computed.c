// sc SAFE tso SAFE pso SAFE
// Calls once, with a futex of which a variable says whether it is private.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/syscall.h>
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_PRIVATE 128
static void __wake(volatile void *addr, int cnt, int priv)
{
	if (priv) priv = FUTEX_PRIVATE;
	if (cnt<0) cnt = 0x7fffffff;
	syscall(SYS_futex, addr, FUTEX_WAKE|priv, cnt) != -38 || syscall(SYS_futex, addr, FUTEX_WAKE, cnt);
}
static void __futexwait(volatile void *addr, int val, int priv)
{
	if (priv) priv = FUTEX_PRIVATE;
	syscall(SYS_futex, addr, FUTEX_WAIT|priv, val, 0) != -38 || syscall(SYS_futex, addr, FUTEX_WAIT, val, 0);
}
static int a_cas(volatile int *p, int t, int s)
{
	__asm__ __volatile__ ("lock ; cmpxchg %3, %1" : "=a"(t), "=m"(*p) : "a"(t), "r"(s) : "memory" );
	return t;
}
static int a_swap(volatile int *p, int v)
{
	__asm__ __volatile__("xchg %0, %1" : "=r"(v), "=m"(*p) : "0"(v) : "memory" );
	return v;
}
void __wait(volatile int *addr, volatile int *waiters, int val, int priv)
{
	int spins=3;
	if (priv) priv = FUTEX_PRIVATE;
	while (spins-- && (!waiters || !*waiters)) {
		if (*addr==val) __asm__ __volatile__("pause" ::: "memory");
		else return;
	}
	while (*addr==val) {
		syscall(SYS_futex, addr, FUTEX_WAIT|priv, val, 0) != -38
		|| syscall(SYS_futex, addr, FUTEX_WAIT, val, 0);
	}
}
static int ctl, runs, init_done;
static void init(void) { runs++; init_done = 1; }
static void once(volatile int *control, void (*init)(void))
{
	if (*control == 2) { __asm__ __volatile__("" ::: "memory"); return; }
	for (;;) switch (a_cas(control, 0, 1)) {
	case 0:
		init();
		if (a_swap(control, 2) == 3)
			__wake(control, -1, 1);
		return;
	case 1:
		a_cas(control, 1, 3);
	case 3:
		__wait(control, 0, 3, 1);
		continue;
	case 2:
		return;
	}
}
static void *w(void *a) { once(&ctl, init); assert(init_done == 1); return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, w, 0); pthread_create(&t, 0, w, 0); pthread_join(s, 0); pthread_join(t, 0); assert(runs == 1); return 0; }
