package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// A truth value shares its byte with what may be any number: nothing of that is lost.
func TestTruthValuesInUnions(t *testing.T) {
	for _, s := range []struct{ name, text, want string }{
		{"beside a byte", `union { uint16_t w; struct { uint8_t x; bool y; }; } u;
int main(void) { u.w = 0x5678; assert(u.w == 0x5678); u.x = 3; assert(u.w == 0x5603); u.y = 1; assert(u.w == 0x103); }`, "SAFE"},
		{"two", `union { struct { bool y, z; }; uint16_t w; } u;
int main(void) { u.w = 0x203; assert(u.w == 0x203); u.y = 0; assert(u.w == 0x200); u.z = 1; assert(u.w == 0x100 && !u.y && u.z); }`, "SAFE"},
		{"in the lowest byte", `union { bool y; uint32_t w; } u;
int main(void) { u.w = 0x205; assert(u.w == 0x205); u.y = 0; assert(u.w == 0x200); }`, "SAFE"},
		{"of one size", `union { bool y; uint8_t w; } u;
int main(void) { u.y = 1; assert(u.w == 1); u.w = 5; assert(u.w == 5); }`, "SAFE"},
		{"initialised", `typedef union { struct { bool y, z; } s; uint16_t w; } both;
both u = { .w = 0x302 }, v = { { 1, 1 } };
both f(void) { both x = { { 1, 1 } }, y = { .w = 0x605 }; assert(x.w == 0x101 && y.w == 0x605); return x; }
int main(void) { assert(u.w == 0x302 && v.w == 0x101 && v.s.z && f().s.y && f().w == 0x101); v.s.y = 0; u.s = v.s; assert(u.w == 0x100); }`, "SAFE"},
		{"of which a smaller member alone is used", `union s { int m0; unsigned char m1; signed char m2; };
int x; int main(void) { union s l = { 0x1ff }, k[2] = { { 0x280 }, 7 }; x = l.m2; assert(x == -1 && k[0].m2 == -128 && k[1].m2 == 7); }`, "SAFE"},
		{"a lock", `union { _Atomic bool y; _Atomic uint32_t w; } u;
void *f(void *a) { atomic_fetch_or(&u.w, 0x400); while (atomic_exchange(&u.y, 1)) ; atomic_store(&u.y, 0); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, f, 0); f(0); atomic_fetch_or(&u.w, 0x200); pthread_join(p, 0); assert(u.w == 0x600); }`, "SAFE"},
		{"lost bits of a neighbour", `union { bool y; uint32_t w; } u;
void *f(void *a) { u.y = 0; return 0; }
int main(void) { u.w = 0x100; pthread_t p; pthread_create(&p, 0, f, 0); u.w |= 0x206; pthread_join(p, 0); assert(u.w == 0x300); }`, "UNSAFE"},
		{"bytes by a pointer", `struct { bool a; char c; short d; } s;
int main(void) { uint32_t *p = (uint32_t *)&s; s.a = 1; s.c = 2; assert(*p == 0x201); }`, "SAFE"},
		{"a copy of what may be a number", `union { struct { bool y; } s; uint8_t w; } u, v;
int main(void) { u.s.y = 1; v.s = u.s; assert(v.w == 1); u.w = 128; v.s = u.s; assert(v.w == 128); }`, "UNKNOWN"},
		{"a lock by a pointer", `union { _Atomic bool y; _Atomic uint32_t w; } u;
void lock(_Atomic bool *p) { while (atomic_exchange(p, 1)) ; }
void *f(void *a) { lock(&u.y); u.w += 0x100; _Atomic bool *p = &u.y; *p = 0; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, f, 0); f(0); pthread_join(p, 0); assert(u.w == 0x200); bool e = 0; _Atomic bool *y = &u.y; assert(!*y && atomic_compare_exchange_strong(y, &e, 1) && u.w == 0x201); }`, "SAFE"},
		{"a lock by a pointer that is not one", `union { _Atomic bool y; _Atomic uint32_t w; } u; int n;
void *f(void *a) { _Atomic bool *p = &u.y; while (*p) ; *p = 1; n++; *p = 0; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, f, 0); f(0); pthread_join(p, 0); assert(n == 2); }`, "UNSAFE"},
		{"truth values by a pointer", `struct { bool a, b, c, d; } s;
int main(void) { s.a = 1; *(uint32_t *)&s = 0x1000100; assert(!s.a && s.b && !s.c && s.d && *(uint32_t *)&s == 0x1000100); }`, "SAFE"},
		{"other bytes by a pointer", `struct { bool a; char c; short d; } s; int x[2];
int main(void) { uint32_t *p = (uint32_t *)&s; *p = 0x302; *((short *)x + 1) = 5; assert(*p == 0x302); }`, "UNKNOWN"},
		{"other bytes, copied", `struct { bool a; char c; short d; } s; int v = 0x302, w;
int main(void) { memcpy(&s, &v, 4); memcpy(&w, &s, 4); assert(w == 0x302); }`, "UNKNOWN"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n" + s.text
			if got := verdictOf(t, read(t, "main.c", text, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

// What is taken out of a union that is no object may be in several pieces of it.
func TestMembersOfUnionsByValue(t *testing.T) {
	const f = `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; unsigned w; } g; union u f(union u x) { return x; } `
	for _, s := range []struct{ text, want string }{
		{f + "int main(void) { union u x; x.t.k = 7; x.t.a = 5000; x.t.b = 1234; assert(x.c[0] == 7 && f(x).t.a == 5000 && f(x).t.b == 1234 && f(x).w >> 21 == 1234 && f(x).c[3] == 1234 >> 3); }", "SAFE"},
		{f + "int main(void) { union u x; x.t.a = 5000; x.t.b = 1234; x.c[0] = 9; struct t y = f(x).t; assert(y.k == 9 && y.a == 5000 && y.b == 1234); }", "SAFE"},
		{f + "int main(void) { union u x; g.c[0] = 1; x.t.a = 5000; assert(f(x).t.b < 2000); }", "UNKNOWN"},
		{f + "int main(void) { union u x; g.c[0] = 1; assert(f(x).t.b == 0); }", "UNSAFE"},
	} {
		if got := verdictOf(t, read(t, "main.c", "#include <assert.h>\n"+s.text, c.Options{}), memory.TSO, "auto"); got != s.want {
			t.Errorf("%s: %s, want %s", s.text, got, s.want)
		}
	}
}

// Bytes and bits of a union that are not of the member that an initialiser sets hold anything, in a local variable.
func TestLeftOpen(t *testing.T) {
	const t1 = "int main(void) { union { char c; int i; } x = "
	const t2 = "union { char c; int i; }; } x = "
	const bits = "int main(void) { union { struct { unsigned a : 3; } s; unsigned char b; unsigned u; } x = { { 9 } }; assert("
	const both = "int main(void) { union { struct { int x, y; } s; long l; } u = { "
	const within = "int main(void) { union { union { char c; short s; } in; int i; } x = { "
	for _, s := range []struct{ text, want string }{
		{t1 + "{ 1 }; assert(x.c == 1 && (x.i & 255) == 1); }", "SAFE"},
		{t1 + "{ 1 }; assert(x.i == 1); }", "UNSAFE"},
		{t1 + "{ }; assert(x.i == 0); }", "SAFE"},
		{t1 + "{ .c = 2, .i = 1 }; assert(x.i == 1); }", "SAFE"},
		{t1 + "{ .i = -1, .c = 2 }; assert(x.i == 0xffffff02); }", "UNSAFE"},
		{t1 + "{ .i = -1, .c = 2 }; assert(x.c == 2); }", "SAFE"},
		{"static union { char c; int i; } x = { 1 }; int main(void) { assert(x.i == 1); }", "SAFE"},
		{"int main(void) { struct { int k; " + t2 + "{ 1 }; assert(x.i == 0); }", "SAFE"},
		{"int main(void) { struct { int k; " + t2 + "{ 1, 2 }; assert(x.i == 2); }", "UNSAFE"},
		{"int main(void) { struct { int k; " + t2 + "{ 1, .i = 2 }; assert(x.c == 2); }", "SAFE"},
		{"int main(void) { union { struct { char c; int i; } s; char b[8]; } x = { { 1, 2 } }; assert(x.b[0] == 1 && x.b[4] == 2 && x.b[5] == 0); }", "SAFE"},
		{"int main(void) { union { struct { char c; int i; } s; char b[8]; } x = { { 1, 2 } }; assert(x.b[1] == 0); }", "UNSAFE"},
		{"int main(void) { union { char c; void *p; } x = { 0 }; assert(x.p == 0); }", "UNSAFE"},
		{"int main(void) { union { int a[3]; int b; } x = { .b = 3 }; assert(x.a[0] == 3); }", "SAFE"},
		{"int main(void) { union { int a[3]; int b; } x = { .b = 3 }; assert(x.a[1] == 0); }", "UNSAFE"},
		{bits + "x.s.a == 1 && (x.b & 7) == 1 && (x.u & 7) == 1); }", "SAFE"},
		{bits + "x.b == 1); }", "UNSAFE"},
		{bits + "x.u >> 8 == 0); }", "UNSAFE"},
		{both + ".s.x = 1, .s.y = 2 }; assert(u.l == 0x200000001); }", "SAFE"},
		{both + ".s.x = 1, 2 }; assert(u.l == 0x200000001); }", "SAFE"},
		{both + ".s.x = 1 }; assert(u.l == 1); }", "SAFE"},
		{within + ".in.c = 4, .in.s = 3 }; assert(x.in.s == 3); }", "SAFE"},
		{within + ".i = 4, .in.s = 3 }; assert(x.i == 3); }", "UNSAFE"},
		{within + ".in.s = 3, .i = 5 }; assert(x.in.s == 5); }", "SAFE"},
		{within + "{ 3 } }; assert(x.in.s == 3); }", "UNSAFE"},
		{"union u { char c; int i; }; int f(union u u) { return u.c; } int main(void) { assert(f((union u){ 1 }) == 1); }", "SAFE"},
		{"union u { char c; int i; }; int f(union u u) { return u.i; } int main(void) { assert(f((union u){ 1 }) == 1); }", "UNSAFE"},
		{"union u { char c; int i; }; int main(void) { for (int k = 0; k < 2; k++) { union u x = { k }; assert(x.c == k); x.i = 77; } }", "SAFE"},
		{"union u { char c; int i; }; int main(void) { for (int k = 0; k < 2; k++) { union u x = { 1 }; assert(!k || x.i == 77); x.i = 77; } }", "UNSAFE"},
		{"union u { char c; int i; }; void *f(void *p) { assert(((union u *)p)->i == 1); return 0; }\nint main(void) { union u x = { 1 }; pthread_t t; pthread_create(&t, 0, f, &x); pthread_join(t, 0); }", "UNSAFE"},
		{"union u { char c; int i; }; void *f(void *p) { assert(((union u *)p)->c == 1); return 0; }\nint main(void) { union u x = { 1 }; pthread_t t; pthread_create(&t, 0, f, &x); pthread_join(t, 0); }", "SAFE"},
	} {
		t.Run(s.text, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", "#include <assert.h>\n#include <pthread.h>\n"+s.text, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

// Bytes of a union that are in members which the program does not name are initialised and assigned as the others are, and what is between and beside the
// members of a structure is what the other members of a union have there.
func TestUnnamedBytes(t *testing.T) {
	const u = "union u { unsigned short s; int i; }; int main(void) { "
	const b = " unsigned char b[4]; memcpy(b, &x, 4); assert(b[2] == 0); }"
	const in = " unsigned char b[4]; memcpy(b, &y.x, 4); assert(b[2] == 0); }"
	const bits = "struct s { char a : 3; char c; }; union u { struct s s; short i; }; int main(void) { struct s z = { 1, 2 }; union u x = "
	for _, s := range []struct{ text, want string }{
		{u + "static union u z = { 3 }; union u x = z;" + b, "SAFE"},
		{u + "union u z = { 3 }; union u x = z;" + b, "UNSAFE"},
		{u + "union u *p = malloc(4); static union u x; if (!p) return 0; *p = x; x = *p; free(p);" + b, "SAFE"},
		{u + "struct { int k; union u x; } y = { 1 };" + in, "SAFE"},
		{u + "struct { int k; union u x; } y = { 1, { 3 } };" + in, "UNSAFE"},
		{u + "static union u z; struct { int k; union u x; } y = { .x.s = 1, .x = z };" + in, "SAFE"},
		{bits + "{ .i = 0 }; x.s = z; assert((x.i & 0xff07) == 0x201); }", "SAFE"},
		{bits + "{ .i = 0 }; x.s = z; assert(x.i == 0x201); }", "UNSAFE"},
		{bits + "{ .s = z }; assert((x.i & 0xff07) == 0x201); }", "SAFE"},
		{bits + "{ .s = z }; assert(x.i == 0x201); }", "UNSAFE"},
		{"union u { unsigned short a : 2; unsigned long l; }; int main(void) { union u x = { 3 }; assert((x.l & 3) == 3); }", "SAFE"},
		{"union u { unsigned short a : 2; unsigned long l; }; int main(void) { union u x = { 3 }; assert(x.l == 3); }", "UNSAFE"},
		{"union u { short c : 1; }; struct t { char a; long b : 15; union u u; }; int main(void) { struct t x = { .b = 1, .u.c = 1 }; assert(x.b == 1); }", "SAFE"},
	} {
		t.Run(s.text, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n"+s.text, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

// What initialises a range of elements is evaluated once, and the values behind it go on inside of its last element.
func TestRanges(t *testing.T) {
	const f = "int n; int f(void) { return ++n; } struct p { int a, b; };\nint main(void) { "
	for _, s := range []struct{ text, want string }{
		{f + "int x[4] = { [0 ... 2] = f(), 7 }; assert(n == 1 && x[0] == 1 && x[2] == 1 && x[3] == 7); }", "SAFE"},
		{f + "int x[] = { [0 ... 2] = { f() } }; assert(n == 1 && x[0] == 1 && x[1] == 1 && sizeof x == 12); }", "SAFE"},
		{f + "struct p x[4] = { [0 ... 1] = 1, 2, 3 }; assert(x[0].a == 1 && x[0].b == 0 && x[1].a == 1 && x[1].b == 2 && x[2].a == 3); }", "SAFE"},
		{f + "struct p x[4] = { [0 ... 1] = { 1 }, 2, 3 }; assert(x[1].b == 0 && x[2].a == 2 && x[2].b == 3); }", "SAFE"},
		{"int x[] = { [0 ... 2] = 1, 2 }; int main(void) { assert(sizeof x == 16 && x[3] == 2); }", "SAFE"},
	} {
		t.Run(s.text, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", "#include <assert.h>\n"+s.text, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
