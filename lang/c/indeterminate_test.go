package c_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestIndeterminate: expressions whose calls C leaves in no order have all the values that some order gives, and no others.
func TestIndeterminate(t *testing.T) {
	for _, s := range []struct {
		name, before, body string // which assigns x
		want               []int
	}{
		{"two calls", "", `x = next() * 10 + next();`, []int{12, 21}},
		{"three calls", "", `x = next() * 100 + (next() * 10 + next());`, []int{123, 132, 213, 231, 312, 321}},
		{"arguments", `int two(int a, int b) { return a * 10 + b; }`, `x = two(next(), next());`, []int{12, 21}},
		{"arguments through a pointer", `int two(int a, int b) { return a * 10 + b; }`, `int (*f)(int, int) = two; x = f(next(), next());`, []int{12, 21}},
		{"a variable before a call", "", `x = g * 10 + next();`, []int{1, 11}},
		{"a variable behind a call", "", `x = next() * 10 + g;`, []int{10, 11}},
		{"two variables around a call", `int h; int both(void) { g = 1; h = 1; return 0; }`, `x = g * 10 + both() + h;`, []int{0, 1, 10, 11}},
		{"a change beside a call", `int read(void) { return g; }`, `x = g++ * 10 + read();`, []int{0, 1}},
		{"an assignment beside a call", `int read(void) { return g; }`, `x = (g = 5) * 10 + read();`, []int{50, 55}},
		{"an element", "int a[3];", `a[g] = next(); x = a[0] * 10 + a[1];`, []int{1, 10}},
		{"an element, of what is more than a call", "int a[3];", `a[g] = 1 + next(); x = a[0] * 10 + a[1];`, []int{2, 20}},
		{"what is behind a pointer", "struct s { int v; } one, two, *p = &one; int move(void) { p = &two; return 1; }", `p->v = move(); x = one.v * 10 + two.v;`, []int{1, 10}},
		{"a sum that is kept", "", `g = 1; g += next(); x = g;`, []int{3, 4}},
		{"a sum at an element", "int a[3] = {10, 20};", `a[g] += next(); x = a[0] * 100 + a[1];`, []int{1120, 1021}},
		{"a sum that is kept, asked for", "", `g = 1; x = (g += next()) * 10 + 1;`, []int{31, 41}},
		{"a bit-field", "struct { int a : 4, b : 4; } s; int more(void) { s.b = 3; return 1; }", `s.a = 1; s.b = 1; s.b += more(); x = s.a * 10 + s.b;`, []int{12, 14}},
		{"a structure", "struct s { int v, w; } q; struct s get(void) { q.v++; q.w = q.v; return q; }", `x = get().v * 10 + get().w;`, []int{12, 21}},
		{"a structure that is copied", "struct s { int v, w; } a, b = {1, 1}, *p = &a; struct s *move(void) { p = &b; b.v = 7; return &b; }", `*p = *move(); x = a.v * 10 + b.v;`, []int{7, 77}},
		{"what a call inside of another reads", "int same(int v) { return v; }", `x = same(g) * 10 + same(next());`, []int{1, 11}},
		{"where only an arm is evaluated", "", `x = (g ? 5 : 6) * 10 + next();`, []int{51, 61}},
		{"a pointer to a local variable", "int set(int *p) { *p = 3; return 0; }", `int v = 1; x = v * 10 + set(&v);`, []int{10, 30}},
		{"a pointer to a parameter of another", "int set(int *p) { *p = 3; return 1; }", `int v = 1, w = 1; x = w * 10 + set(&v);`, []int{11}},
		{"by the value of a statement", "", `x = ({ int v = next(); v * 10; }) + next();`, []int{12, 21}},
		{"what is printed", "", `printf("%d %d", next(), g = 5); x = g;`, []int{5, 6}},
		{"a function that calls another", "int deeper(void) { return next() + 0; }", `x = deeper() * 10 + g;`, []int{10, 11}},
		{"by assembly", `int by(void) { int r = 1; __asm__ volatile("lock; xaddl %0, %1" : "+r"(r), "+m"(g)); return r; }`, `x = g * 10 + by();`, []int{0, 10}},
		{"by a function of the library", "", `x = g * 10 + __atomic_fetch_add(&g, 1, 5);`, []int{0, 10}},
		{"by memset", "", `g = 1; x = g * 10 + (memset(&g, 0, sizeof g) == 0);`, []int{0, 10}},
		{"comma", "", `x = (next(), g * 10); x += next();`, []int{12}},
		{"and", "", `x = next() && next(); x = x * 10 + g;`, []int{12}},
		{"two variables of two types", "long h; long other(void) { h = 2; return 2; }", `int *p = &g; x = *p * 10 + other();`, []int{2}},
		{"two members", "struct s { int v, w; } q, *p = &q; int other(void) { p->w = 2; return 2; }", `struct s *r = &q; x = r->v * 10 + other();`, []int{2}},
		{"two members of a union", "union u { int v; int w; } q, *p = &q; int other(void) { p->w = 2; return 2; }", `union u *r = &q; r->v = 1; x = r->v * 10 + other();`, []int{12, 22}},
		{"what has been made", "struct n { struct n *l, *r; int v; }; struct n *make(struct n *l, struct n *r, int v) { struct n *n = malloc(sizeof *n); n->l = l; n->r = r; n->v = v; return n; }",
			`struct n *n = make(make(0, 0, 1), make(0, 0, 2), 3); x = n->l->v * 100 + n->r->v * 10 + n->v;`, []int{123}},
		{"a function that calls itself", "int sum(int *p, int n) { int s[1] = {0}; s[0] = *p; return n ? sum(p, n - 1) + s[0] : s[0]; }", `g = 2; x = sum(&g, 3);`, []int{8}},
		{"three calls of three functions", "int two(void) { return ++g; } int three(void) { return ++g; }", `x = next() * 100 + two() * 10 + three();`, []int{123, 132, 213, 231, 312, 321}},
		{"a variable that is declared in a function", "int h; int set(void) { extern int h; h = 1; return 0; }", `x = h * 10 + set();`, []int{0, 10}},
		{"all of a structure in another", "struct o { int k; struct i { int v, w; } in; } s; int set(void) { struct i t = {1, 2}; s.in = t; return 0; }", `struct i *p = &s.in; x = p->w * 10 + set();`, []int{0, 20}},
		{"a count of calls", "int n; int f(void) { n++; return 0; }", `x = f() + f() + f() + f(); x = n;`, []int{4}},
		{"a count of calls inside of others", "int n; int f(int a, int b) { ++n; return 0; }", `x = f(f(f(0, 0), f(0, 0)), f(0, 0)); x = n;`, []int{5}},
		{"a count that is read", "int n; int f(void) { n++; return 0; }", `x = n * 10 + f();`, []int{0, 10}},
		{"a count that is set", "int n; int f(void) { n++; return 0; } int set(void) { n = 5; return 0; }", `x = f() + set(); x = n;`, []int{5, 6}},
		{"a count that statements give", "int f(void) { return ({ int a = 1; (void)a; g++; }); }", `x = f() * 10 + f();`, []int{1, 10}},
		{"a method", "struct o { int (*get)(struct o *); int v; }; int get(struct o *o) { return o->v; } int sum(struct o *a, struct o *b) { return a->get(a) * 10 + b->get(b); }",
			`struct o a = {get, 1}, b = {get, 2}; x = sum(&a, &b);`, []int{12}},
		{"one of two functions", "int one(int v) { return 1; } int two(int v) { g = v; return 2; } int (*f[2])(int) = {one, two};", `int i = rand() & 1; x = g * 100 + f[i](1);`, []int{1, 2, 102}},
		{"a function that a function calls by a pointer", "int one(void) { g = 1; return 0; } int by(int (*f)(void)) { return f(); }", `x = g * 10 + by(one);`, []int{0, 10}},
		{"free by a pointer", "int set(void) { g = 1; return 0; } void (*f)(void *) = free; int drop(void) { f(malloc(1)); return 0; }", `x = g * 10 + drop() + set();`, []int{0, 10}},
		{"a function that does not say how many parameters it has", "int none() { g = 1; return 0; } int one(int v) { return v; } int (*h)(int) = one, (*f)() = none;", `x = g * 10 + f(1);`, []int{0, 10}},
		{"a function that is stored", "int one(void) { return 1; } int two(void) { g = 1; return 2; } int (*f)(void) = two;", `x = g * 10 + f();`, []int{2, 12}},
		{"an index of a pointer that is moved", "int a[4] = {1, 2, 3}, *p = a; int step(void) { p++; return 1; }", `x = p[step()];`, []int{2, 3}},
		{"an index of a row", "int a[2][2] = {{1, 2}, {3, 4}};", `x = a[g][next()];`, []int{2, 4}},
		{"an atomic variable", "_Atomic int a;", `x = __atomic_load_n(&a, 5) * 10 + __atomic_fetch_add(&a, 1, 5) + 7;`, []int{7, 17}},
		{"a member of a union as another", "union { int i; short s; } u; int set(void) { u.s = 1; return 0; }", `x = u.i * 10 + set();`, []int{0, 10}},
		{"in a member of a union", "union { int i; struct { int k; } s; } u; int *p = &u.i; int set(void) { *p = 1; return 0; }", `x = u.s.k * 10 + set();`, []int{0, 10}},
		{"a row of an array", "int m[2][2], *p; int set(void) { *p = 1; return 0; }", `p = m[1]; x = m[1][0] * 10 + set();`, []int{0, 10}},
		{"a parameter that is declared as an array", "int set(int p[2][2]) { p[1][0] = 1; return 0; }", `int m[2][2] = {{0}}; x = m[1][0] * 10 + set(m);`, []int{0, 10}},
		{"a structure that the member is of", "struct o { struct i { int v, w; } in; int k; } s, *p = &s; int set(void) { struct i t = {1, 2}; p->in = t; return 0; }", `x = p->in.v * 10 + set();`, []int{0, 10}},
		{"a structure as its first member", "struct n { int k; }; struct e { struct n l; int v; } e; int set(struct n *p) { ((struct e *)p)->l.k = 1; return 0; }", `x = e.l.k * 10 + set(&e.l);`, []int{0, 10}},
		{"a structure as a number", "struct e { int v, w; } e; int set(void) { int *p = (int *)&e; *p = 1; return 0; }", `x = e.v * 10 + set();`, []int{0, 10}},
		{"a number as a structure", "struct w { int c; }; int set(struct w *p) { p->c = 1; return 0; }", `x = g * 10 + set((struct w *)&g);`, []int{0, 10}},
		{"a function for the end of a variable", "void bump(int *p) { g = 1; } int set(void) { int v __attribute__((cleanup(bump))) = 0; return 1; }", `x = g * 10 + set();`, []int{1, 11}},
		{"a variable that is declared twice", "extern int h; int get(void) { return h; } int h; int set(void) { h = 1; return 0; }", `x = get() * 10 + set();`, []int{0, 10}},
		{"a pointer that is null, or a parameter", "int set(int *p) { if (!p) p = malloc(4); *p = 1; return 0; }", `x = g * 10 + set(&g);`, []int{0, 10}},
		{"what is called by the library", "pthread_once_t o = PTHREAD_ONCE_INIT; void set(void) { g = 1; }", `x = g * 10 + pthread_once(&o, set);`, []int{0, 10}},
		{"what a thread has done that is waited for", "void *t(void *a) { g = 1; return 0; } int run(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); return 0; }", `x = g * 10 + run();`, []int{0, 10}},
		{"what is stored for a key", "pthread_key_t k; int set(void) { pthread_setspecific(k, (void *)1); return 0; }", `pthread_key_create(&k, 0); x = (int)(long)pthread_getspecific(k) * 10 + set();`, []int{0, 10}},
		{"a mutex that is tried", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", `pthread_mutex_lock(&m); x = (pthread_mutex_trylock(&m) != 0) * 10 + pthread_mutex_unlock(&m);`, []int{0, 10}},
		{"what a compare-exchange has found", "int e; _Atomic int a = 3;", `x = e * 10 + __atomic_compare_exchange_n(&a, &e, 5, 0, 5, 5);`, []int{0, 30}},
		{"two calls of one function", "int note(int v) { g = g * 10 + v; return v; }", `int p = 1, q = 2; x = note(p) - note(q); x = g;`, []int{12, 21}},
		{"three calls of one function, by what they give", "int note(int v) { return v * ++g; }", `int p = 1, q = 10, r = 100; x = note(p) + note(q) + note(r);`, []int{321, 231, 312, 132, 213, 123}},
		{"a function that calls itself on both sides, and keeps what it gives", "int memo[8]; int fib(int k) { if (k < 2) return k; if (memo[k]) return memo[k]; return memo[k] = fib(k - 1) + fib(k - 2); }", `x = fib(5);`, []int{5}},
		{"two loads, and what comes between no two", "_Bool b[2]; void set(_Bool *p) { p[0] = 1; } int two(void) { set(b); return 1; }", `x = (g ? g : g + 1) * 10 + two();`, []int{11}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			verdict := func(condition string) string {
				text := "#include <assert.h>\n#include <stdio.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nint g;\nint next(void) { return ++g; }\n" + s.before +
					"\nint main(void) {\nint x; " + s.body + "\nassert(" + condition + ");\nreturn 0; }\n"
				return verdictOf(t, read(t, "main.c", text, c.Options{}), memory.TSO, "auto")
			}
			var one []string
			for _, v := range s.want {
				one = append(one, fmt.Sprintf("x == %d", v))
				if got := verdict(fmt.Sprintf("x != %d", v)); got != "UNSAFE" {
					t.Errorf("x is %d in no run: %s", v, got)
				}
			}
			if got := verdict(strings.Join(one, " || ")); got != "SAFE" {
				t.Errorf("x may be none of %v: %s", s.want, got)
			}
		})
	}
}

