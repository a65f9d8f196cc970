package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestShallow: functions that call themselves so often that they cannot be inlined as deep as others are followed less deep.
func TestShallow(t *testing.T) {
	const tree = `#include <assert.h>
#include <stdlib.h>
struct n { struct n *kid[9]; };
int size;
void count(struct n *p)
{
	if (!p) return;
	size++;
	count(p->kid[0]); count(p->kid[1]); count(p->kid[2]); count(p->kid[3]); count(p->kid[4]); count(p->kid[5]); count(p->kid[6]); count(p->kid[7]); count(p->kid[8]);
}
struct n *grow(int deep) { if (!deep) return 0; struct n *p = calloc(1, sizeof *p); p->kid[2] = grow(deep - 1); return p; }
`
	for _, tt := range []struct{ name, body, want, why string }{
		{"a small tree, and what is wrong with it", `int main(void) { struct n *p = grow(2); count(p); assert(size == 2); free(p->kid[2]); count(p); }`, "UNSAFE", ""},
		{"a depth that is in memory", `int f(int n) { size = n; if (size <= 0) return 0; int r = f(size - 1); if (size > 3) r += f(size - 2); return r + 1; } int main(void) { assert(f(7) == 8); }`, "UNSAFE", ""},
		{"a tree that is too deep", `int main(void) { count(grow(4)); assert(size == 4); }`, "UNKNOWN", "no violation up to a bound: count calls itself more than 3 times, and with more calls in each other the program is too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := engine.Check(t.Context(), read(t, "main.c", tree+tt.body, c.Options{}), engine.Options{Model: memory.SC}.WithDefaults())
			if err != nil || r.Verdict().String() != tt.want || tt.why != "" && (r.Reason() != tt.why || r.Next() != "") {
				t.Errorf("%v: %v: %s, next %q", err, r.Verdict(), r.Reason(), r.Next())
			}
		})
	}
}
