package c_test

import (
	"os"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestJoinable: a thread is waited for once, or detached.
func TestJoinable(t *testing.T) {
	const head = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <signal.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <threads.h>\n#include <time.h>\n#include <unistd.h>\n" +
		`void *f(void *a) { return a; } `
	for _, s := range []snippet{
		{"twice", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"twice, in a loop", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int i = 0; i < 2; i++) pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"twice, in a loop that need not go round", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); do pthread_join(t, 0); while (rand() & 1); return 0; }`, "UNSAFE"},
		{"twice, on a condition", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (rand() & 1) pthread_join(t, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"here or there", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (rand() & 1) pthread_join(t, 0); else pthread_join(t, 0); return 0; }`, "SAFE"},
		{"one of two", `int main(void) { pthread_t t[2]; pthread_create(t, 0, f, 0); pthread_create(t + 1, 0, f, 0); int i = rand() & 1; pthread_join(t[i], 0); pthread_join(t[!i], 0); return 0; }`, "SAFE"},
		{"one of two, twice", `int main(void) { pthread_t t[2]; pthread_create(t, 0, f, 0); pthread_create(t + 1, 0, f, 0); int i = rand() & 1; pthread_join(t[i], 0); pthread_join(t[1], 0); return 0; }`, "UNSAFE"},
		{"all, in a loop", `int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(t + i, 0, f, 0); for (int i = 2; i >= 0; i--) pthread_join(t[i], 0); return 0; }`, "SAFE"},
		{"all, and one again", `int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(t + i, 0, f, 0); for (int i = 2; i >= 0; i--) pthread_join(t[i], 0); pthread_join(t[rand() & 1], 0); return 0; }`, "UNSAFE"},
		{"a thread that is made again", `int main(void) { pthread_t t; for (int i = 0; i < 3; i++) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); } return 0; }`, "SAFE"},
		{"of C11", `int g(void *a) { return 0; } int main(void) { thrd_t t; thrd_create(&t, g, 0); thrd_join(t, 0); thrd_join(t, 0); return 0; }`, "UNSAFE"},
		{"by two threads", `pthread_t t; void *g(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"by two threads, one after the other", `pthread_t t; void *g(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(u, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"by two threads, of one that never ends", `pthread_t t; void *h(void *a) { for (;;) sched_yield(); } void *g(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, h, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"by one of two threads", `pthread_t t; atomic_int taken; void *g(void *a) { if (!atomic_exchange(&taken, 1)) pthread_join(t, 0); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); g(0); pthread_join(u, 0); return 0; }`, "SAFE"},
		{"each by who made it", `void *g(void *a) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; } int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(t + i, 0, g, 0); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }`, "SAFE"},
		{"a try that fails, and a wait", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (pthread_tryjoin_np(t, 0)) pthread_join(t, 0); return 0; }`, "SAFE"},
		{"a try, and a wait", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_tryjoin_np(t, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"tries until it has ended", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (pthread_tryjoin_np(t, 0)) sched_yield(); return 0; }`, "SAFE"},
		{"a try while somebody waits", `pthread_t t; atomic_int go; void *h(void *a) { while (!atomic_load(&go)); return 0; } void *g(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, h, 0); int e = pthread_tryjoin_np(t, 0); assert(e); pthread_create(&u, 0, g, 0); atomic_store(&go, 1); pthread_join(u, 0); return 0; }`, "SAFE"},
		{"detached", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return pthread_detach(t); }`, "SAFE"},
		{"detached and waited for", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"waited for and detached", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_detach(t); return 0; }`, "UNSAFE"},
		{"detached twice", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); pthread_detach(t); return 0; }`, "UNSAFE"},
		{"no thread is detached", `int main(void) { pthread_t t = 77; pthread_detach(t); return 0; }`, "UNSAFE"},
		{"one that detaches itself", `void *g(void *a) { pthread_detach(pthread_self()); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); return 0; }`, "SAFE"},
		{"one that detaches itself and is waited for", `void *g(void *a) { pthread_detach(pthread_self()); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"detached from the beginning", `int main(void) { pthread_t t; pthread_attr_t a; pthread_attr_init(&a); assert(!pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED)); pthread_create(&t, &a, f, 0); return 0; }`, "SAFE"},
		{"detached from the beginning and waited for", `int main(void) { pthread_t t; pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); pthread_create(&t, &a, f, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"one detached from the beginning, another waited for", `int main(void) { pthread_t t, u; pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); pthread_create(&t, &a, f, 0); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE); pthread_create(&u, &a, f, 0); pthread_join(u, 0); return 0; }`, "SAFE"},
		{"attributes for all but one", `pthread_attr_t a; pthread_attr_t *which(int k) { return k ? &a : 0; } int main(void) { pthread_t t[2]; pthread_attr_init(&a); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); for (int i = 0; i < 2; i++) pthread_create(t + i, which(i), f, 0); pthread_join(t[0], 0); return 0; }`, "SAFE"},
		{"attributes for this one, too", `pthread_attr_t a; pthread_attr_t *which(int k) { return k ? &a : 0; } int main(void) { pthread_t t[2]; pthread_attr_init(&a); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); for (int i = 0; i < 2; i++) pthread_create(t + i, which(i), f, 0); pthread_join(t[1], 0); return 0; }`, "UNSAFE"},
		{"an attribute that is asked for", `int main(void) { int is; pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getdetachstate(&a, &is); assert(is == PTHREAD_CREATE_JOINABLE); pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED); pthread_attr_getdetachstate(&a, &is); assert(is == PTHREAD_CREATE_DETACHED); assert(pthread_attr_setdetachstate(&a, 7) == 22); pthread_attr_getdetachstate(&a, &is); assert(is == PTHREAD_CREATE_DETACHED); return 0; }`, "SAFE"},
		{"what the attributes are computed with", `int n; pthread_attr_t *none(void) { n++; return 0; } int main(void) { pthread_t t; pthread_create(&t, none(), f, 0); assert(n == 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"where to, before the wait", `atomic_int go; void *g(void *a) { while (!atomic_load(&go)); return 0; } int main(void) { pthread_t t; void *r; pthread_create(&t, 0, g, 0); pthread_join(t, (atomic_store(&go, 1), &r)); assert(0); return 0; }`, "UNSAFE"},
		{"where to, as it was before the wait", `void *r1, *r2; void **_Atomic p = &r1; void *g(void *a) { p = &r2; return (void *)1; } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); pthread_join(t, p); assert(r2 == (void *)1); return 0; }`, "UNSAFE"},
		{"to nowhere", `void wait_for(pthread_t t, void **r) { pthread_join(t, r); } int main(void) { pthread_t t, u; void *r; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, &r); wait_for(t, NULL); wait_for(u, &r); assert(r == &r); return 0; }`, "SAFE"},
		{"a try, and its argument", `int main(void) { pthread_t t[2]; pthread_create(t, 0, f, 0); int i = 0; pthread_tryjoin_np(t[i++], 0); assert(i == 1); return 0; }`, "SAFE"},
		{"a limit, and its argument", `int main(void) { pthread_t t; struct timespec s = { 0, 0 }; pthread_create(&t, 0, f, 0); pthread_timedjoin_np(t, 0, (s.tv_sec = 5, &s)); assert(s.tv_sec == 5); return 0; }`, "SAFE"},
		{"no limit", `int main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)3); void *r = 0; assert(pthread_timedjoin_np(t, &r, 0) == 0 && r == (void *)3); return 0; }`, "SAFE"},
		{"a limit that is no time", `int main(void) { pthread_t t; struct timespec s = { 0, -1 }; pthread_create(&t, 0, f, 0); int e = pthread_timedjoin_np(t, 0, &s); assert(e == 0 || e == 22); return 0; }`, "SAFE"},
		{"a limit that is over", `int main(void) { pthread_t t; struct timespec s = { 0, 0 }; pthread_create(&t, 0, f, 0); assert(pthread_timedjoin_np(t, 0, &s) != 110); return 0; }`, "UNSAFE"},
		{"main, which returns", `pthread_t m; void *g(void *a) { pthread_join(m, 0); assert(0); return 0; } int main(void) { pthread_t t; m = pthread_self(); pthread_create(&t, 0, g, 0); return 0; }`, "SAFE"},
		{"main, which ends", `pthread_t m; void *g(void *a) { pthread_join(m, 0); assert(0); return 0; } int main(void) { pthread_t t; m = pthread_self(); pthread_create(&t, 0, g, 0); pthread_exit(0); }`, "UNSAFE"},
		{"what main ends with", `pthread_t m; void *g(void *a) { void *r; pthread_join(m, &r); assert(r == (void *)5); return 0; } int main(void) { pthread_t t; m = pthread_self(); pthread_create(&t, 0, g, 0); pthread_exit((void *)5); }`, "SAFE"},
		{"cancelled as it waits for another", `void *g(void *a) { pthread_t *p = a; pthread_join(*p, 0); return (void *)1; } void *h(void *a) { while (!atomic_load((atomic_int *)a)) sched_yield(); return 0; } int main(void) { pthread_t t, u; void *r; static atomic_int go; pthread_create(&u, 0, h, &go); pthread_create(&t, 0, g, &u); pthread_cancel(t); pthread_join(t, &r); if (r == PTHREAD_CANCELED) { atomic_store(&go, 1); pthread_join(u, 0); } return 0; }`, "SAFE"},
		{"cancelled, but for a try", `void *g(void *a) { pthread_t *p = a; pthread_tryjoin_np(*p, 0); return (void *)1; } int main(void) { pthread_t t, u; void *r; pthread_create(&u, 0, f, 0); pthread_create(&t, 0, g, &u); pthread_cancel(t); pthread_join(t, &r); assert(r == (void *)1); return 0; }`, "SAFE"},
		{"cancelled in its sleep", `void *g(void *a) { struct timespec s = { 1, 0 }; clock_nanosleep(CLOCK_REALTIME, 0, &s, 0); return (void *)1; } int main(void) { pthread_t t; void *r; pthread_create(&t, 0, g, 0); pthread_cancel(t); pthread_join(t, &r); assert(r == (void *)1); return 0; }`, "UNSAFE"},
		{"cancelled as it reads", `char b[4]; void *g(void *a) { fgets(b, 4, stdin); return (void *)1; } int main(void) { pthread_t t; void *r; pthread_create(&t, 0, g, 0); pthread_cancel(t); pthread_join(t, &r); assert(r == (void *)1); return 0; }`, "UNSAFE"},
		{"cancelled when it has been waited for", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_cancel(t); return 0; }`, "UNSAFE"},
		{"one cancelled when another has been waited for", `int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); pthread_cancel(u); pthread_join(u, 0); return 0; }`, "SAFE"},
		{"cancelled when it has been detached, and may have ended", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); pthread_cancel(t); return 0; }`, "UNSAFE"},
		{"cancelled when it has been detached, and waits", `void *w(void *a) { while (!atomic_load((atomic_int *)a)) sched_yield(); return 0; } int main(void) { pthread_t t; static atomic_int go; pthread_create(&t, 0, w, &go); pthread_detach(t); pthread_cancel(t); atomic_store(&go, 1); return 0; }`, "SAFE"},
		{"cancelled when it has detached itself", `pthread_t t; void *g(void *a) { pthread_detach(pthread_self()); return 0; } int main(void) { pthread_create(&t, 0, g, 0); pthread_cancel(t); return 0; }`, "UNSAFE"},
		{"one that cancels itself", `void *g(void *a) { pthread_detach(pthread_self()); pthread_cancel(pthread_self()); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); return 0; }`, "SAFE"},
		{"cancelled when it has been waited for, and another is detached", `int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_detach(u); pthread_join(t, 0); pthread_cancel(t); return 0; }`, "UNSAFE"},
		{"cancelled by another thread than waits", `pthread_t t; void *g(void *a) { pthread_cancel(t); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }`, "UNSAFE"},
		{"cancelled by another thread when it has been waited for", `pthread_t t; atomic_int go; void *g(void *a) { while (!go); pthread_cancel(t); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); go = 1; pthread_join(u, 0); return 0; }`, "UNSAFE"},
		{"cancelled by another thread before it is waited for", `pthread_t t; void *g(void *a) { pthread_cancel(t); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(u, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"cancelled by another thread, and nothing else ends it", `pthread_t t; void *h(void *a) { for (;;) pthread_testcancel(); } void *g(void *a) { pthread_cancel(t); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, h, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }`, "SAFE"},
		{"cancelled while another waits for it", `pthread_t t; void *j(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, j, 0); pthread_cancel(t); pthread_join(u, 0); return 0; }`, "UNSAFE"},
		{"cancelled when who waits for it has given up", `void *w(void *a) { while (!atomic_load((atomic_int *)a)) sched_yield(); return 0; } pthread_t t; void *j(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t u; void *r; static atomic_int go; pthread_create(&t, 0, w, &go); pthread_create(&u, 0, j, 0); pthread_cancel(u); pthread_join(u, &r); go = 1; pthread_cancel(t); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"asked for when it has been waited for", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return pthread_kill(t, 0); }`, "UNSAFE"},
		{"asked for by itself, or while it is there", `atomic_int go; void *w(void *a) { while (!go); return 0; } int main(void) { pthread_t t; assert(!pthread_kill(pthread_self(), 0)); pthread_create(&t, 0, w, 0); assert(!pthread_kill(t, 0)); go = 1; pthread_join(t, 0); return 0; }`, "SAFE"},
		{"asked for when it has ended", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(!pthread_kill(t, 0)); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"asked for before it is waited for", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_kill(t, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"given a name when it has been detached", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); pthread_setname_np(t, "f"); return 0; }`, "UNSAFE"},
		{"given a name, and detached", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_setname_np(t, "f"); pthread_detach(t); return 0; }`, "SAFE"},
		{"asked how it is scheduled, when it has been waited for", `int main(void) { pthread_t t; int k; struct sched_param p; pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_getschedparam(t, &k, &p); return 0; }`, "UNSAFE"},
		{"no thread is cancelled", `int main(void) { pthread_cancel(77); return 0; }`, "UNSAFE"},
		{"cancelled as it waits, and waits again at its end", `pthread_t u; void again(void *a) { atomic_store((atomic_int *)a, 1); pthread_join(u, 0); } void *g(void *a) { pthread_cleanup_push(again, a); pthread_join(u, 0); pthread_cleanup_pop(0); return 0; } void *h(void *a) { while (!atomic_load((atomic_int *)a)) sched_yield(); return 0; } int main(void) { pthread_t t; static atomic_int go; pthread_create(&u, 0, h, &go); pthread_create(&t, 0, g, &go); pthread_cancel(t); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"by two at once, one of which is cancelled", `atomic_int go; pthread_t t; void *w(void *a) { while (!go); return 0; } void *j(void *a) { pthread_join(t, 0); return 0; } int main(void) { pthread_t x, y; void *r; pthread_create(&t, 0, w, 0); pthread_create(&x, 0, j, 0); pthread_create(&y, 0, j, 0); pthread_cancel(x); pthread_join(x, &r); go = 1; pthread_join(y, 0); return 0; }`, "UNSAFE"},
		{"attributes by a pointer to anything", `static pthread_t make(void *a) { pthread_t t; pthread_create(&t, a, f, 0); return t; } int main(void) { pthread_attr_t a; void *p = &a; pthread_attr_init(p); pthread_attr_setdetachstate(p, PTHREAD_CREATE_DETACHED); pthread_join(make(&a), 0); return 0; }`, "UNSAFE"},
		{"a limit by a pointer to anything", `int main(void) { pthread_t t; struct timespec s = { 0, 0 }; void *p = &s; pthread_create(&t, 0, f, 0); int e = pthread_timedjoin_np(t, 0, p); assert(e == 0 || e == 110); return 0; }`, "SAFE"},
		{"cancelled in what is done once", `pthread_once_t o = PTHREAD_ONCE_INIT; int n; void g(void) { n++; pthread_testcancel(); } void *h(void *a) { pthread_once(&o, g); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, h, 0); pthread_cancel(t); pthread_join(t, 0); pthread_once(&o, g); assert(n == 1); return 0; }`, "UNSAFE"},
		{"who waits while another is cancelled in what is done once", `pthread_once_t o = PTHREAD_ONCE_INIT; atomic_int n; void g(void) { n++; pthread_testcancel(); } void *h(void *a) { pthread_once(&o, g); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, h, 0); pthread_cancel(t); pthread_once(&o, g); assert(n == 1 || n == 2); assert(n != 2); return 0; }`, "UNSAFE"},
		{"cancelled as it waits for a signal", `void *g(void *a) { for (;;) pause(); return (void *)1; } int main(void) { pthread_t t; void *r; pthread_create(&t, 0, g, 0); pthread_cancel(t); pthread_join(t, &r); assert(r == PTHREAD_CANCELED); return 0; }`, "SAFE"},
		{"nobody comes back from a wait for a signal", `int main(void) { pause(); assert(0); return 0; }`, "SAFE"},
		{"the type of cancellation that was", `int main(void) { int old; assert(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) && old == PTHREAD_CANCEL_DEFERRED); assert(!pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) && old == PTHREAD_CANCEL_ASYNCHRONOUS); return 0; }`, "SAFE"},
		{"a recursive mutex by attributes of anything", `static void make(pthread_mutex_t *m, void *a) { pthread_mutex_init(m, a); } pthread_mutex_t m; int main(void) { pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); make(&m, &a); pthread_mutex_lock(&m); pthread_mutex_lock(&m); assert(0); return 0; }`, "UNSAFE"},
		{"a kind of mutex that is none", `int main(void) { pthread_mutexattr_t a; int k; pthread_mutexattr_init(&a); assert(pthread_mutexattr_settype(&a, -5) == 22); assert(!pthread_mutexattr_gettype(&a, &k) && k == PTHREAD_MUTEX_DEFAULT); return 0; }`, "SAFE"},
		{"a clock that is none, and what is evaluated for it", `int main(void) { int n = 0; clockid_t k = 77; struct timespec s; assert(clock_gettime(k, (n++, &s)) == -1 && n == 1); return 0; }`, "SAFE"},
		{"how exact a clock is, for nobody", `int main(void) { struct timespec *p = 0; assert(!clock_getres(CLOCK_REALTIME, p)); return clock_getres(CLOCK_REALTIME, 0); }`, "SAFE"},
		{"without a limit, by a variable", `int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); struct timespec *n = 0; assert(!pthread_timedjoin_np(t, 0, n)); return 0; }`, "SAFE"},
		{"signalled, and then cancelled", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, go; void un(void *a) { pthread_mutex_unlock(&m); } void *g(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cleanup_push(un, 0); while (!go) pthread_cond_wait(&c, &m); pthread_cleanup_pop(1); return (void *)1; } int main(void) { pthread_t t; void *r; pthread_create(&t, 0, g, 0); for (;;) { pthread_mutex_lock(&m); if (ready) break; pthread_mutex_unlock(&m); } go = 1; pthread_cond_signal(&c); pthread_cancel(t); pthread_mutex_unlock(&m); pthread_join(t, &r); assert(r == PTHREAD_CANCELED); return 0; }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for m, o := range map[memory.Model]c.Options{"tso": {}, "rc11": {Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}} {
				if got := verdictOf(t, read(t, "main.c", head+s.body, o), m, "auto"); got != s.want {
					t.Errorf("%s: %s, want %s", m, got, s.want)
				}
			}
		})
	}
}

// TestTriesDoNotWait: nobody hangs who only tries to wait for a thread, or has been cancelled while it waited.
func TestTriesDoNotWait(t *testing.T) {
	text, err := os.ReadFile("testdata/verdicts/tryjoin-hang.c")
	if err != nil {
		t.Fatal(err)
	}
	p := read(t, "main.c", string(text), c.Options{Signals: true})
	r, err := engine.Deadlocks(t.Context(), p, engine.Options{Model: memory.TSO})
	if err != nil || r.Verdict() != verdict.IsSafe {
		t.Errorf("%v, %v", r, err)
	}
}
