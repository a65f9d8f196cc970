package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestFewChoices: where the program goes on with few values of what it reads, it is chosen from few.
func TestFewChoices(t *testing.T) {
	const before = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int sum;
pthread_t t[3];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
`
	const (
		number   = `int n; void *count(void *a) { pthread_mutex_lock(&m); if (sum < n) sum++; pthread_mutex_unlock(&m); return 0; } `
		member   = `struct { int a, n; } c; void *count(void *a) { pthread_mutex_lock(&m); if (sum < c.n) sum += c.a; pthread_mutex_unlock(&m); return 0; } `
		nobody   = `void *count(void *a) { pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); return 0; } `
		begin    = ` for (int i = 0; i < n; i++) pthread_create(t + i, 0, count, 0); `
		wait     = ` for (int i = 0; i < n; i++) pthread_join(t[i], 0); `
		is, less = ` assert(sum == n); return 0; }`, ` assert(sum < 3); return 0; }`
	)
	for _, s := range []snippet{
		{"scanf, and a range", nobody + `int main(void) { int n; if (scanf("%d", &n) != 1 || n < 1 || n > 3) return 1;` + begin + wait + is, "SAFE"},
		{"scanf, and a range after that", nobody + `int main(void) { int n; if (scanf("%d", &n) != 1) return 1; if (n < 1 || n > 3) exit(1);` + begin + wait + is, "SAFE"},
		{"scanf, and three", nobody + `int main(void) { int n; if (scanf("%d", &n) != 1 || n < 1 || n > 3) return 1;` + begin + wait + less, "UNSAFE"},
		{"what others look at", number + `int main(void) { n = rand(); if (n < 1 || n > 3) return 1;` + begin + wait + is, "SAFE"},
		{"what others look at, and three", number + `int main(void) { n = rand(); if (n < 1 || n > 3) return 1;` + begin + wait + less, "UNSAFE"},
		{"what others look at, and nobody waits", number + `int main(void) { n = rand(); if (n < 1 || n > 3) return 1;` + begin + ` return 0; }`, "SAFE"},
		{"scanf of what others look at", number + `int main(void) { if (scanf("%d", &n) != 1) return 1; if (n < 1 || n > 3) { printf("%d\n", n); exit(1); }` + begin + wait + is, "SAFE"},
		{"a member that others look at", member + `int main(void) { c.a = 1; c.n = rand(); if (c.n < 1 || c.n > 3) return 1; int n = c.n;` + begin + wait + is, "SAFE"},
		{"what is changed afterwards", number + `int main(void) { n = rand(); if (n < 1 || n > 3) return 1; int k = n; n = 2;` + begin + ` assert(k == n); return 0; }`, "UNSAFE"},
		{"what is chosen again", number + `int main(void) { int k = n = rand(); if (n < 1 || n > 3) return 1; n = rand(); if (n < 1 || n > 3) return 2;` + begin + ` assert(k == n); return 0; }`, "UNSAFE"},
		{"a thread that is there before", number + `int main(void) { pthread_create(t, 0, count, 0); n = rand(); if (n < 1 || n > 3) return 1; pthread_join(t[0], 0); assert(sum == 1); return 0; }`, "UNSAFE"},
		{"a thread that changes it", number + `void *f(void *a) { n = 3; return 0; } int main(void) { n = rand(); if (n < 1 || n > 2) return 1; pthread_create(t, 0, f, 0); int k = n; pthread_join(t[0], 0); assert(k < 3); return 0; }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, "main.c", before+s.body, c.Options{})
			for _, th := range p.Threads {
				for _, e := range th.Edges {
					if e.Cmd.Op == program.Havoc && e.Cmd.Hi-e.Cmd.Lo > 10 && s.name != "a thread that is there before" {
						t.Errorf("%v", &e.Cmd)
					}
				}
			}
			for _, m := range []memory.Model{memory.SC, memory.PSO} {
				if got := verdictOf(t, p, m, "auto"); got != s.want {
					t.Errorf("%s under %s, want %s", got, m, s.want)
				}
			}
		})
	}
}

// TestEarlyAstray: what main chooses is stored where it goes astray, before there are other threads.
func TestEarlyAstray(t *testing.T) {
	const begin = `#include <pthread.h>
#include <stdlib.h>
int number, *p, *q;
struct pair { int a, n; } *s;
const int fixed = 1;
void *f(void *a) { if (p) number = *p; return 0; }
`
	for _, s := range []snippet{
		{"a load of what has been freed", `int main(void) { pthread_t t; p = malloc(4); *p = rand(); free(p); int y = *p; if (y < 1 || y > 3) return 1; pthread_create(&t, 0, f, 0); return 0; }`, "UNSAFE"},
		{"one where it may have been", `int main(void) { pthread_t t; p = malloc(4); *p = rand(); if (*p == 7) free(p); if (*p == 7) return 1; pthread_create(&t, 0, f, 0); return 0; }`, "UNSAFE"},
		{"a store to it, and the end", `int main(void) { pthread_t t; p = malloc(4); free(p); *p = rand(); return 0; }`, "UNSAFE"},
		{"a store to it, and the end of some runs", `int main(void) { pthread_t t; p = malloc(4); int c = rand(); if (c < 1 || c > 3) { if (c == 7) free(p); *p = c; return 0; } *p = c; pthread_create(&t, 0, f, 0); return 0; }`, "UNSAFE"},
		{"a store to a member of it", `int main(void) { pthread_t t; s = malloc(sizeof *s); s->a = 1; s->n = rand(); if (s->n < 1 || s->n > 3) { free(s); s->n = rand(); exit(1); } number = s->n; pthread_create(&t, 0, f, 0); return 0; }`, "UNSAFE"},
		{"a store to what is const", `int main(void) { pthread_t t; number = rand(); if (number < 1 || number > 3) { *(int *)&fixed = rand(); return 0; } pthread_create(&t, 0, f, 0); return 0; }`, "UNSAFE"},
		{"a store to a variable whose block has been left", `int main(void) { pthread_t t; { int x; q = &x; x = rand(); if (x < 1 || x > 3) return 0; } *q = rand(); return 0; }`, "UNSAFE"},
		{"a load of one", `int main(void) { pthread_t t; { int x; q = &x; x = rand(); number = x; } if (number == 6) { int y = *q; if (y < 3) return 0; } q = 0; pthread_create(&t, 0, f, 0); return 0; }`, "UNSAFE"},
		{"what is freed in the end", `int main(void) { pthread_t t; p = malloc(4); *p = rand(); if (*p < 1 || *p > 3) return 1; int k = *p; pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (k != number) abort(); free(p); return 0; }`, "SAFE"},
		{"what is const and gets its value", `int main(void) { pthread_t t; const int n = rand(); if (n < 1 || n > 3) return 1; p = (int *)&n; pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (n != number) abort(); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, "main.c", begin+s.body, c.Options{})
			for _, th := range p.Threads {
				for _, e := range th.Edges {
					if e.Cmd.Op == program.Havoc && e.Cmd.Hi-e.Cmd.Lo > 10 && s.want == "SAFE" {
						t.Errorf("%v", &e.Cmd)
					}
				}
			}
			if got := verdictOf(t, p, memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