// TestManyOrders: where not all orders are looked at there is no proof.
func TestManyOrders(t *testing.T) {
	const before = "#include <assert.h>\nint g;\nint next(void) { return ++g; }\nint from(int v) { g++; return v; }\nint id(int v) { return v; }\nint two(int v) { return 2; } int (*f)(int) = id; int step(void) { f = two; return 1; }\n" +
		"int fst(int a, int b) { return b; } int snd(int a, int b) { return 2; } int (*h)(int, int) = fst; int step2(void) { h = snd; return 1; }\n" +
		"int k, l; int tens(int v) { return v * 10 + l; } int first(void) { g = 1; k = 1; return 0; } int second(void) { int t = k; l = 1; return t * 100; }\n"
	for _, body := range []string{
		`int x = next() + next() + next() + next(); assert(x == 10);`,
		`int x = from(g) + from(g); assert(x < 2);`,
		`int x = id(next() + next()) + next(); assert(x == 6);`,
		`int x = (*f)(step()); assert(x == 1);`,
		`int x = (*h)(0, step2()); assert(x == 1);`,
		`int x = tens(g) + first() + second(); assert(x != 100);`,
		`int x = (g ? g : 5) + next(); assert(x > 1);`,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", before+"int main(void) { "+body+" }\n", c.Options{}), memory.TSO, "auto"); got != "UNKNOWN" {
				t.Errorf("%s, want UNKNOWN", got)
			}
		})
	}
}

