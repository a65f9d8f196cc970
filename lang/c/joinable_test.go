package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestJoinable: a thread is waited for once, or detached.
func TestJoinable(t *testing.T) {
	const head = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <threads.h>\n" +
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
