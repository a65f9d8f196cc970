package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestRings: what an index that goes back to 0 can be is found out, so that nothing looks whether it is inside of the ring.
func TestRings(t *testing.T) {
	for name, step := range map[string]string{
		"by a variable":   "size_t n = w + 1; if (n == 3) n = 0;",
		"at the end":      "size_t n = w + 1; if (n >= 3) n = 0;",
		"by a remainder":  "size_t n = (w + 1) % 3;",
		"and it is there": "size_t n = w + 1; if (n == 3) n = 0; if (n == atomic_load(&out)) continue;",
	} {
		p := read(t, "a.c", `#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_size_t in, out;
int a[3];
void *p(void *u) { for (;;) { size_t w = atomic_load(&in); `+step+` a[w] = 1; atomic_store(&in, n); } return 0; }
void *q(void *u) { for (;;) { size_t w = atomic_load(&out); size_t n = w + 1; if (n == 3) n = 0; if (w != atomic_load(&in)) atomic_store(&out, n); } return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, p, 0); pthread_create(&t, 0, q, 0); return 0; }
`, c.Options{})
		for _, th := range p.Threads {
			for i := range th.Edges {
				if cmd := &th.Edges[i].Cmd; cmd.Op == program.Assert {
					t.Errorf("%s: %s", name, cmd.Text)
				}
			}
		}
	}
}
