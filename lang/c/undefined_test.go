package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestUndefined has what C does not define, and what it does beside it.
func TestUndefined(t *testing.T) {
	t.Parallel()
	for _, s := range []snippet{
		{"a string literal is changed", `char *s = "abc"; s[0] = 1; return 0;`, "UNSAFE"},
		{"a string literal is changed by another thread", `char *s = "abc"; void *f(void *a) { s[1] = 0; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"a string literal or an array", `char b[8] = "a", *p = rand() ? b : "xy"; p[1] = 0; return 0;`, "UNSAFE"},
		{"a copy of a string literal is changed", `char *s = "abc", b[4], c[] = "ab"; strcpy(b, s); b[0] = c[1] = 1; assert(s[0] == 'a'); return 0;`, "SAFE"},
		{"what is const is changed", `const int c[3] = {1, 2, 3}; void f(int *p) { *p = 2; } int main(void) { f((int *)&c[1]); return 0; }`, "UNSAFE"},
		{"what is const in a function is changed", `static const int c = 1; *(int *)&c = 2; return c;`, "UNSAFE"},
		{"what is const is changed at once", `const atomic_int c = 1; int main(void) { atomic_fetch_add((atomic_int *)&c, 1); return 0; }`, "UNSAFE"},
		{"what is const is read", `static const int c = 1; const int d = 2; const int *p = &c; assert(*p + d == 3); return 0;`, "SAFE"},
		{"what a const pointer points to", `int x; int *const p = &x; int main(void) { *p = 1; assert(x == 1); return 0; }`, "SAFE"},
		{"a value that no return gives", `int f(int x) { if (x) return 1; } int main(void) { int r = f(0); return r; }`, "UNSAFE"},
		{"a value that no return gives, and nobody asks for", `int n; int f(int x) { if (x) return 1; n++; } int main(void) { f(0); (void)f(0); for (f(0); f(1), n < 4; f(0)); assert(n == 4); return 0; }`, "SAFE"},
		{"a value that every return gives", `int f(int x) { switch (x) { case 0: return 1; default: abort(); } } int main(void) { return f(0) - 1; }`, "SAFE"},
		{"a thread without a value", `void *f(void *a) { } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"a copy that overlaps", `char a[8] = "abcdefg"; memcpy(a, a + 1, 4); return 0;`, "UNSAFE"},
		{"a copy that overlaps behind", `char a[8] = "abcdefg"; memcpy(a + 1, a, 4); return 0;`, "UNSAFE"},
		{"a move that overlaps", `char a[8] = "abcdefg"; memmove(a, a + 1, 4); assert(a[0] == 'b' && a[3] == 'e'); return 0;`, "SAFE"},
		{"a copy beside", `char a[8] = "abcdefg"; memcpy(a, a + 4, 3); memcpy(a + 4, a, 4); assert(a[0] == 'e' && a[4] == 'e'); return 0;`, "SAFE"},
		{"two changes", `int i = 1; i = i++ + 1; return i;`, "UNSAFE"},
		{"two changes that are alike", `int i = 1; i = ++i; return i;`, "UNSAFE"},
		{"two changes by a sum", `int i = 1, j = i++ + i++; return j;`, "UNSAFE"},
		{"a change and a use", `int i = 0, a[2] = {0}; a[i] = i++; return 0;`, "UNSAFE"},
		{"a change and a use as arguments", `int f(int a, int b) { return a + b; } int main(void) { int i = 1; return f(i, i++) * 0; }`, "UNSAFE"},
		{"a change and a use in a condition", `int i = 1; if (i++ + i) return 0; return 1;`, "UNSAFE"},
		{"a change and a use in what is returned", `int f(int i) { return i++ - i; } int main(void) { return f(1) * 0; }`, "UNSAFE"},
		{"a change of a pointer", `struct n { struct n *next; } a, b, *p = &a; p->next = p = &b; return 0;`, "UNSAFE"},
		{"two changes that nobody comes to", `int i = 1; if (i > 1) i = i++; assert(i == 1); return 0;`, "SAFE"},
		{"two changes that may not be", `int i = 1; i = i > 1 ? i++ : 5; assert(i == 5); return 0;`, "SAFE"},
		{"changes in an order", `int i = 1, j; i = i + 1; i = (i++, i); j = i++ && i--; i = i ? i - 1 : i; j = (i = 3) + 1; assert(i == 3 && j == 4); return 0;`, "SAFE"},
		{"a change that comes before a call", `int f(int x) { return x; } int main(void) { int i = 1; i = f(i++); assert(i == 1); return 0; }`, "SAFE"},
		{"changes of different variables", `char s[] = "ab", d[3], *p = d, *q = s; while ((*p++ = *q++)); assert(d[1] == 'b'); int i = 0, j = 0; i = j++; j = i = 2; int k = sizeof i++ + i; assert(k == 6 && j == 2); return 0;`, "SAFE"},
		{"what is not come to", `int i = 1; if (rand()) { exit(0), i = i++; } int k = rand() ? 1 : (exit(0), i = i++); return k - 1;`, "SAFE"},
		{"what is not evaluated", `int i = 1, k = __builtin_constant_p(i++) + i; assert(i == 1 && k == 1); return 0;`, "SAFE"},
		{"two changes on one side of a choice", `int f(int a) { return a; } int main(void) { int i = 1, k = f(1) ? (i = i++) : 2; return k; }`, "UNSAFE"},
		{"two changes on the right", `int f(int a) { return a; } int main(void) { int i = 1, k = 1 + (f(1) && (i = i++)); return k; }`, "UNSAFE"},
		{"two changes behind a comma", `int i = 1, k; k = (i, i = i++); return k;`, "UNSAFE"},
		{"a change and a use in a list", `int i = 1; int a[2] = {i++ + i}; return a[0];`, "UNSAFE"},
		{"a change and a use in a member", `int i = 1; struct { int v; } s = {.v = i++ + i}; return s.v;`, "UNSAFE"},
		{"a change and a use in a literal", `int i = 1, *q = &(int){i = i++}; return *q;`, "UNSAFE"},
		{"a change and a use in a size", `int i = 1; int a[i++ + i]; return sizeof a;`, "UNSAFE"},
		{"changes in elements of a list", `int i = 1; int a[2] = {i++, i++}; assert(a[0] + a[1] == 3); return 0;`, "SAFE"},
		{"what is const and thread-local is changed", `_Thread_local const int c = 1; int main(void) { *(int *)&c = 2; return c; }`, "UNSAFE"},
		{"what is const and volatile is changed", `const volatile int c = 1; int main(void) { *(volatile int *)&c = 2; return c; }`, "UNSAFE"},
		{"a value of a statement in an expression that nobody asks for", `int n; int f(void) { n++; } int main(void) { ({ f(); }); (void)({ n++; f(); }); n ? ({ f(); }) : ({ f(); }); for (({ f(); }); n < 5; ({ f(); })); assert(n == 5); return 0; }`, "SAFE"},
		{"a value of a statement in an expression", `int n; int f(void) { n++; } int main(void) { return ({ f(); }); }`, "UNSAFE"},
		{"a literal that is a string", `char *g = (char[]){"ab"}; int main(void) { char *s = (char[]){"cd"}; assert(s[1] == 'd' && g[1] == 'b' && sizeof((char[]){"abcd"}) == 5); return 0; }`, "SAFE"},
		{"an index of what a member is of", `struct { int k; } q[4]; unsigned t; int main(void) { q[t].k = t++; return 0; }`, "UNSAFE"},
		{"a pointer to what a member is of", `struct s { int v; } t[3]; int main(void) { struct s *p = t; int k = (*p).v + (p++)->v; return k; }`, "UNSAFE"},
		{"a change and a use of another member", `struct { int v, w; } t; int i; int main(void) { t.v = i++; i = t.v++; t.w = t.v + (&t)->v++; return 0; }`, "SAFE"},
		{"a change in a call that ends a function", `int f(int n, int m) { if (n <= 0) return m; return f(--n, n); } int main(void) { return f(rand() & 3, 0) * 0; }`, "UNSAFE"},
		{"changes in a call that ends a function", `int f(int n, int m) { if (n <= 0) return m; return f(--n, m++); } int main(void) { return f(rand() & 3, 0) * 0; }`, "SAFE"},
		{"two changes, one in a case that comes", `int i = 1; i = i ? i++ : 0; return 0;`, "UNSAFE"},
		{"two changes, one in a case that does not come", `int i = 0; i = i ? i++ : 7; assert(i == 7); return 0;`, "SAFE"},
		{"a change in a macro", `int x = 1; x = x++ < 5 ? x++ : 5; return 0;`, "UNSAFE"},
		{"a change that may come, and a use", `int i = 1, k = (rand() && i++) + i; return 0;`, "UNSAFE"},
		{"a use that may come, and a change", `int i = 1, j = 1, k = (j && i) + i++; return 0;`, "UNSAFE"},
		{"a use that does not come, and a change", `int i = 1, j = 0, k = (j && i) + i++; assert(k == 1 && i == 2); return 0;`, "SAFE"},
		{"a change in one of two cases", `int i = 1, j = 2, k = rand() ? i++ : j++; k = i && (j = i); assert(k == 1 && j == i); i = k ? (j = 5) : 3; assert(i == 5); return 0;`, "SAFE"},
		{"a change before a comma in a case", `int i = 1; i = i ? (i++, 4) : 0; assert(i == 4); return 0;`, "SAFE"},
		{"a change in a call in a case", `int f(int x) { return x; } int main(void) { int i = 1; i = i ? f(i++) : 0; assert(i == 1); return 0; }`, "SAFE"},
		{"a change in what is selected", `int i = 1, k = _Generic(i, int: i++, default: 0) + i; return 0;`, "UNSAFE"},
		{"a change in what is not selected", `int i = 1, k = _Generic(i, long: i++, default: 0) + i; assert(k == 1); return 0;`, "SAFE"},
		{"a change in a literal beside a use", `int i = 1, k = (struct { int v; }){i++}.v + i; return 0;`, "UNSAFE"},
		{"a change and a use of where it goes on", `int i = 0; void *t[] = {&&a, &&a, &&a}; goto *t[i++ + i]; a: return 0;`, "UNSAFE"},
		{"a change and a use for assembly", `int i = 0, o; asm("" : "=r"(o) : "0"(i++ + i)); return 0;`, "UNSAFE"},
		{"a comparison without a value", `int f(const void *a, const void *b) { int x = *(int *)a, y = *(int *)b; if (x < y) return -1; if (x > y) return 1; } int main(void) { int a[3] = {2, 1, 2}; qsort(a, 3, 4, f); return 0; }`, "UNSAFE"},
		{"a return without a value", `int f(int x) { if (x) return 1; return; } int main(void) { int r = f(0); return r; }`, "UNSAFE"},
		{"a return without a value that nobody asks for", `int f(int x) { if (x) return 1; return; } int main(void) { f(0); return 0; }`, "SAFE"},
		{"a const member", `struct { const int a; int b; } g[3] = {{1, 2}}; int main(void) { int *p = (int *)g; p[rand() % 2 * 2] = 3; return 0; }`, "UNSAFE"},
		{"what is beside a const member", `struct { const int a; int b; } g[3] = {{1, 2}}; int main(void) { int *p = &g[0].b; p[rand() % 2 * 2] = 3; assert(g[0].a == 1); return 0; }`, "SAFE"},
		{"a const literal", `const int *p = (const int[]){1, 2}; int main(void) { *(int *)p = 3; return 0; }`, "UNSAFE"},
		{"a literal that is not const", `int *p = (int[]){1, 2}; int main(void) { *p = 3; assert(*p == 3); return 0; }`, "SAFE"},
		{"a string copied into itself", `char b[16] = "abc"; strcpy(b, b + 1); return 0;`, "UNSAFE"},
		{"a string copied to where it is", `char b[16] = "abc"; strcpy(b, b); return 0;`, "UNSAFE"},
		{"a string copied behind itself", `char b[16] = "abc"; strcpy(b + 4, b); strncpy(b + 8, b, 8); assert(!strcmp(b + 4, "abc") && !strcmp(b + 8, "abc")); return 0;`, "SAFE"},
		{"a part of a string copied into itself", `char b[16] = "abc"; strncpy(b, b + 1, 4); return 0;`, "UNSAFE"},
		{"a string copied into itself, for its end", `char b[16] = "abc"; stpcpy(b, b + 1); return 0;`, "UNSAFE"},
		{"a string appended to what is before it", `char b[16] = "abc"; strcpy(b + 4, b); strcat(b, b + 4); return 0;`, "UNSAFE"},
		{"a string printed into itself", `char b[16] = "abc"; sprintf(b, "%sx", b); return 0;`, "UNSAFE"},
		{"a string printed before itself", `char b[16] = "abc"; sprintf(b, "%s", b + 1); return b[0] - b[0];`, "UNSAFE"},
		{"a string printed behind itself", `char b[16] = "abc"; sprintf(b + 8, "%s-%s", b, b); assert(!strcmp(b + 8, "abc-abc")); return 0;`, "SAFE"},
		{"a string printed as far as there is room", `char b[16] = "abc"; strcpy(b + 8, "longtex"); snprintf(b, 8, "%s", b + 8); assert(b[6] == 'x'); return 0;`, "SAFE"},
		{"a string printed that is not there, for nobody", `char *p; int main(void) { char b[8]; snprintf(b, sizeof b, "%s", p + 1); return 0; }`, "UNSAFE"},
		{"addresses are no uses", `int f(int *p, int x) { return x; } int main(void) { int i = 1; assert(f(&i, i++) == 1); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <pthread.h>\n#include <stdatomic.h>\n" + snippetText(s.body)
			underModels(t, text, s.want, memory.TSO, memory.RC11)
		})
	}
}
