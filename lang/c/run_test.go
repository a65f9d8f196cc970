package c_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// read parses a program and sees to it that engines can rely on it.
func read(t *testing.T, name, text string, opts c.Options) *program.Program {
	t.Helper()
	opts.ReadFile = os.ReadFile
	p, err := c.Parse(&program.Source{Name: name, Text: text}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	if _, whole := p.Joined(); !whole {
		t.Fatal("others come in between the parts of an access")
	}
	return p
}

// verdictOf is the answer of an engine.
func verdictOf(t *testing.T, p *program.Program, m memory.Model, e engine.Name) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	opts := engine.Options{Model: m, Engine: e}
	r, err := engine.Check(ctx, p, opts.WithDefaults())
	if err != nil {
		t.Fatalf("%s: %v", m, err)
	}
	return r.Verdict().String()
}

// optionsFor is what a program is read with for a model.
func optionsFor(m memory.Model) c.Options {
	switch m {
	case memory.RC11:
		return c.Options{Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}
	case memory.LKMM:
		return c.Options{Mapping: c.Kernel, NoBlocks: true, NoFutileWaits: true, Dependencies: true}
	}
	return c.Options{}
}

// underModels sees that a program has a verdict under each of the models.
func underModels(t *testing.T, text, want string, models ...memory.Model) {
	t.Helper()
	programs := map[c.Mapping]*program.Program{}
	for _, m := range models {
		opts := optionsFor(m)
		p := programs[opts.Mapping]
		if p == nil {
			p = read(t, "main.c", text, opts)
			programs[opts.Mapping] = p
		}
		if got := verdictOf(t, p, m, "auto"); got != want {
			t.Errorf("%s: %s, want %s", m, got, want)
		}
	}
}

// TestRun checks the programs of testdata/run, which begin with a comment such as
// "// sc SAFE tso UNSAFE pso UNSAFE".
func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for i, file := range files {
		if testing.Short() && i%3 != 0 && !strings.Contains(file, "kernel-") { // of these no other test knows all
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			line, _, _ := strings.Cut(string(text), "\n")
			words := strings.Fields(strings.TrimPrefix(line, "//"))
			if len(words) == 0 || len(words)%2 != 0 {
				t.Fatalf("the first line says nothing about verdicts: %s", line)
			}
			programs := map[c.Mapping]*program.Program{}
			for i := 0; i < len(words); i += 2 {
				m, err := memory.Parse(words[i])
				if err != nil {
					t.Fatal(err)
				}
				opts := optionsFor(m)
				p := programs[opts.Mapping]
				if p == nil {
					p = read(t, file, string(text), opts)
					programs[opts.Mapping] = p
				}
				if got := verdictOf(t, p, m, "auto"); got != words[i+1] {
					t.Errorf("%s: %s, want %s", m, got, words[i+1])
				}
			}
		})
	}
}

// A snippet is the body of main, and what it must lead to.
type snippet struct {
	name, body string
	want       string // SAFE or UNSAFE
}

// snippetText is a program with that body of main, or with these definitions, one of which is main.
func snippetText(body string) string {
	if !strings.Contains(body, "main(") {
		body = "int main(void) {\n" + body + "\nreturn 0; }\n"
	}
	return "#include <assert.h>\n#include <stdint.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdbool.h>\n#include <limits.h>\n" + body
}

