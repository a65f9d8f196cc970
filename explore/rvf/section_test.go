package rvf

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestSections has programs with locks, blocks and mutexes: executions, and whether they are
// safe under SC, TSO and PSO.
func TestSections(t *testing.T) {
	const head = "program P variables x, y; "
	const mutex = `#include <pthread.h>
#include <assert.h>
pthread_mutex_t m; int x;
void *f(void *a) { pthread_mutex_lock(&m); int l = x; x = l + 1; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); pthread_join(a, 0); pthread_join(b, 0); assert(x == WANT); }
`
	for _, tt := range []struct {
		name, file, text string
		executions       [3]int64 // -1: it is unsafe
	}{
		{"writes of one value", "p.imp", head + rep(4, "process P# begin lock; x := 1; y := 1; unlock end ") + "exists x = 1 & y = 1", [3]int64{-1, -1, -1}},
		{"nobody reads", "p.imp", head + rep(4, "process P# begin lock; x := 1; y := 1; unlock end "), [3]int64{1, 1, 1}},
		{"counter", "p.imp", head + rep(3, "process P# local l begin lock; l := x; x := l + 1; unlock end "), [3]int64{6, 6, 6}},
		{"an assertion in a section", "p.imp", head + "process P local l begin lock; l := x; assert l = 0; unlock end process Q begin x := 1 end", [3]int64{-1, -1, -1}},
		{"an assertion that holds", "p.imp", head + "process P local l, m begin lock; l := x; m := x; assert l = m; unlock end process Q begin x := 1 end", [3]int64{2, 2, 2}},
		{"a block", "p.imp", head + "process P local l, m begin atomic begin l := x; m := y end; assert l = m end process Q begin atomic begin x := 1; y := 1 end end", [3]int64{2, 2, 2}},
		{"the lock is a fence", "p.imp", head + "process P local l begin x := 1; lock; unlock; l := y; assert l = 1 end process Q local l begin y := 1; lock; unlock; l := x; if l = 0 then goto e fi; y := 0; e: skip end", [3]int64{-1, -1, -1}},
		{"store buffering with the lock between", "p.imp", head + "process P local l begin x := 1; lock; unlock; l := y end process Q local l begin y := 1; lock; unlock; l := x end exists P.l = 0 & Q.l = 0", [3]int64{3, 3, 3}},
		{"store buffering", "p.imp", head + "process P local l begin x := 1; l := y end process Q local l begin y := 1; l := x end exists P.l = 0 & Q.l = 0", [3]int64{3, -1, -1}},
		{"message passing", "p.imp", head + "process P begin x := 1; y := 1 end process Q local l, m begin l := y; m := x end exists Q.l = 1 & Q.m = 0", [3]int64{3, 3, -1}},
		{"who stands with the lock", "p.imp", head + "process P local l begin lock; l := x; assume l = 1; unlock end process Q local l begin x := 1; l := y; assert l = 1 end", [3]int64{-1, -1, -1}},
		{"a mutex", "p.c", mutex[:len(mutex)-len("WANT); }\n")] + "2); }\n", [3]int64{2, 2, 2}},
		{"a mutex, and a wrong sum", "p.c", mutex[:len(mutex)-len("WANT); }\n")] + "1); }\n", [3]int64{-1, -1, -1}},
	} {
		p := enginetest.Parse(t, tt.file, tt.text)
		for i, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			r, err := Explore(t.Context(), p, Options{Model: m})
			if err != nil {
				t.Fatalf("%s, %s: %v", tt.name, m, err)
			}
			if want := tt.executions[i]; want < 0 && !r.Unsafe() || want >= 0 && (!r.Safe() || r.Stat("executions") != want) {
				t.Errorf("%s, %s: %s %v, want %d", tt.name, m, r.Verdict(), r.Stats, want)
			}
		}
	}
}
