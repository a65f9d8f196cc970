package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestReals has numbers of floating point in arrays of bytes.
func TestReals(t *testing.T) {
	t.Parallel()
	const s = `#include <pthread.h>
#include <stdio.h>
struct v { double x; int n; struct v *next; }; static _Alignas(8) char m[64], n[64]; static int at; void *get(int n) { at += n; return m + at - n; }
void *f(void *a) { struct v *p = a; p->x = 2; p->n = 7; return 0; }
int main(void) { struct v *p = get(sizeof *p), *q = get(sizeof *q); pthread_t t; p->x = 1; p->n = 3; p->next = q; `
	for _, x := range []snippet{
		{"what is beside them", s + `q->x = p->x + 1; printf("%f", q->x); assert(m[8] == 3 && p->next == q); return 0; }`, "SAFE"},
		{"their bytes", s + `assert(m[8] == 3 && m[7] == 0); return 0; }`, "UNKNOWN"},
		{"their bytes, which have been stored over", s + `m[6] = 1; m[7] = 2; assert(((short *)p)[3] == 0x201); return 0; }`, "SAFE"},
		{"copied with a structure", s + `struct v *o = (struct v *)n; *o = *p; assert(n[8] == 3); return 0; }`, "SAFE"},
		{"copied with a structure, their bytes", s + `struct v *o = (struct v *)n; *o = *p; assert(n[7] == 0); return 0; }`, "UNKNOWN"},
		{"copied as bytes", s + `memcpy(n, m, 24); assert(n[7] == 0); return 0; }`, "UNKNOWN"},
		{"stored by a thread", s + `pthread_create(&t, 0, f, q); pthread_join(t, 0); assert(q->n == 7 && m[32] == 7); return 0; }`, "SAFE"},
		{"stored by a thread, their bytes", s + `pthread_create(&t, 0, f, q); pthread_join(t, 0); assert(m[31] == 0); return 0; }`, "UNKNOWN"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, snippetText(x.body), x.want, memory.TSO)
		})
	}
}
