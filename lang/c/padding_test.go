package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// paddingHeader is before each of the programs: structures with bytes that are in no member.
const paddingHeader = `#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
struct key { char tag; int id; } static zero, other;
struct bits { unsigned a : 3, b : 7; int c; };
struct truth { char c; _Bool is; struct key in[2]; void *p; };
static unsigned hash(const void *p, size_t n) { const unsigned char *b = p; unsigned h = 5381; for (size_t i = 0; i < n; i++) h = h * 33 ^ b[i]; return h; }
static unsigned walked(const void *p, size_t n) { const unsigned char *b = p; unsigned h = 5381; while (n--) h = h * 33 ^ *b++; return h; }
static int same(const void *p, const void *q, size_t n) { return !memcmp(p, q, n); }
static struct key given(struct key k) { return k; }
static int byID(const void *p, const void *q) { return ((const struct key *)p)->id - ((const struct key *)q)->id; }
static void set(struct key *k) { k->tag = 't'; k->id = 7; }
#define BYTE(x, i) (((unsigned char *)&(x))[i])
#define WANT 386309782u
`

// TestPadding looks at the bytes of structures that are in no member.
func TestPadding(t *testing.T) {
	for _, p := range []struct{ name, want, text string }{
		{"hashed", "SAFE", `struct key k; memset(&k, 0, sizeof k); set(&k); assert(hash(&k, sizeof k) == WANT);`},
		{"hashed by a pointer that moves", "SAFE", `struct key k; memset(&k, 0, sizeof k); set(&k); assert(walked(&k, sizeof k) == WANT);`},
		{"hashed, in the heap", "SAFE", `struct key *k = malloc(sizeof *k), *c = calloc(2, sizeof *c); memset(k, 0, sizeof *k); set(k); set(c + 1); assert(hash(k, sizeof *k) == WANT && hash(c + 1, sizeof *c) == WANT);`},
		{"hashed, of static storage", "SAFE", `set(&zero); assert(hash(&zero, sizeof zero) == WANT);`},
		{"hashed, in an array", "SAFE", `struct key k[3]; int i = rand() % 3; if (i < 0) i = 0; memset(k, 0, sizeof k); set(k + i); assert(hash(k + i, sizeof *k) == WANT);`},
		{"hashed, another value", "UNSAFE", `struct key k; memset(&k, 1, sizeof k); set(&k); assert(hash(&k, sizeof k) == WANT);`},
		{"hashed, not set", "UNSAFE", `struct key k; set(&k); assert(hash(&k, sizeof k) == WANT);`},
		{"set", "SAFE", `struct key k; memset(&k, 0xff, sizeof k); assert(BYTE(k, 1) == 0xff && BYTE(k, 0) == 0xff);`},
		{"compared", "SAFE", `struct key a, b; memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); set(&a); set(&b); assert(!memcmp(&a, &b, sizeof a) && same(&a, &b, sizeof b)); b.id = 6; assert(memcmp(&a, &b, sizeof a) > 0);`},
		{"compared, not set", "UNSAFE", `struct key a; set(&a); set(&zero); assert(!memcmp(&a, &zero, sizeof a));`},
		{"compared, initialised", "UNSAFE", `struct key a = { 't', 7 }; set(&zero); assert(!memcmp(&a, &zero, sizeof a));`},
		{"compared, a literal", "UNSAFE", `struct key *a = &(struct key){ 't', 7 }; set(&zero); assert(!memcmp(a, &zero, sizeof *a));`},
		{"initialised in a loop", "UNSAFE", `for (int i = 0; i < 2; i++) { struct key a = { 0 }; if (i) assert(!memcmp(&a, &zero, sizeof a)); memset(&a, 0, sizeof a); }`},
		{"assigned", "UNSAFE", `struct key a; memset(&a, 0, sizeof a); a = zero; assert(BYTE(a, 2) != 9);`},
		{"assigned, its members", "SAFE", `struct key a; memset(&a, 0, sizeof a); other.id = 5; a = other; assert(a.id == 5 && BYTE(a, 4) == 5);`},
		{"given", "UNSAFE", `memset(&zero, 0, sizeof zero); other = given(zero); assert(!memcmp(&other, &zero, sizeof zero));`},
		{"copied", "SAFE", `unsigned char b[sizeof zero]; struct key k; memset(&zero, 3, sizeof zero); set(&zero); memcpy(b, &zero, sizeof zero); assert(b[2] == 3); memcpy(&k, b, sizeof k); assert(!memcmp(&k, &zero, sizeof k) && BYTE(k, 3) == 3);`},
		{"copied, not set", "UNSAFE", `unsigned char b[sizeof zero]; struct key k; set(&k); memcpy(b, &k, sizeof k); assert(b[2] != 3);`},
		{"bytes of malloc", "SAFE", `unsigned char *b = malloc(sizeof(struct key)); struct key *k = (struct key *)b; memset(k, 4, sizeof *k); set(k); assert(b[1] == 4 && b[3] == 4 && b[4] == 7);`},
		{"bytes of an array", "SAFE", `_Alignas(struct key) unsigned char b[8]; struct key *k = (struct key *)b; memset(k, 0x11, sizeof *k); assert(b[3] == 0x11);`},
		{"a union", "SAFE", `union { struct key k; unsigned char b[8]; } u; memset(&u.k, 0xff, sizeof u.k); assert(u.b[1] == 0xff);`},
		{"a union, assigned", "UNSAFE", `union { struct key k; unsigned char b[8]; } u; memset(&u, 0, sizeof u); u.k = zero; assert(u.b[1] == 0);`},
		{"truth values", "SAFE", `struct truth s, u; memset(&s, 0, sizeof s); memset(&u, 0, sizeof u); s.is = u.is = 1; assert(hash(&s, sizeof s) == hash(&u, sizeof u) && s.is && !memcmp(&s, &u, sizeof s)); memset(&s, 0xff, sizeof s); assert(BYTE(s, 1) == 0xff); s.is = 0; assert(!s.is && BYTE(s, 1) == 0);`},
		{"no truth value", "UNKNOWN", `_Bool b; memset(&b, 3, sizeof(_Bool)); assert(b);`},
		{"sorted", "SAFE", `static struct key k[2]; k[0].id = 2; k[1].id = 1; BYTE(k[1], 2) = 9; qsort(k, 2, sizeof *k, byID); assert(k[0].id == 1 && BYTE(k[0], 2) == 9 && BYTE(k[1], 2) == 0);`},
		{"bits", "SAFE", `struct bits s; memset(&s, 0, sizeof s); s.a = 5; s.b = 100; assert(BYTE(s, 0) == 37 && BYTE(s, 3) == 0);`},
		{"bits, initialised", "UNSAFE", `struct bits s = { 1, 2, 3 }; assert(BYTE(s, 1) == 0);`},
		{"bits, assigned", "UNSAFE", `struct bits s, t; memset(&s, 0, sizeof s); memset(&t, 0, sizeof t); t = s; assert(BYTE(t, 1) == 0);`},
		{"bits, not set", "UNSAFE", `struct bits *s = malloc(sizeof *s); s->a = 1; assert(s->a == 1); assert(BYTE(*s, 1) == 0);`},
		{"bits, copied", "UNSAFE", `struct bits s = { 1, 2, 3 }; unsigned char b[8]; memcpy(b, &s, sizeof s); assert(b[1] == 0);`},
		{"another sign", "UNSAFE", `struct { char a[3]; unsigned short b; } x; unsigned char b[6]; memcpy(b, &x, sizeof x); assert(BYTE(x, 1) != 210);`},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", paddingHeader+"int main(void) { "+p.text+" }\n", c.Options{}), memory.TSO, "auto"); got != p.want {
				t.Errorf("%s, want %s", got, p.want)
			}
		})
	}
}

