package c_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// TestLoopsThatEnd: which loops without effect are taken to end.
func TestLoopsThatEnd(t *testing.T) {
	const ends, stays = true, false
	for text, want := range map[string]bool{
		`for (int i = 0; i < n; i++) ;`:                                           ends,
		`for (unsigned long i = 0; i < m; i++) ;`:                                 ends,
		`for (unsigned long i = 0; i <= m; i++) ;`:                                stays, // of the largest number
		`for (unsigned long i = 0; i < m; i += 2) ;`:                              stays,
		`for (unsigned long i = 0; i < u; i += 2) ;`:                              ends,
		`for (unsigned i = 0; i <= u; i++) ;`:                                     stays,
		`for (unsigned i = 0; i < u; i++) sched_yield();`:                         ends,
		`for (int i = 0; i < u; i++) __asm__ __volatile__("pause" ::: "memory");`: ends,
		`for (volatile int i = 0; i < n; i++) ;`:                                  ends,
		`for (unsigned char i = 0; i < n; i++) ;`:                                 stays,
		`for (unsigned char i = 1; i < 255; i++) ;`:                               ends,
		`while (m--) ;`:                                             ends,
		`while (--u) usleep(1);`:                                    ends,
		`while (u) u -= 2;`:                                         stays,
		`while (u > 1) u -= 2;`:                                     ends,
		`while (u >= 1) u -= 2;`:                                    stays,
		`while (m > 1) m -= 2;`:                                     ends,
		`while (m >= 1) m -= 2;`:                                    stays,
		`for (int i = 0; i < n; i++) n++;`:                          stays,
		`for (int i = 0; i < n; i++) if (rand()) i--;`:              stays,
		`while (rand()) ;`:                                          stays,
		`for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) ;`: ends,
		`for (int i = 0; i < n; i++) while (rand()) ;`:              stays,
		`for (int i = 0; i < n; i++) { if (rand()) continue; for (u = i; u--;) if (u) m++; }`:  ends,
		`for (int i = 0; i < n; i++) { int x; for (x = 0; x < 5; x++) ; u = x; } assert(u<9);`: stays,
		`for (int i = 0; i < n; i++) shared;`:                                                  stays,
		`for (int i = 0; i < n; i++) assert(i < 100);`:                                         stays,
	} {
		text = `#include <assert.h>
			#include <pthread.h>
			#include <sched.h>
			#include <stdlib.h>
			#include <unistd.h>
			extern int __VERIFIER_nondet_int(void);
			extern unsigned __VERIFIER_nondet_uint(void);
			extern unsigned long __VERIFIER_nondet_ulong(void);
			volatile int shared;
			void *f(void *a) { shared++; return 0; }
			int main(void) {
				pthread_t t;
				pthread_create(&t, 0, f, 0);
				int n = __VERIFIER_nondet_int();
				unsigned u = __VERIFIER_nondet_uint();
				unsigned long m = __VERIFIER_nondet_ulong();
				` + text + ` shared++; return 0; }`
		p, err := c.Parse(&program.Source{Name: "main.c", Text: text}, c.Options{})
		if err != nil {
			t.Fatal(text, err)
		}
		if circles := flow.Circling(p.Threads[0], func(int) bool { return true }); slices.Contains(circles, true) == want {
			t.Errorf("%s: there is a loop: %v", text, want)
		}
	}
}

// TestNeverMade: what shows to make no thread only when threads have numbers is none to refuse.
func TestNeverMade(t *testing.T) {
	const text = `#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int n; long k; char c;
void *f(void *a) { n = (int)(long)a; return 0; }
int main(void) {
	pthread_t t;
	c = rand();
	if (c != 0) return 1;
	if ((c == -1 ? -2 : k) > k) { pthread_create(&t, 0, f, (void *)5); pthread_join(t, 0); }
	pthread_create(&t, 0, f, (void *)3); pthread_join(t, 0);
	assert(n == %s);
	return 0;
}
`
	for number, want := range map[string]string{"3": "SAFE", "5": "UNSAFE"} {
		p := read(t, "main.c", strings.Replace(text, "%s", number, 1), c.Options{})
		if got := verdictOf(t, p, memory.TSO, "auto"); got != want {
			t.Errorf("%s: %s, want %s", number, got, want)
		}
	}
}
