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

// TestTagged has numbers of floating point that share their memory with integers and pointers, and a tag that tells what is there.
func TestTagged(t *testing.T) {
	t.Parallel()
	const s = `#include <pthread.h>
struct v { int tag; union { int i; double d; void *p; } u; }; struct v q[2]; _Atomic int n;
struct v made(struct v x, int tag) { x.tag = tag; return x; }
double half(int k) { return k * 0.5; }
void *put(void *a) { q[0] = (struct v){ 1, { 7 } }; q[1].tag = 2; q[1].u.d = half(n + 3); n = 2; return 0; }
void *get(void *a) { if (n == 2) for (int k = 0; k < 2; k++) { struct v x = made(q[k], q[k].tag); if (x.tag == 1) assert(x.u.i == 7); else { double y = x.u.d; (void)y; } } return 0; }
int main(void) { pthread_t t, u; struct v x = { 1, { .i = 3 } }, y = { 2, { .d = half(n + 1) } }, z; `
	for _, x := range []snippet{
		{"as it was stored", s + `assert(x.u.i == 3); x = y; y = made(x, 1); y.u.i = 4; assert(y.u.i == 4 && x.tag == 2); return 0; }`, "SAFE"},
		{"handed to a thread", s + `pthread_create(&t, 0, put, 0); pthread_create(&u, 0, get, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }`, "SAFE"},
		{"read as an integer", s + `assert(y.u.i != 77); return 0; }`, "UNKNOWN"},
		{"read as an integer where it has been copied to", s + `z = made(y, 1); memcpy(&x, &z, sizeof x); assert(x.u.i != 77); return 0; }`, "UNKNOWN"},
		{"stored by a thread, read as a pointer", s + `pthread_create(&t, 0, put, 0); pthread_join(t, 0); assert(q[1].u.p != &t); return 0; }`, "UNKNOWN"},
		{"an integer stored over it by a pointer", s + `long *p = (long *)&y.u; *p = 5; assert(y.u.i == 5); return 0; }`, "SAFE"},
		{"stored by a pointer", s + `double *p = &x.u.d; *p = half(n); assert(x.u.i == 3); return 0; }`, "UNKNOWN"},
		{"the bits of a constant", `union { float f; int i; unsigned char b[4]; } x = { 1.5f }; int main(void) { assert(x.i == 0x3fc00000 && x.b[3] == 0x3f); x.f = -2; assert(x.i == (int)0xc0000000); return 0; }`, "SAFE"},
		{"other bits", `union { float f; int i; } x = { 1.5f }; int main(void) { assert(x.i == 0); return 0; }`, "UNSAFE"},
		{"both halves", `union { double d; unsigned u[2]; long l; } x; int main(void) { x.d = 1; assert(!x.u[0] && x.u[1] == 0x3ff00000 && x.l == 0x3ff0000000000000); x.u[1] = 5; assert(x.l == 0x500000000); return 0; }`, "SAFE"},
		{"a structure of them", `union { struct { float x, y; } v; long l; int i; } a, b; int main(void) { a.l = 1L << 32; a.v.x = 1; assert(a.i == 0x3f800000); b = a; assert(b.l == 0x13f800000); return 0; }`, "SAFE"},
		{"in a small cell", `#include <stdlib.h>
union { float f; char b[4]; } x; int main(void) { x.f = atof("1"); assert(x.b[0] != 9); return 0; }`, "UNKNOWN"},
		{"in static memory", `#include <math.h>
union { double d; long l; } x = { INFINITY }; int main(void) { assert(!x.l); return 0; }`, "UNKNOWN"},
		{"in static memory, in pieces", `#include <math.h>
union { double d; unsigned u[2]; } x = { INFINITY }; int main(void) { assert(!x.u[1]); return 0; }`, "UNKNOWN"},
		{"in a static array", `#include <math.h>
union { double d; long l; } x[2] = { { 1 }, { INFINITY } }; int main(void) { assert(!x[1].l); return 0; }`, "UNKNOWN"},
		{"in an array that main alone stores to", s + `static union { double d; long l; } a[2]; a[1].d = half(n + 1); assert(!a[1].l); return 0; }`, "UNKNOWN"},
		{"in a global array that main alone stores to", `union { double d; long l; } a[2]; volatile int n; int main(void) { a[1].d = n * 0.5; assert(!a[1].l); return 0; }`, "UNKNOWN"},
		{"of which the size of an object depends", `#include <stdlib.h>
union { double d; long l; } a[2]; volatile int n; int main(void) { a[1].d = n * 0.5; char *p = malloc((a[1].l & 3) + 1); if (!p) return 0; p[a[1].l & 3] = 1; assert(!(a[1].l & 3)); return 0; }`, "UNKNOWN"},
		{"exchanged", `#include <stdatomic.h>
union { _Atomic float f; int i; } x; int main(void) { atomic_exchange(&x.f, 1.5f); assert(x.i == 0x3fc00000); return 0; }`, "SAFE"},
		{"exchanged, other bits", `#include <stdatomic.h>
union { _Atomic float f; int i; } x; int main(void) { atomic_exchange(&x.f, 1.5f); assert(!x.i); return 0; }`, "UNSAFE"},
		{"added to in one step", `union { _Atomic double d; long l; } x; int main(void) { x.d += 1.5; assert(!x.l); return 0; }`, "UNKNOWN"},
		{"what is no number", `union { double d; long l; } x = { 0.0 / 0.0 }; int main(void) { assert(x.l == 0x7ff8000000000000); return 0; }`, "UNKNOWN"},
		{"an integer that is rounded once", `union { float f; unsigned u; } x = { 9007199791611905 }, y = { 0x8000008000000001 }; int main(void) { assert(x.u == 0x5a000001 && y.u == 0x5f000001); return 0; }`, "SAFE"},
		{"of which nothing but the other one is used", `union u { int i; double d; }; int main(void) { union u x = { 1 }; x.d = 2; double y = x.d; (void)y; return 0; }`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, snippetText(x.body), x.want, memory.TSO)
		})
	}
}