// TestPaddingUninitialised has reads of such bytes that are violations where reads of what is not written are.
func TestPaddingUninitialised(t *testing.T) {
	for _, p := range []struct{ name, want, text string }{
		{"compared, not set", "UNSAFE", `struct key a; set(&a); set(&zero); assert(memcmp(&a, &zero, sizeof a) <= 1);`},
		{"copied, not set", "UNSAFE", `struct key a, b; set(&a); memcpy(&b, &a, sizeof b); assert(BYTE(b, 1) <= 255);`},
		{"copied, not set, and not read", "SAFE", `struct key a, b; set(&a); memcpy(&b, &a, sizeof b); assert(b.id == 7 && BYTE(b, 0) == 't');`},
		{"set", "SAFE", `struct key a, b; memset(&a, 0, sizeof a); memcpy(&b, &a, sizeof b); assert(!memcmp(&b, &zero, sizeof b));`},
		{"a number that is copied", "UNSAFE", `int x, y; memcpy(&y, &x, sizeof y); assert(y == y);`},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", paddingHeader+"int main(void) { "+p.text+" }\n", c.Options{Uninitialised: true}), memory.TSO, "auto"); got != p.want {
				t.Errorf("%s, want %s", got, p.want)
			}
		})
	}
}

// TestPaddingShared has structures that two threads share.
func TestPaddingShared(t *testing.T) {
	for _, p := range []struct {
		name, want, text string
		more             []memory.Model
	}{
		{"hashed", "SAFE", `struct key *k; void *f(void *a) { k->id = 7; return 0; } void *g(void *a) { k->tag = 't'; return 0; }
int main(void) { k = malloc(sizeof *k); memset(k, 0, sizeof *k); pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); assert(hash(k, sizeof *k) == WANT); }`, nil},
		{"a byte of a structure of atomic numbers", "SAFE", `struct { int magic; struct key *top; _Atomic int n; } s; void *f(void *a) { struct key *k = a, *was = 0; while (!__atomic_compare_exchange_n(&s.top, &was, k, 0, 5, 5)); s.n++; return 0; }
int main(void) { s.magic = 1; int little = *(unsigned char *)&s.magic; pthread_t t, u; pthread_create(&t, 0, f, &zero); pthread_create(&u, 0, f, &zero); pthread_join(t, 0); pthread_join(u, 0); assert(little && s.n == 2 && s.top == &zero); }`, []memory.Model{memory.RC11}},
		{"hashed before", "SAFE", `struct { int a[9]; short s; long e; } x; void *f(void *a) { x.a[0]++; return 0; }
int main(void) { memset(&x, 1, sizeof x); unsigned char *b = (void *)&x; unsigned n = sizeof x, sum = 0; while (n--) sum += *b++; pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(sum == sizeof x && x.a[0] == 0x01010102); }`, []memory.Model{memory.RC11}},
		{"assigned by one", "UNSAFE", `struct key k; void *f(void *a) { k = zero; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(BYTE(k, 1) == 0); }`, []memory.Model{memory.RC11}},
		{"set by one", "SAFE", `struct key k; void *f(void *a) { memset(&k, 2, sizeof k); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); unsigned char b = BYTE(k, 1); assert(b == 0 || b == 2); pthread_join(t, 0); assert(BYTE(k, 1) == 2); }`, []memory.Model{memory.RC11}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, paddingHeader+p.text, p.want, append([]memory.Model{memory.SC, memory.TSO, memory.PSO}, p.more...)...)
		})
	}
}
