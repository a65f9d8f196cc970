package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestDestroyed: what has been destroyed is used by nobody.
func TestDestroyed(t *testing.T) {
	for _, s := range []snippet{
		{"a read-write lock of another thread", `pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; void *f(void *a) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_rwlock_destroy(&l); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"a read-write lock", `pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int main(void) { pthread_rwlock_destroy(&l); pthread_rwlock_wrlock(&l); return 0; }`, "UNSAFE"},
		{"a read-write lock that is held", `pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int main(void) { pthread_rwlock_rdlock(&l); pthread_rwlock_destroy(&l); pthread_rwlock_unlock(&l); return 0; }`, "UNSAFE"},
		{"a read-write lock that is initialised again", `pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; void *f(void *a) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); pthread_rwlock_destroy(&l); pthread_rwlock_init(&l, 0); assert(!pthread_rwlock_trywrlock(&l)); pthread_rwlock_unlock(&l); pthread_rwlock_destroy(&l); return 0; }`, "SAFE"},
		{"a read-write lock that is tried", `pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int main(void) { pthread_rwlock_destroy(&l); return pthread_rwlock_tryrdlock(&l); }`, "UNSAFE"},
		{"a condition that is signalled", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; void *f(void *a) { pthread_cond_signal(&c); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_cond_destroy(&c); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"a condition that is waited for", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int main(void) { pthread_cond_destroy(&c); pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); return 0; }`, "UNSAFE"},
		{"a condition that is initialised again", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x; void *f(void *a) { pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); pthread_join(t, 0); pthread_cond_destroy(&c); pthread_mutex_destroy(&m); pthread_cond_init(&c, 0); pthread_mutex_init(&m, 0); pthread_cond_broadcast(&c); return 0; }`, "SAFE"},
		{"a condition that is signalled too late", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x; void *f(void *a) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); pthread_cond_signal(&c); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); pthread_cond_destroy(&c); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"a semaphore of another thread", `sem_t s; void *f(void *a) { sem_post(&s); return 0; } int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, f, 0); sem_destroy(&s); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"a semaphore that nobody needs", `sem_t s; void *f(void *a) { sem_post(&s); return 0; } int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, f, 0); sem_wait(&s); sem_destroy(&s); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"a semaphore that is tried", `sem_t s; int main(void) { sem_init(&s, 0, 1); sem_destroy(&s); return sem_trywait(&s); }`, "UNSAFE"},
		{"a semaphore, twice", `sem_t s; int main(void) { sem_init(&s, 0, 1); sem_destroy(&s); sem_destroy(&s); return 0; }`, "UNSAFE"},
		{"a semaphore that is asked for", `sem_t s; int main(void) { int v; sem_init(&s, 0, 1); sem_destroy(&s); sem_getvalue(&s, &v); return 0; }`, "UNSAFE"},
		{"a spin lock", `pthread_spinlock_t s; int main(void) { pthread_spin_init(&s, 0); pthread_spin_destroy(&s); pthread_spin_lock(&s); return 0; }`, "UNSAFE"},
		{"a barrier", `pthread_barrier_t b; int main(void) { pthread_barrier_init(&b, 0, 1); pthread_barrier_destroy(&b); pthread_barrier_wait(&b); return 0; }`, "UNSAFE"},
		{"a barrier that somebody waits at", `pthread_barrier_t b; void *f(void *a) { pthread_barrier_wait(&b); return 0; } int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0); pthread_barrier_destroy(&b); return 0; }`, "UNSAFE"},
		{"a barrier that everybody has come to", `pthread_barrier_t b; void *f(void *a) { pthread_barrier_wait(&b); return 0; } int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0); pthread_barrier_wait(&b); pthread_barrier_destroy(&b); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"a mutex in the next round", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m); } return 0; }`, "UNSAFE"},
		{"a mutex in a function", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void g(void) { pthread_mutex_lock(&m); } int main(void) { pthread_mutex_destroy(&m); g(); return 0; }`, "UNSAFE"},
		{"a mutex while there are threads", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a mutex, twice", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_destroy(&m); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"mutexes at the end", `pthread_mutex_t m[2]; int main(void) { for (int i = 0; i < 2; i++) pthread_mutex_init(&m[i], 0); for (int i = 0; i < 2; i++) pthread_mutex_lock(&m[i]); for (int i = 0; i < 2; i++) pthread_mutex_unlock(&m[i]); for (int i = 0; i < 2; i++) pthread_mutex_destroy(&m[i]); return 0; }`, "SAFE"},
		{"a mutex while one thread is left", `pthread_mutex_t m[2]; void *f(void *a) { pthread_mutex_lock(m); pthread_mutex_unlock(m); return 0; } int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(t + i, 0, f, 0); pthread_join(t[0], 0); pthread_mutex_destroy(m); return 0; }`, "UNSAFE"},
		{"three threads, and two that are waited for", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(t + i, 0, f, 0); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a loop that ends early", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(t + i, 0, f, 0); for (int i = 0; i < 2; i++) { if (i == 1) break; pthread_join(t[i], 0); } pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a thread that is waited for on a condition", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (rand() & 1) pthread_join(t, 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a number that changes", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[2]; int n = 2; for (int i = 0; i < n; i++) pthread_create(t + i, 0, f, 0); n = 1; for (int i = 0; i < n; i++) pthread_join(t[i], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a counter that goes faster", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(t + i, 0, f, 0); for (int i = 0; i < 2; i++) pthread_join(t[i++], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"functions that are called more and less often", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } pthread_t t[2]; int k; void start(void) { pthread_create(&t[k++], 0, f, 0); } void stop(void) { pthread_join(t[--k], 0); } int main(void) { start(); start(); stop(); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a function that may come back early", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } pthread_t t; void stop(int is) { if (!is) return; pthread_join(t, 0); } int main(void) { pthread_create(&t, 0, f, 0); stop(rand() & 1); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"other numbers with one name", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } pthread_t t[2]; void start(int n) { for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f, 0); } void stop(int n) { for (int i = 0; i < n; i++) pthread_join(t[i], 0); } int main(void) { start(2); stop(1); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"other numbers with one name in blocks", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[2]; { int n = 2; for (int i = 0; i < n; i++) pthread_create(t + i, 0, f, 0); } { int n = 1; for (int i = 0; i < n; i++) pthread_join(t[i], 0); } pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a thread of a thread", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } void *g(void *a) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); pthread_join(t, 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a mutex that atexit has somebody take", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } void g(void) { f(0); } int main(void) { atexit(g); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a mutex that a destructor takes", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } __attribute__((destructor)) void g(void) { f(0); } int main(void) { pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a mutex that is taken where a variable goes", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } void g(int *p) { f(0); } int main(void) { int x __attribute__((cleanup(g))) = 0; pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a function that is called by its address, too", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } pthread_t t[2]; int k; void start(void) { pthread_create(&t[k++], 0, f, 0); } int main(void) { void (*p)(void) = start; start(); p(); pthread_join(t[0], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a function that is called in another way, too", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } pthread_t t[2]; int k; void start(void) { pthread_create(&t[k++], 0, f, 0); } int main(void) { start(); (*start)(); pthread_join(t[0], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a thread that ends before it waits", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } pthread_t t[2]; void *g(void *a) { pthread_create(&t[1], 0, f, 0); pthread_exit(0); pthread_join(t[1], 0); return 0; } int main(void) { pthread_create(&t[0], 0, g, 0); pthread_join(t[0], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a counter that goes on", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[2]; int i = 0; for (; i < 2; i++) pthread_create(&t[i], 0, f, 0); for (; i < 2; i++) pthread_join(t[i], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"counters of other types", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[3]; for (int i = 2; i > -1; i--) pthread_create(&t[i], 0, f, 0); for (unsigned i = 2; i > -1; i--) pthread_join(t[i], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a thread that returns before it waits", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } void *g(void *a) { pthread_t b; pthread_create(&b, 0, f, 0); return 0; pthread_join(b, 0); } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); pthread_join(t, 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a thread that is waited for twice", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(u, 0); pthread_join(u, 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"one thread that is waited for in all rounds", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t[2]; int n = 2; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < n; i++) pthread_join(t[n - 1], 0); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"elements, in two loops", `pthread_mutex_t m[2]; int i, j; int main(void) { for (i = 0; i < 2; i++) pthread_mutex_destroy(&m[i]); for (j = 0; j < 2; j++) pthread_mutex_destroy(&m[j]); return 0; }`, "UNSAFE"},
		{"elements, round and round", `pthread_mutex_t m[2]; int main(void) { for (int i = 0; i < 4; i++) pthread_mutex_destroy(&m[i % 2]); return 0; }`, "UNSAFE"},
		{"elements, by a number and a variable", `pthread_mutex_t m[2]; int i; int main(void) { pthread_mutex_destroy(&m[0]); pthread_mutex_destroy(&m[i]); return 0; }`, "UNSAFE"},
		{"a name in brackets", `pthread_mutex_t m; int main(void) { pthread_mutex_destroy(&m); pthread_mutex_destroy(&(m)); return 0; }`, "UNSAFE"},
		{"members, by a name and a pointer", `struct s { pthread_mutex_t m; } s; int main(void) { struct s *p = &s; pthread_mutex_destroy(&s.m); pthread_mutex_destroy(&p->m); return 0; }`, "UNSAFE"},
		{"a pointer that is set again", `pthread_mutex_t m; int main(void) { pthread_mutex_t *p = &m; int n = 0; while (n++ < 2) { pthread_mutex_destroy(p); p = &m; } return 0; }`, "UNSAFE"},
		{"members of two objects", `struct s { pthread_mutex_t m; } s, t; int main(void) { pthread_mutex_destroy(&s.m); pthread_mutex_destroy(&t.m); return 0; }`, "SAFE"},
		{"a mutex in all rounds of a loop", `pthread_mutex_t m; int main(void) { for (int i = 0; i < 2; i++) pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
		{"a mutex by its pointer, too", `pthread_mutex_t m; int main(void) { pthread_mutex_t *p = &m; pthread_mutex_destroy(&m); pthread_mutex_destroy(p); return 0; }`, "UNSAFE"},
		{"a wait that nobody begins", `pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int n = sizeof(pthread_join(t, 0)); pthread_mutex_destroy(&m); return 0; }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n" + s.body
			for m, o := range map[memory.Model]c.Options{"tso": {}, "rc11": {Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}} {
				if m == "rc11" && s.name == "a barrier that somebody waits at" {
					continue // who comes last may not have turned the round
				}
				if got := verdictOf(t, read(t, "main.c", text, o), m, "auto"); got != s.want {
					t.Errorf("%s: %s, want %s", m, got, s.want)
				}
			}
		})
	}
}