// TestSequential checks what single-threaded code does.
func TestSequential(t *testing.T) {
	for _, s := range sequential {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, "main.c", snippetText(s.body), c.Options{})
			if got := verdictOf(t, p, memory.SC, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

var sequential = []snippet{
	{"an initialiser of all of an element after one of a part", `struct s { int a, b[2]; } x[2] = {[0].b[1] = 5, [0] = {1}, [1] = {2, {3, 4}}, [1].a = 6}; int m[2][2] = {[0][1] = 7, [0] = {1}, [1] = {}}; assert(m[0][1] == 0 && m[0][0] == 1 && x[0].b[1] == 0 && x[0].a == 1 && x[1].a == 6 && x[1].b[1] == 4); static int st[2][2] = {[1] = {1, 2}, [1][0] = 3}; assert(st[1][0] == 3 && st[1][1] == 2);`, "SAFE"},
	{"a long chain of choices", `int i = rand(), r = ` + strings.Repeat(`i == 4 ? 1 : `, 60) + strings.Repeat(`(i == 5 ? `, 60) + `2` + strings.Repeat(` : 3)`, 60) + `; assert(r == (i == 4 ? 1 : i == 5 ? 2 : 3));`, "SAFE"},
	{"a structure with a tag, and one without, in a structure", `struct s { struct { int a; union { int b; char c; }; }; struct in { int z; }; int d; } x = {1, 2, 3}; struct in y = {4}; enum { N = sizeof(struct s) }; char z[N]; assert(sizeof x == 12 && N == 12 && sizeof z == 12 && x.b == 2 && x.d == 3 && y.z == 4);`, "SAFE"},
	{"all bytes of an object by a pointer", `struct s { int a; short b; char c; } x = { 258, 3, 4 }, y; unsigned char *p = (unsigned char *)&x, *q = (unsigned char *)&y; unsigned n = rand() % 8, h = 0; for (unsigned k = n; k--; ) h += *q++ = *p++; assert(n != 7 || h == 10 && y.a == 258 && y.b == 3); assert(n != 2 || h == 3);`, "SAFE"},
	{"all bytes of an array by a pointer", `struct s { long a; short b; } x[2]; memset(&x, 0, sizeof x); x[0].a = 120; x[0].b = 1; unsigned char *p = (unsigned char *)&x; unsigned n = rand() % 17, h = 0; for (unsigned k = n; k--; ) h += *p++; assert(n != 16 || h == 121);`, "SAFE"},
	{"a byte too many", `struct s { int a; short b; char c; } x = { 258, 3, 4 }, y; unsigned char *p = (unsigned char *)&x, *q = (unsigned char *)&y; unsigned n = rand() % 10; for (unsigned k = n; k--; ) *q++ = *p++;`, "UNSAFE"},
	{"wrap", `unsigned char c = 255; c++; assert(c == 0); int i = INT_MAX; unsigned u = i; u++; assert(u == 2147483648u);`, "SAFE"},
	{"the other signedness", `unsigned u = 4294967295u; int r = 0; if ((int)u < 0) r = 1; if (-1 - (int)u == 0) r += 2; assert(r == 3); unsigned long w = -1; assert((long)w + 1 == 0 && (int)w < 0); unsigned char c = 200; assert((signed char)c == -56);`, "SAFE"},
	{"usual", `int i = -1; unsigned u = 1; assert(!(i < u)); long l = -1; assert(l < (long)u); short s = -1; unsigned short us = 1; assert(s < us);`, "SAFE"},
	{"char", `char c = 200; assert(c == -56); unsigned char d = c; assert(d == 200); assert((c >> 1) == -28);`, "SAFE"},
	{"unsigned64", `unsigned long a = -1; assert(a > 5); assert(a / 2 == 0x7fffffffffffffffUL); assert(a % 10 == 5); assert(a >> 63 == 1);`, "SAFE"},
	{"parameters without declarations", `int a = 9; h(a, b) char *b; { int *q = &a; *q += *b; { int a = 3; a++; } a++; return a; } f(a, b) { return a - b; } main() { assert(h(1, "a") == 99 && f(5, 2) == 3 && f('a', 'b') == -1 && a == 9); return 0; }`, "SAFE"},
	{"a parameter without a declaration", `int a = 9; int f(a) { return a; } int main() { assert(f(1) == a); return 0; }`, "UNSAFE"},
	{"bool", `_Bool b = 42; assert(b == 1); int i = 256; b = i; assert(b);`, "SAFE"},
	{"qualifiers select", `int a[2] = { 0 }; const int *p = a; volatile int *v = a; const int c = 1; assert(_Generic(p, int *: 1, const int *: 2) == 2 && _Generic(a, const int *: 1, int *: 2) == 2); assert(_Generic(v, int *: 1, const int *: 2, default: 3) == 3 && _Generic(c, const int: 1, int: 2) == 2 && _Generic(&c, int *: 1, const int *: 2) == 2); assert(_Generic(1 ? a : p, int *: 1, const int *: 2) == 2);`, "SAFE"},
	{"memory of any value", `struct { int a; char b[3]; } x; int v[2]; __VERIFIER_nondet_memory(&x, sizeof x); __VERIFIER_nondet_memory(v, sizeof v); if (v[0] < 0) return 0; assert(v[0] >= 0 && x.a - x.a == 0);`, "SAFE"},
	{"memory of any value that matters", `int v[2]; __VERIFIER_nondet_memory(v, sizeof v); assert(v[1] != 77);`, "UNSAFE"},
	{"what is an array to the compiler", `int a[5], *p = a; assert(sizeof(struct { int : -!!__builtin_types_compatible_p(__typeof__(a), __typeof__(&a[0])); }) == 0 && __builtin_types_compatible_p(__typeof__(p), __typeof__(&a[0])) && !__builtin_types_compatible_p(int **, int *));`, "SAFE"},
	{"compatible types", `assert(__builtin_types_compatible_p(int, signed) && !__builtin_types_compatible_p(char *, signed char *) && __builtin_types_compatible_p(int[], int[3])); const int c = 1; assert(__builtin_types_compatible_p(__typeof__(c), int) && sizeof(__builtin_choose_expr(1, (char)1, 1L)) == 1);`, "SAFE"},
	{"qualifiers in typeof", `typeof(const int) a = 4; __typeof__(volatile unsigned char) b = 255; struct s { int k; } const c = { 3 }; __typeof__(const struct s *) p = &c; b++; assert(a == 4 && b == 0 && p->k == 3 && __builtin_types_compatible_p(const char *, char const *) && !__builtin_types_compatible_p(char *, const char *) && __builtin_types_compatible_p(const int, volatile int)); const char *t = "typeof(const x)"; assert(t[7] == 'c' && t[13] == 'x');`, "SAFE"},
	{"a literal of a scalar", `int *p = &(int){ 5 }; *p += 2; assert(*p == 7 && *&(int){ { 3 } } == 3 && *&(int){ 0 } == 0);`, "SAFE"},
	{"literals at file scope", `static int *p = (int[]){ 4, 5, 6 }; struct s { int *q; }; static struct s s = { &(int){ 7 } }; assert(p[0] == 4 && p[2] == 6 && *s.q == 7); p[1]++; assert(p[1] == 6);`, "SAFE"},
	{"constants that are variables", `const int c = 4; static const unsigned n = c + 1; int y = c, a[3] = { c, n, sizeof(int[c]) }; const _Bool b = 7; static int z = b; int main(void) { const int k = 5; static int s = k; assert(y == 4 && a[0] == 4 && a[1] == 5 && a[2] == 16 && z == 1 && s == 5); }`, "SAFE"},
	{"a string in braces", `unsigned char s[3] = { "abc" }; char d[] = { "ab" }; assert(s[0] == 'a' && s[2] == 'c' && sizeof d == 3 && d[1] == 'b');`, "SAFE"},
	{"a gap has no alignment", `struct a { long : 26; unsigned char m : 2; char z; }; struct b { int m : 8; long : 28; signed char n : 8; unsigned o : 22; char z; }; assert(sizeof(struct a) == 5 && _Alignof(struct a) == 1 && sizeof(struct b) == 12);`, "SAFE"},
	{"bit-fields of many types", `struct a { signed char m0 : 5; short m1 : 11; int m2 : 17; char c; long m3 : 9; unsigned char m4 : 7; char d; } x = { 3, -9, 70000 & 0xffff, 'c', 255, 99, 'd' }, y; y = x; y.m1--; y.c++; y.m4 = 0; assert(y.m0 == 3 && y.m1 == -10 && y.m2 == 4464 && y.c == 'd' && y.m3 == 255 && y.m4 == 0 && y.d == 'd' && x.m4 == 99);`, "SAFE"},
	{"the number of a thread", `extern unsigned __VERIFIER_tid(void); assert(__VERIFIER_tid() == pthread_self() && sizeof(__VERIFIER_tid()) == 4);`, "SAFE"},
	{"older minima and maxima", `int x = -1, y = 42; assert(__sync_fetch_and_umax(&x, y) == 4294967295u && x == -1 && __sync_fetch_and_max(&x, y) == -1 && x == 42); assert(__sync_fetch_and_min(&x, -7) == 42 && x == -7 && __sync_fetch_and_umin(&x, 3) == -7u && x == 3);`, "SAFE"},
	{"an array of pointers whose size is computed", `int k = 1; k *= 2; int x[4] = { 0 }, j = 0, *a[k]; for (int i = 0; i < 4; i++) if (i % 2) a[j++] = &x[i]; *a[1] = 5; assert(x[3] == 5 && sizeof a == k * sizeof(int *) && a[0] == &x[1]);`, "SAFE"},
	{"outside of an array of pointers whose size is computed", `int k = 1; k *= 2; int x = 0, *a[k]; a[k] = &x;`, "UNSAFE"},
	{"sized operations are unsigned", `signed char c = -2; int i = -3; assert(__sync_fetch_and_add_1(&c, 1) == 254 && __sync_add_and_fetch(&c, 1) == 0 && __atomic_exchange_n(&i, -4, 5) == -3); long l = __sync_val_compare_and_swap_4(&i, -4, -5); assert(l == 4294967292 && i == -5 && __sync_bool_compare_and_swap_4(&i, -5, 6)); __atomic_store_4(&i, 7, 5); assert(__atomic_load_4(&i, 5) == 7u);`, "SAFE"},
	{"a range around zero", `unsigned long u = 5; int r = 0; switch (u) { case -9 ... 7: r = 1; break; case 4 ... 0xffffffffffffffff: r = 2; break; default: r = 3; } assert(r == 2); switch ((unsigned)u) { case -9 ... 7: r = 4; } assert(r == 2); switch ((long)u) { case -9 ... 7: r = 5; } assert(r == 5);`, "SAFE"},
	{"const before it is whole", `struct n { const struct n *next; volatile struct n *prev; int v; }; struct n x = { 0, 0, 3 }, y = { &x, &x, 4 }; assert(y.next->v == 3 && y.prev->v == 3);`, "SAFE"},
	{"assignment as a value", `int x = 3, y; y = (x = x + 1); assert(x == 4 && y == 4); y = x = x * 2; assert(y == 8);`, "SAFE"},
	{"constant choice", `static int a = 1 && (0 ? 5 : 7); enum { E = 2 > 1 ? 3 : 4 }; int b[E ? 2 : 3]; assert(a == 1 && E == 3 && sizeof b == 8);`, "SAFE"},
	{"loop", `int s = 0; for (int i = 0; i < 10; i++) { if (i == 5) continue; if (i == 8) break; s += i; } assert(s == 23);`, "SAFE"},
	{"do", `int n = 0; do n++; while (n < 3); assert(n == 3); while (n) --n; assert(n == 0);`, "SAFE"},
	{"switch", `int r = 0; for (int i = 0; i < 5; i++) switch (i) { case 0: r += 1; break; case 1: case 2: r += 10; default: r += 100; break; case 4: r += 1000; } assert(r == 1321);`, "SAFE"},
	{"goto", `int i = 0; again: i++; if (i < 4) goto again; assert(i == 4);`, "SAFE"},
	{"comma", `int a = (1, 2), b = 3; int c = (a++, b++, a + b); assert(c == 7);`, "SAFE"},
	{"short circuit", `int a = 0; int b = a && a++; assert(b == 0 && a == 0); int d = 1 || a++; assert(d && !a);`, "SAFE"},
	{"conditional", `int a = 3; int b = a > 2 ? a : -a; assert(b == 3); long l = a ? -1 : 1u; assert(l == 4294967295L);`, "SAFE"},
	{"fails", `int a = 3; assert(a == 4);`, "UNSAFE"},
	{"division", `int z = 0; int a = 1 / z;`, "UNSAFE"},
	{"shift", `int z = 32; int a = 1 << z;`, "UNSAFE"},
	{"min by minus one", `int z = INT_MIN; int m = -1; int a = z / m;`, "UNSAFE"},
	{"functions", `int add(int a, int b) { return a + b; } int twice(int x) { return add(x, x); } int main(void) { assert(twice(twice(3)) == 12); return 0; }`, "SAFE"},
	{"struct", `struct p { int x, y; }; struct p mk(int a) { struct p r = { .y = a }; return r; } int main(void) { struct p q = mk(4), w; w = q; w.x = 1; assert(q.x == 0 && w.y == 4); return 0; }`, "SAFE"},
	{"static", `int next(void) { static int n = 3; return n++; } int main(void) { next(); assert(next() == 4); return 0; }`, "SAFE"},
	{"sizes", `struct s { char c; int i; short h; long l; }; assert(sizeof(struct s) == 24); assert(offsetof(struct s, l) == 16); assert(sizeof(int[7]) == 28); assert(sizeof("abc") == 4);`, "SAFE"},
	{"generic", `int x = 0; unsigned long u = 0; assert(_Generic(x, int: 1, default: 2) == 1); assert(_Generic(u, int: 1, unsigned long: 3, default: 2) == 3);`, "SAFE"},
	{"statement expression", `int m = ({ int a = 3; int b = 4; a > b ? a : b; }); assert(m == 4); typeof(m) k = m; assert(k == 4);`, "SAFE"},
	{"bit-fields", `struct b { unsigned a : 3; int s : 4; unsigned c : 9; } v = { 5, -3, 300 }; v.a++; assert(v.a == 6 && v.s == -3 && v.c == 300); v.a = 9; assert(v.a == 1);`, "SAFE"},
	{"bits of _Bool", `struct b { _Bool x : 1, y : 1; } v = { 1, 0 }; v.y = 4; assert(v.x && v.y); v.x = 0; assert(!v.x && v.y);`, "SAFE"},
	{"array", `int a[4] = { 1, 2, [3] = 4 }; assert(a[0] == 1 && a[2] == 0 && a[3] == 4);`, "SAFE"},
	{"compound literal", `struct p { int x, y; }; struct p q = (struct p){ .x = 7 }; assert(q.x == 7 && q.y == 0);`, "SAFE"},
	{"enum", `enum e { A, B = 5, C }; enum e v = C; assert(v == 6 && A == 0);`, "SAFE"},
	{"designators decide sizes", `int m[][3] = { [1][2] = 4 }, k[][2][2] = { [0][1] = { 5 }, [1][1][1] = 6, 7 }; struct { int a[2], b; } s[] = { [2].b = 1, [0].a[1] = 3, 4, 5 }; assert(sizeof m == 24 && m[1][2] == 4 && sizeof k == 48 && k[2][0][0] == 7 && sizeof s == 36 && s[1].a[0] == 5 && sizeof((int[][3]){ [1][2] = 4 }) == 24);`, "SAFE"},
	{"parts of strings", `char s[] = "a,,b", *p = s; assert(strspn(s, "ba") == 1 && strcspn(s, ",") == 1 && strspn("", "a") == 0 && strpbrk(s, "b,") == s + 1 && !strpbrk(s, "x") && !strcoll(s, s)); assert(strsep(&p, ",") == s && !s[1] && p == s + 2); assert(strsep(&p, ",") == s + 2 && strsep(&p, ",") == s + 3 && !p && !strsep(&p, ","));`, "SAFE"},
	{"where they end", `char a[8]; assert(stpcpy(a, "abc") == a + 3 && mempcpy(a + 1, "xy", 2) == a + 3 && a[1] == 'x' && strchrnul(a, 'q') == a + 3 && memrchr(a, 'a', 3) == a);`, "SAFE"},
	{"a string without end", `char a[2] = "ab"; return strspn(a, "ab");`, "UNSAFE"},
	{"quotients", `div_t a = div(-7, 2); ldiv_t b = ldiv(7, -2); lldiv_t c = lldiv(-1, 2); assert(a.quot == -3 && a.rem == -1 && b.quot == -3 && b.rem == 1 && c.quot == 0 && c.rem == -1);`, "SAFE"},
	{"a quotient by zero", `int z = 0; return div(1, z).rem;`, "UNSAFE"},
	{"overflows of 64 bits", `long r; unsigned long u; int k; assert(!__builtin_mul_overflow(1l << 40, 1l << 20, &r) && r == 1l << 60 && __builtin_mul_overflow(1l << 40, 1l << 30, &r) && __builtin_mul_overflow(-1l, LONG_MIN, &r) && !__builtin_mul_overflow(1l, LONG_MIN, &r)); assert(!__builtin_mul_overflow(1ul << 40, 1ul << 23, &u) && u == 1ul << 63 && __builtin_mul_overflow(3ul, -1ul, &u) && u == -3ul && __builtin_mul_overflow(-1, 1, &u)); assert(__builtin_umull_overflow(1ul << 40, 1ul << 33, &u) && __builtin_smul_overflow(1 << 20, 1 << 20, &k) && __builtin_add_overflow_p(INT_MAX, 1, 0) && !__builtin_add_overflow(-1l, 5ul, &k) && k == 4);`, "SAFE"},
	{"minima", `_Atomic int x = 5; int y = 5; unsigned u = 5; assert(__c11_atomic_fetch_min(&x, 3, 5) == 5 && x == 3 && __c11_atomic_fetch_max(&x, 9, 5) == 3 && x == 9); assert(__sync_fetch_and_min(&y, -3) == 5 && __sync_fetch_and_max(&y, 9) == -3 && y == 9 && __sync_fetch_and_umin(&u, -1) == 5 && __sync_fetch_and_umax(&u, -1) == 5 && u == -1u);`, "SAFE"},
	{"strings of UTF-8", `const char *s = u8"abc"; assert(s[1] == 'b' && sizeof(u8"\u00e9" "x") == 4 && sizeof(u8"" "ab") == 3); char u8a[] = "u8\"x"; assert(u8a[0] == 'u' && sizeof u8a == 5);`, "SAFE"},
	{"the size of what varies", `int n = 3; assert(sizeof(int[n]) == 12 && sizeof(char[n + 1]) == 4 && sizeof(int[2]) == 8);`, "SAFE"},
	{"sets of processors", `
#include <sched.h>
int main(void) { cpu_set_t s, t, d; CPU_ZERO(&s); CPU_ZERO(&t); CPU_SET(1, &s); CPU_SET(700, &t); CPU_OR(&d, &s, &t); assert(CPU_COUNT(&d) == 2 && CPU_ISSET(700, &d)); CPU_AND(&d, &s, &t); assert(!CPU_COUNT(&d) && !CPU_EQUAL(&s, &t)); CPU_XOR(&d, &s, &s); return !CPU_EQUAL(&d, &d); }`, "SAFE"},
	{"null", `int *p = 0; if (!p) { assert(p == NULL); } `, "SAFE"},
}

// TestBounds: where a bound is met there is no proof, but what is found stands.
func TestBounds(t *testing.T) {
	for _, s := range []snippet{
		{"recursion within", `int f(int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { assert(f(5) == 5); return 0; }`, "SAFE"},
		{"recursion that constants decide", `int f(int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { assert(f(50) == 50); return 0; }`, "SAFE"},
		{"recursion that data decide", `int g = 50; int f(int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { assert(f(g) == 50); return 0; }`, "UNKNOWN"},
		{"recursion beyond", `int f(int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { assert(f(500) == 500); return 0; }`, "UNKNOWN"},
		{"recursion without end", `int f(int n) { return n ? 1 + f(n) : 0; } int main(void) { return f(1); }`, "UNKNOWN"},
		{"wrong before the bound", `int f(int n) { assert(n != 3); return f(n + 1); } int main(void) { return f(0); }`, "UNSAFE"},
		{"objects", `int main(void) { int *p; for (;;) { p = malloc(sizeof(int)); *p = 1; } }`, "UNKNOWN"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, "main.c", "#include <assert.h>\n#include <stdlib.h>\n"+s.body, c.Options{})
			if got := verdictOf(t, p, memory.SC, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

// TestMemory checks the assertions that guard accesses.
func TestMemory(t *testing.T) {
	for _, s := range []snippet{
		{"in bounds", `int a[3]; int main(void) { for (int i = 0; i < 3; i++) a[i] = i; assert(a[2] == 2); return 0; }`, "SAFE"},
		{"past the end", `int a[3]; int main(void) { for (int i = 0; i <= 3; i++) a[i] = i; return 0; }`, "UNSAFE"},
		{"before the beginning", `int a[3]; int main(void) { int i = -1; return a[i]; }`, "UNSAFE"},
		{"null", `int main(void) { int *p = 0; return *p; }`, "UNSAFE"},
		{"null in memory", `int *p; int main(void) { return *p; }`, "UNSAFE"},
		{"member of null", `struct s { int a, b; } *p; int main(void) { return p->b; }`, "UNSAFE"},
		{"into the next object", `int a[2], b[2]; int main(void) { return a[20]; }`, "UNSAFE"},
		{"freed", `int main(void) { int *p = malloc(sizeof(int)); *p = 1; free(p); return *p; }`, "UNSAFE"},
		{"a member that another thread frees", "#include <pthread.h>\n" + `struct s { int a, b; } *m; void *f(void *p) { free(m); return 0; } int main(void) { pthread_t t; m = malloc(sizeof *m); m->a = m->b = 3; pthread_create(&t, 0, f, 0); int c = m->b; pthread_join(t, 0); return c; }`, "UNSAFE"},
		{"an element that another thread frees", "#include <pthread.h>\n" + `int *m; void *f(void *p) { free(m); return 0; } int main(void) { pthread_t t; m = malloc(10 * sizeof *m); pthread_create(&t, 0, f, 0); int c = m[5]; pthread_join(t, 0); return c; }`, "UNSAFE"},
		{"a member before another thread frees it", "#include <pthread.h>\n" + `struct s { int a, b; } *m; void *f(void *p) { free(m); return 0; } int main(void) { pthread_t t; m = calloc(1, sizeof *m); assert(!m->b); pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"attributes of a mutex through a null pointer", "#include <pthread.h>\n" + `int main(void) { pthread_mutexattr_t *a = 0; pthread_mutex_t m; pthread_mutex_init(&m, a); pthread_mutex_lock(&m); return 0; }`, "SAFE"},
		{"attributes of a mutex, or a null pointer", "#include <pthread.h>\n" + `int nondet_int(void); int main(void) { pthread_mutexattr_t x, *a = nondet_int() ? &x : 0; pthread_mutexattr_init(&x); pthread_mutexattr_settype(&x, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_t m; pthread_mutex_init(&m, a); pthread_mutex_lock(&m); assert(a || pthread_mutex_trylock(&m)); return 0; }`, "SAFE"},
		{"no arguments", "#include <getopt.h>\n" + `extern int optind; extern char *optarg; int main(int argc, char **argv) { int c, n = 3; opterr = 0; while ((c = getopt(argc, argv, "n:")) != -1) n = atoi(optarg); assert(n == 3 && optind == argc); return 0; }`, "SAFE"},
		{"atomic sections of ESBMC", `#define TWO 2
			typedef unsigned long pthread_t; int x; void *f(void *p) { __ESBMC_atomic_begin(); x++; __ESBMC_atomic_end(); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); __ESBMC_assume(x == TWO); __ESBMC_yield(); pthread_join(t, 0); __ESBMC_assert(x == TWO, "two"); return 0; }`, "SAFE"},
		{"a number of 64 bits that may be any", `int main(void) { long v, x, b, *p = &x; b = x; long r = __atomic_add_fetch(p, v, 0); assert(r == x && x == b + v); return 0; }`, "SAFE"},
		{"an alarm with a handler", "#include <signal.h>\n#include <unistd.h>\n" + `int x; void h(int k) { x = 1; } int main(void) { signal(SIGALRM, h); alarm(1); assert(x == 0); return 0; }`, "UNKNOWN"},
		{"an alarm without a handler", "#include <unistd.h>\n" + `int x; int main(void) { alarm(1); assert(x == 0); return 0; }`, "SAFE"},
		{"headers of which little is known", "#include <malloc.h>\n#include <sys/cdefs.h>\n#include <sys/resource.h>\n" + `__BEGIN_DECLS int f(void) { int *p = malloc(sizeof *p); return !p; } __END_DECLS int main(void) { return f(); }`, "SAFE"},
		{"a string is printed that has been freed", `int puts(const char *); int main(void) { char *p = calloc(1, 8); free(p); puts(p); return 0; }`, "UNSAFE"},
		{"a string is printed as a part of a text", `int printf(const char *, ...); int main(void) { char *p = calloc(1, 8); free(p); printf("%d%%%5s", 3, p); return 0; }`, "UNSAFE"},
		{"where a string is is printed", `int printf(const char *, ...); int main(void) { char *p = calloc(1, 8); free(p); printf("%p %.*s", p, 0, p); return 0; }`, "SAFE"},
		{"strings are printed", `int printf(const char *, ...), sprintf(char *, const char *, ...); int main(void) { char b[8], *p = calloc(1, 8), *none = 0; sprintf(b, "%d", 3); printf("%s %s %s %s", p, b, "x", none); free(p); return 0; }`, "SAFE"},
		{"assembly reads what has been freed", `int main(void) { int *p = calloc(1, 4); free(p); __asm__ volatile("" : : "r"(*p)); return 0; }`, "UNSAFE"},
		{"assembly has what has been freed in its hands", `int main(void) { int *p = calloc(1, 4); free(p); __asm__ volatile("" : "+r"(*p)); return 0; }`, "UNSAFE"},
		{"freed twice", `int main(void) { int *p = malloc(sizeof(int)); free(p); free(p); return 0; }`, "UNSAFE"},
		{"free of a global", `int x; int main(void) { free(&x); return 0; }`, "UNSAFE"},
		{"free of the middle", `int main(void) { int *p = malloc(4 * sizeof(int)); free(p + 1); return 0; }`, "UNSAFE"},
		{"free of null", `int main(void) { free(0); return 0; }`, "SAFE"},
		{"list", `struct n { struct n *next; int v; } *head; int main(void) {
			for (int i = 0; i < 4; i++) { struct n *x = malloc(sizeof *x); x->v = i; x->next = head; head = x; }
			int s = 0; while (head) { struct n *x = head; s += x->v; head = x->next; free(x); } assert(s == 6); return 0; }`, "SAFE"},
		{"list, freed too early", `struct n { struct n *next; int v; } *head; int main(void) {
			for (int i = 0; i < 3; i++) { struct n *x = malloc(sizeof *x); x->v = i; x->next = head; head = x; }
			while (head) { struct n *x = head; free(x); head = x->next; } return 0; }`, "UNSAFE"},
		{"pointers to locals", `void set(int *p, int v) { *p = v; } int main(void) { int a, b; set(&a, 1); set(&b, 2); assert(a == 1 && b == 2); return 0; }`, "SAFE"},
		{"function pointers", `int inc(int x) { return x + 1; } int dec(int x) { return x - 1; } int (*f[2])(int) = { inc, dec };
			int main(void) { for (int i = 0; i < 2; i++) assert(f[i](5) == (i ? 4 : 6)); return 0; }`, "SAFE"},
		{"a null function pointer", `int (*f)(int); int main(void) { return f(1); }`, "UNSAFE"},
		{"memcpy of less than nothing", `int a[4], b[4]; int main(void) { memcpy(a, b, -4); return 0; }`, "UNSAFE"},
		{"memcpy of less than nothing, computed", `int a[4], b[4]; int main(void) { int n = 2; memcpy(a, b, (n - 3) * sizeof *a); return 0; }`, "UNSAFE"},
		{"memset of less than nothing", `struct s { int a; long b; } x; int main(void) { memset(&x, 0, -16); return 0; }`, "UNSAFE"},
		{"memcmp of more than there is", `char x[] = "x", y[] = "yyyyy"; int main(void) { return memcmp(x, y, 5) < 0; }`, "UNSAFE"},
		{"memcmp tells by the first", `char x[] = "abc", y[] = "acb"; int main(void) { assert(memcmp(x, y, 3) < 0 && memcmp(y, x, 3) > 0 && !memcmp(x, y, 1)); return 0; }`, "SAFE"},
		{"memcmp of less than nothing", `struct s { int a, b; } x, y; int main(void) { return memcmp(&x, &y, -8); }`, "UNSAFE"},
		{"atomic structures on the heap", `struct p { int a, b; }; _Atomic struct p *x; int main(void) { int n = 2; x = calloc(n, sizeof *x); struct p y = { 1, 2 }; x[1] = y; y = *(x + 1); assert(y.b == 2); y = x[0]; assert(y.b == 0); return 0; }`, "SAFE"},
		{"atomic structures on the heap, in the size of plain ones", `struct p { int a, b; }; _Atomic struct p *x; int main(void) { x = malloc(2 * sizeof(struct p)); struct p y = { 1, 2 }; *x = y; y = *x; assert(y.b == 1); return 0; }`, "UNSAFE"},
		{"as many structures as is computed", `struct s { int a; long b; char c; } x[3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, y[3]; int nondet_int(void); int main(void) { int n = nondet_int(); if (n < 1 || n > 2) return 0; memcpy(y, x + 1, n * sizeof *y); assert(y[0].b == 5 && y[1].c == (n == 2 ? 9 : 0) && !y[2].a); memmove(x + 1, x, n * sizeof *x); assert(x[1].a == 1 && x[2].b == (n == 2 ? 5 : 8)); memset(x, 0, n * sizeof *x); assert(!x[0].b && x[1].c == (n == 2 ? 0 : 3)); return 0; }`, "SAFE"},
		{"more structures than there are", `struct s { int a; long b; } x[3], y[2]; int nondet_int(void); int main(void) { int n = nondet_int(); if (n < 1 || n > 3) return 0; memcpy(y, x, n * sizeof *y); return 0; }`, "UNSAFE"},
		{"memset and memcpy", `struct s { int a; long b; } x, y; int main(void) { x.a = 1; x.b = 2; memcpy(&y, &x, sizeof x); memset(&x, 0, sizeof x); assert(!x.a && y.b == 2); return 0; }`, "SAFE"},
		{"container", `struct l { struct l *next; }; struct e { int v; struct l link; }; int main(void) { struct e a = { 7, { 0 } }; struct l *p = &a.link;
			struct e *q = (struct e *)((char *)p - offsetof(struct e, link)); assert(q->v == 7); return 0; }`, "SAFE"},
		{"half of a word", `int main(void) { long l = 0x500000001; int *p = (int *)&l; p[1]++; assert(*p == 1 && l == 0x600000001); return 0; }`, "SAFE"},
		{"structures that hold pointers to their own kind", `typedef struct s s_t; struct s { _Atomic(struct s *) p, q; s_t *r, *(*f)(s_t, struct s *); union { struct s *t; int n; } u; struct in { int k; } v[2]; __typeof__(struct s *) w, x; } __attribute__((aligned(16))); int main(void) { struct s x = { 0 }; struct s y = { .r = &x, .v = { { 1 }, { 2 } } }; y.x = &y; assert(!x.r && y.r == &x && y.v[1].k == 2 && y.x->x == &y); return 0; }`, "SAFE"},
		{"members with the names of types", `typedef struct list list; struct node { unsigned int list, other; struct node *next; }; int main(void) { struct node x = { 1, 2, 0 }; assert(x.list + x.other == 3); return 0; }`, "SAFE"},
		{"bytes of structures", `struct s { int a; short b; char c; }; int main(void) { struct s x = { 0x01020304, 0x506, 7 }, y; unsigned char buf[sizeof x]; memcpy(buf, &x, sizeof x); assert(buf[0] == 4 && buf[3] == 1 && buf[4] == 6 && buf[6] == 7); buf[1] = 9; memcpy(&y, buf, sizeof y); assert(y.a == 0x01020904 && y.b == 0x506 && y.c == 7); return 0; }`, "SAFE"},
		{"words in bytes", `static unsigned load(const void *p) { unsigned v; memcpy(&v, p, sizeof v); return v; } static void store(void *p, unsigned v) { memcpy(p, &v, sizeof v); } char m[16]; int main(void) { store(m, 0x11223344); store(m + 4, 5); assert(load(m) == 0x11223344 && load(m + 4) == 5 && m[0] == 0x44 && load(m + 2) == 0x51122); return 0; }`, "SAFE"},
		{"bytes in a loop", `int main(void) { short a[3] = { 7, -8, 9 }; unsigned char *p = (unsigned char *)a; for (int i = 0; i < 5; i++) p[i] ^= p[i + 1]; assert(a[0] == (short)0xf807 && p[3] == (0xff ^ 9)); return 0; }`, "SAFE"},
		{"bytes past the end", `int main(void) { short a[3]; unsigned char *p = (unsigned char *)a; for (int i = 0; i < 7; i++) p[i] = 1; return 0; }`, "UNSAFE"},
		{"which structure is less", `struct s { int x, y; }; int main(void) { struct s a = { 1, 2 }, b = { 1, 2 }; assert(!memcmp(&a, &b, sizeof a)); b.y = 3; assert(memcmp(&a, &b, sizeof a) < 0 && memcmp(&b, &a, sizeof a) > 0); a.x = 256; assert(memcmp(&a, &b, sizeof a) < 0); a.x = -1; assert(memcmp(&a, &b, sizeof a) > 0); return 0; }`, "SAFE"},
		{"half of a number of floating point", `int main(void) { double d = 1; int *p = (int *)&d; return *p; }`, "UNKNOWN"},
		{"pointer arithmetic", `int a[5] = { 1, 2, 3, 4, 5 }; int main(void) { int *p = a, *e = a + 5; int s = 0; while (p != e) s += *p++; assert(s == 15 && e - a == 5); return 0; }`, "SAFE"},
		{"tagged pointers", `int x = 3; int main(void) { unsigned long t = (unsigned long)&x | 1; assert(*(int *)(t & ~1UL) == 3); return 0; }`, "SAFE"},
		{"union", `union u { int i; unsigned u; } v; int main(void) { v.i = -1; assert(v.u == 4294967295u); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, "main.c", "#include <assert.h>\n#include <stdlib.h>\n#include <stddef.h>\n#include <string.h>\n"+s.body, c.Options{})
			if got := verdictOf(t, p, memory.SC, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

// TestManyOutcomes checks that a choice of 64 bits is no mistake of the program: who tries its outcomes one by
// one comes to no end, and leaves it to others.
func TestManyOutcomes(t *testing.T) {
	t.Parallel()
	p := read(t, "main.c", "#include <assert.h>\nint main(void) { long v, x, b, *p = &x; b = x; long r = __atomic_add_fetch(p, v, 0); assert(r == x && x == b + v); return 0; }", c.Options{})
	for e, want := range map[engine.Name]string{"explicit": "UNKNOWN", "graphs": "UNKNOWN", "saturation": "UNKNOWN", "rvf": "UNKNOWN", "ic3": "SAFE", "bmc": "SAFE", "auto": "SAFE"} {
		limit := time.Minute
		if want == "UNKNOWN" {
			limit = time.Second / 2
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		opts := engine.Options{Model: memory.SC, Engine: e}
		r, err := engine.Check(ctx, p, opts.WithDefaults())
		cancel()
		if err != nil || r.Verdict().String() != want {
			t.Errorf("%s: %v, %v, want %s", e, r, err, want)
		}
	}
}

// TestLoopsBetweenThreads reads programs with a loop that goes on as long as it likes, and counts, in a loop that
// makes threads.
func TestLoopsBetweenThreads(t *testing.T) {
	const text = `#include <assert.h>
#include <pthread.h>
int x, y, nondet_int(void);
void *f(void *a) { x++; return 0; }
int main(void) {
	pthread_t t[2];
	int k = nondet_int() & 1;
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j != k; j++) y = j;
		pthread_create(&t[i], 0, f, 0);
	}
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	assert(COND);
	return 0;
}`
	for want, verdict := range map[string]string{"x == 2": "UNSAFE", "x >= 1 && x <= 2": "SAFE"} {
		p := read(t, "main.c", "#define COND "+want+"\n"+text, c.Options{})
		if got := verdictOf(t, p, memory.SC, "auto"); got != verdict {
			t.Errorf("%s: %s, want %s", want, got, verdict)
		}
	}
}
