package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestFenceless: what the library does without a locked instruction on x86 is no fence. Two threads store, do one of these things, and read
// what the other one has stored.
func TestFenceless(t *testing.T) {
	for _, s := range []struct {
		name, objects, init, first, between string
		tso                                 string
	}{
		{"nothing", "", "", "", "", "UNSAFE"},
		{"a mutex", "pthread_mutex_t m[2];", "", "", "pthread_mutex_lock(&m[i]); pthread_mutex_unlock(&m[i]);", "SAFE"},
		{"a spin lock", "pthread_spinlock_t s[2];", "", "pthread_spin_lock(&s[i]);", "pthread_spin_unlock(&s[i]);", "UNSAFE"},
		{"a spin lock that is taken", "pthread_spinlock_t s[2];", "", "", "pthread_spin_lock(&s[i]); pthread_spin_unlock(&s[i]);", "SAFE"},
		{"a mutex that is tried", "pthread_mutex_t m[2];", "", "", "pthread_mutex_trylock(&m[i]);", "SAFE"},
		{"a semaphore that has nothing", "sem_t s;", "sem_init(&s, 0, 0);", "", "assert(sem_trywait(&s));", "UNSAFE"},
		{"a semaphore that has nothing for a time", "sem_t s; struct timespec ts;", "sem_init(&s, 0, 0);", "", "assert(sem_timedwait(&s, &ts));", "UNSAFE"},
		{"a semaphore that has enough", "sem_t s;", "sem_init(&s, 0, 2);", "", "assert(!sem_trywait(&s));", "SAFE"},
		{"a semaphore that is asked", "sem_t s;", "sem_init(&s, 0, 0);", "", "int v; sem_getvalue(&s, &v);", "UNSAFE"},
		{"what has been done once", "pthread_once_t o = PTHREAD_ONCE_INIT; void once(void) {}", "pthread_once(&o, once);", "", "pthread_once(&o, once);", "UNSAFE"},
		{"a lock that is tried to read", "pthread_rwlock_t l;", "pthread_rwlock_wrlock(&l);", "", "assert(pthread_rwlock_tryrdlock(&l) == 16);", "UNSAFE"},
		{"a lock that is tried to write", "pthread_rwlock_t l;", "pthread_rwlock_wrlock(&l);", "", "assert(pthread_rwlock_trywrlock(&l) == 16);", "UNSAFE"},
		{"a lock that is tried to write while it is read", "pthread_rwlock_t l;", "pthread_rwlock_rdlock(&l);", "", "assert(pthread_rwlock_trywrlock(&l) == 16);", "UNSAFE"},
		{"a lock that is tried to read, and read", "pthread_rwlock_t l;", "", "", "assert(!pthread_rwlock_tryrdlock(&l));", "SAFE"},
		{"a lock that the thread has to write", "pthread_rwlock_t l[2];", "", "pthread_rwlock_wrlock(&l[i]);", "assert(pthread_rwlock_trywrlock(&l[i]) == 16);", "UNSAFE"},
		{"a mutex that the thread has", "pthread_mutex_t m[2] = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};", "", "pthread_mutex_lock(&m[i]);", "assert(!pthread_mutex_lock(&m[i])); assert(!pthread_mutex_trylock(&m[i])); pthread_mutex_unlock(&m[i]);", "UNSAFE"},
		{"a thread that is tried to be waited for", "pthread_t k; sem_t s; void *g(void *a) { sem_wait(&s); return 0; }", "sem_init(&s, 0, 0); pthread_create(&k, 0, g, 0);", "", "assert(pthread_tryjoin_np(k, 0));", "UNSAFE"},
		{"a mutex that counts", "pthread_mutex_t m[2] = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};", "", "", "assert(!pthread_mutex_lock(&m[i]));", "SAFE"},
		{"a mutex that says that the thread has it", "pthread_mutex_t m[2] = {PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};", "", "pthread_mutex_lock(&m[i]);", "assert(pthread_mutex_lock(&m[i]) == 35);", "UNSAFE"},
		{"a mutex that says that the thread has it not", "pthread_mutex_t m[2] = {PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};", "", "", "assert(pthread_mutex_unlock(&m[i]) == 1);", "UNSAFE"},
		{"a mutex that checks, and is given back", "pthread_mutex_t m[2] = {PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};", "", "pthread_mutex_lock(&m[i]);", "assert(!pthread_mutex_unlock(&m[i]));", "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := `#define _GNU_SOURCE
				#include <assert.h>
				#include <pthread.h>
				#include <semaphore.h>
				int x[2], r[2];` + s.objects + `
				void *f(void *a) { int i = a != 0; ` + s.first + ` x[i] = 1; ` + s.between + ` r[i] = x[1 - i]; return 0; }
				int main(void) {
					pthread_t t;
					` + s.init + `
					pthread_create(&t, 0, f, &t);
					f(0);
					pthread_join(t, 0);
					assert(r[0] || r[1]);
				}`
			p := read(t, "main.c", text, c.Options{})
			for m, want := range map[memory.Model]string{memory.SC: "SAFE", memory.TSO: s.tso, memory.PSO: s.tso} {
				if got := verdictOf(t, p, m, "auto"); got != want {
					t.Errorf("%s: %s, want %s", m, got, want)
				}
			}
		})
	}
}
