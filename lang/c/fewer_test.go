package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestFewChoices: where the program goes on with few values of what it reads, it is chosen from few.
func TestFewChoices(t *testing.T) {
	const before = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int sum;
pthread_t t[4];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *count(void *a) { pthread_mutex_lock(&m); sum++; pthread_mutex_unlock(&m); return 0; }
`
	const make = ` for (int i = 0; i < n; i++) pthread_create(t + i, 0, count, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(sum == n); return 0; }`
	for _, s := range []struct{ name, text string }{
		{"scanf, and a range", `int main(void) { int n; if (scanf("%d", &n) != 1 || n < 1 || n > 4) return 1;`},
		{"scanf, and a range after that", `int main(void) { int n; if (scanf("%d", &n) != 1) return 1; if (n < 1 || n > 4) exit(1);`},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, th := range read(t, "main.c", before+s.text+make, c.Options{}).Threads {
				for _, e := range th.Edges {
					if e.Cmd.Op == program.Havoc && e.Cmd.Hi-e.Cmd.Lo > 10 {
						t.Errorf("%v", &e.Cmd)
					}
				}
			}
		})
	}
}