// TestOrders: calls of which each may be the first, whatever they give.
func TestOrders(t *testing.T) {
	for _, s := range []snippet{
		{"exit", `int stop(void) { exit(0); return 0; } int check(void) { assert(0); return 0; } int main(void) { return stop() + check(); }`, "UNSAFE"},
		{"exit and abort", `int stop(void) { exit(0); return 0; } int die(void) { abort(); return 0; } int main(void) { return stop() + die(); }`, "UNSAFE"},
		{"exit and abort, which is no error", `void reach_error(void); int stop(void) { exit(0); return 0; } int die(void) { abort(); return 0; } int main(void) { return stop() + die(); }`, "SAFE"},
		{"err", `void err(int, const char *, ...); int stop(void) { err(1, "stop"); return 0; } int check(void) { assert(0); return 0; } int main(void) { return stop() + check(); }`, "UNSAFE"},
		{"pointers that do not say how many arguments", `int n; int set(a, b) int a, b; { return n = a - b; } int get() { return n; } int (*f)() = set, (*g)() = get; int main(void) { int r = f(7, 2) + g() * 10; assert(r == 55 || r == 5); return 0; }`, "SAFE"},
		{"pointers that do not say how many arguments, in an order", `int n; int set(a, b) int a, b; { return n = a - b; } int get() { return n; } int (*f)() = set, (*g)() = get; int main(void) { int r = f(7, 2) + g() * 10; assert(r == 55); return 0; }`, "UNSAFE"},
		{"a pointer to what takes more arguments", `int n; int set(a, b) int a, b; { return n = a - b; } int get() { return n; } int (*g)() = get; int main(void) { if (rand()) g = set; return g(); }`, "UNSAFE"},
		{"free", `struct n { int v; } *n; int drop(void) { free(n); return 0; } int main(void) { n = malloc(sizeof *n); n->v = 1; return drop() + n->v; }`, "UNSAFE"},
		{"a function that calls itself on both sides", `struct n { struct n *l, *r; } a, b, c; int g; int size(struct n *n) { if (!n) return 0; g++; return 1 + size(n->l) + size(n->r); } int main(void) { a.l = &b; a.r = &c; int x = size(&a); assert(x == 3 && g == 3); return 0; }`, "SAFE"},
		{"free by a pointer", `struct n { int v; } *n; void (*f)(void *) = free; int drop(void) { f(n); return 0; } int main(void) { n = malloc(sizeof *n); n->v = 1; struct n *p = n; return p->v + drop(); }`, "UNSAFE"},
		{"free, before", `struct n { int v; } *n; int drop(void) { free(n); return 0; } int main(void) { n = malloc(sizeof *n); n->v = 1; int v = n->v; return drop() + v; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", snippetText(s.body), c.Options{Unroll: 3}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
