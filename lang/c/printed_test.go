package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestPrinted has texts that threads print beside others.
func TestPrinted(t *testing.T) {
	t.Parallel()
	const main = `int main(void) { pthread_t t; s = strdup("abc"); atomic_store(&n, 2); pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }`
	for _, s := range []snippet{
		{"a text that is given back by the last", `char *s; atomic_int n; void *f(void *a) { puts(s); if (atomic_fetch_sub(&n, 1) == 1) free(s); return 0; } ` + main, "SAFE"},
		{"a text that is given back by the first", `char *s; atomic_int n; void *f(void *a) { puts(s); if (atomic_fetch_sub(&n, 1) == 2) free(s); return 0; } ` + main, "UNSAFE"},
		{"a text that loses its end", `char *s; atomic_int n; void *f(void *a) { if (atomic_fetch_sub(&n, 1) == 1) s[3] = 'd'; else puts(s); return 0; } ` + main, "UNSAFE"},
		{"a text that gets another end", `char *s; atomic_int n; void *f(void *a) { if (atomic_fetch_sub(&n, 1) == 1) s[2] = 0; else puts(s); return 0; } ` + main, "SAFE"},
		{"a text without an end", `char g[3] = "abc", z; void *f(void *a) { puts(g); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return z; }`, "UNSAFE"},
		{"memory without an end", `char *s; void *f(void *a) { puts(s); return 0; } int main(void) { pthread_t t; s = malloc(3); memset(s, 'x', 3); pthread_create(&t, 0, f, 0); pthread_join(t, 0); free(s); return 0; }`, "UNSAFE"},
		{"memory whose end is not written", `char *s; void *f(void *a) { puts(s); return 0; } int main(void) { pthread_t t; s = malloc(4); memset(s, 'x', 3); pthread_create(&t, 0, f, 0); pthread_join(t, 0); free(s); return 0; }`, "UNSAFE"},
		{"no text for a while", `char *volatile s; void *f(void *a) { s = "x"; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); puts(s); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"a text on a stack that is gone", `char *volatile s = "y"; void *f(void *a) { char b[2] = "x"; s = b; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); puts(s); pthread_join(t, 0); return 0; }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n"+snippetText(s.body), s.want, memory.TSO, memory.RC11)
		})
	}
	// Of a text that nobody changes it is one character that is read, which it takes to see that the memory is there.
	text := "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n" + snippetText(`char *s; atomic_int n; void *f(void *a) { puts(s); if (atomic_fetch_sub(&n, 1) == 1) free(s); return 0; } `+main)
	for _, thread := range read(t, "main.c", text, c.Options{}).Threads {
		for i := range thread.Edges {
			thread.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if _, known := c.Addr.(program.Const); !known {
					t.Errorf("%s: goes through the text", thread.Name)
				}
			})
		}
	}
}
