package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestOnStack asks for how long there is what a block has: arrays whose size varies, what alloca gives, and compound literals.
func TestOnStack(t *testing.T) {
	t.Parallel()
	for _, s := range []snippet{
		{"alloca, when the function has returned", `int *p; void f(void) { p = alloca(4); *p = 1; } int main(void) { f(); return *p; }`, "UNSAFE"},
		{"alloca, when its block has been left", `int *p; void f(int n) { if (n) { p = alloca(4); *p = 1; } assert(*p == 1); } int main(void) { f(1); return 0; }`, "SAFE"},
		{"alloca in a loop", `int f(int n) { int *p = 0, *q = 0; for (int i = 0; i < n; i++) { q = p; p = alloca(4); *p = i; } return *p + *q; } int main(void) { assert(f(2) == 1); return 0; }`, "SAFE"},
		{"alloca for a function that is called", `int g(int *p) { return p[1]; } int f(int n) { int *p = alloca(2 * sizeof *p); p[0] = n; p[1] = n + 1; return g(p); } int main(void) { assert(f(2) == 3 && f(4) == 5); return 0; }`, "SAFE"},
		{"alloca in a function that calls itself", `int f(int n, int *up) { int *p = alloca(4); *p = n; if (up) assert(*up == n + 1); return n ? f(n - 1, p) : *p; } int main(void) { assert(f(3, 0) == 0); return 0; }`, "SAFE"},
		{"alloca of a thread that has ended", `int *p; void *f(void *a) { int *q = alloca(8); q[1] = 3; p = q; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return p[1]; }`, "UNSAFE"},
		{"alloca of a thread that another one waits for", `void *g(void *a) { ++*(int *)a; return 0; } void *f(void *a) { pthread_t t; int *q = alloca(8); q[1] = 3; pthread_create(&t, 0, g, &q[1]); pthread_join(t, 0); assert(q[1] == 4); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"alloca of a thread that another one does not wait for", `void *g(void *a) { ++*(int *)a; return 0; } void *f(void *a) { pthread_t t; int *q = alloca(8); q[1] = 3; pthread_create(&t, 0, g, &q[1]); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"alloca of main", `int *p; int main(void) { { p = alloca(4); } *p = 1; return *p - 1; }`, "SAFE"},
		{"an array whose size varies", `int f(int n) { int s = 0; for (int i = 1; i <= n; i++) { int a[i]; a[i - 1] = i; s += a[i - 1]; } return s; } int main(void) { assert(f(3) == 6); return 0; }`, "SAFE"},
		{"an array whose size varies, of an earlier round", `int f(int n) { int *p = 0; for (int i = 1; i <= n; i++) { int a[i]; a[0] = i; if (p) return *p; p = a; } return 0; } int main(void) { return f(2); }`, "UNSAFE"},
		{"an array whose size varies, when its block has been left", `int f(int n) { int *p; { int a[n]; a[0] = 1; p = a; } return *p; } int main(void) { return f(2); }`, "UNSAFE"},
		{"an array whose size varies, and a jump out", `int *p; int f(int n) { { int a[n]; a[0] = 1; p = a; if (n > 1) goto out; a[0] = 2; } out: return *p; } int main(void) { return f(2); }`, "UNSAFE"},
		{"an array whose size varies that is given on", `int g(int *p) { return p[1]; } int f(int n) { int a[n]; a[1] = n; return g(a); } int main(void) { assert(f(2) == 2); return 0; }`, "SAFE"},
		{"an array whose size varies, which is not come to", `int f(int n) { if (n > 5) { int a[n]; a[0] = 1; return a[0]; } return 0; } int main(void) { return f(2); }`, "SAFE"},
		{"threads in an array whose size varies", `atomic_int x; void *g(void *a) { x++; return 0; } void f(int n) { pthread_t t[n]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, g, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(x == n); } int main(void) { f(2); return 0; }`, "SAFE"},
		{"what main has, when it has ended alone", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *g(void *a) { return (void *)(long)*(int *)a; } int main(void) { pthread_t t; int x = 1; pthread_create(&t, 0, g, &x); pthread_exit(0); }`, "UNSAFE"},
		{"what main has, when it has waited", `void *g(void *a) { return (void *)(long)*(int *)a; } int main(void) { pthread_t t; int x = 1; pthread_create(&t, 0, g, &x); pthread_join(t, 0); pthread_exit(0); }`, "SAFE"},
		{"what main has, when it returns", `void *g(void *a) { return (void *)(long)*(int *)a; } int main(void) { pthread_t t; int x = 1; pthread_create(&t, 0, g, &x); if (rand()) { pthread_join(t, 0); pthread_exit(0); } return 0; }`, "SAFE"},
		{"what main has, when it is cancelled", `void *g(void *a) { pthread_t *p = a; pthread_cancel(*p); return 0; } int main(void) { pthread_t t, u = pthread_self(); pthread_create(&t, 0, g, &u); for (;;) pthread_testcancel(); }`, "SAFE"},
		{"what is thread-local, when main has ended alone", `_Thread_local int x = 1; void *g(void *a) { return (void *)(long)*(int *)a; } int main(void) { pthread_t t; pthread_create(&t, 0, g, &x); pthread_exit(0); }`, "UNSAFE"},
		{"what is thread-local, at the end of a thread", `_Thread_local int z; pthread_key_t k; void d(void *a) { z++; ++*(int *)a; assert(z == 2); } void *f(void *a) { z = 0; pthread_setspecific(k, &z); return 0; } int main(void) { pthread_t t; pthread_key_create(&k, d); pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"what a function has, at the end of a thread", `pthread_key_t k; void d(void *a) { ++*(int *)a; } void *f(void *a) { int z = 0; pthread_setspecific(k, &z); pthread_exit(0); } int main(void) { pthread_t t; pthread_key_create(&k, d); pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"what main has, at its end", `pthread_key_t k; void d(void *a) { ++*(int *)a; } int main(void) { int z = 0; pthread_key_create(&k, d); pthread_setspecific(k, &z); pthread_exit(0); }`, "UNSAFE"},
		{"what a constructor had", `int *p; __attribute__((constructor)) void f(void) { int x = 1; p = &x; } int main(void) { return *p; }`, "UNSAFE"},
		{"what a constructor has", `int y; void g(int *p) { y = *p; } __attribute__((constructor)) void f(void) { int x = 1; g(&x); } int main(void) { assert(y == 1); return 0; }`, "SAFE"},
		{"what a function has that is called at the end", `int y; void g(int *p) { y = *p; } void f(void) { int x = 1; g(&x); assert(y == 1); } int main(void) { atexit(f); return 0; }`, "SAFE"},
		{"a literal", `int f(int *p) { return p[1]; } int main(void) { return f((int[]){1, 0}); }`, "SAFE"},
		{"a literal, when its block has been left", `int *p; int main(void) { { p = (int[]){1, 0}; } return p[1]; }`, "UNSAFE"},
		{"a literal that is a part of a statement", `int *p; int main(void) { int x = 0; p = &x; if (rand()) p = &(int){0}; return *p; }`, "UNSAFE"},
		{"a literal in a part of a statement", `int *p; int main(void) { int x = 0; if (rand()) x = *(p = &(int){0}); return x; }`, "SAFE"},
		{"a literal of every round", `struct n { struct n *next; } *h; int main(void) { for (int i = 0; i < 2; i++) h = &(struct n){ h }; return h->next == 0; }`, "UNSAFE"},
		{"a literal in what is asked", `int *p; int main(void) { if ((p = &(int){1})) ; return *p; }`, "UNSAFE"},
		{"a literal in what is asked, there", `int *p, n; int main(void) { if ((p = &(int){1})) n = *p; for (p = &(int){0}; *p < 2; ++*p) n++; assert(n == 3); return 0; }`, "SAFE"},
		{"a literal in a loop", `int *p; int main(void) { for (p = &(int){1}; 0;) ; return *p; }`, "UNSAFE"},
		{"a literal of a block", `int *p; int main(void) { int y = 1; { int x = 0; p = (int[]){x, y}; y = p[1] - p[0]; } return y; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <alloca.h>\n#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n" + s.body
			underModels(t, text, s.want, memory.TSO, memory.RC11)
			if got := verdictOf(t, read(t, "main.c", text, c.Options{Leaks: true}), memory.TSO, "auto"); got != s.want {
				t.Errorf("with leaks: %s, want %s", got, s.want)
			}
		})
	}
}
