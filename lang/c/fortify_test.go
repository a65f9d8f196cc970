package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestFortified: functions that are told how much room there is see to it, and are what they are besides.
func TestFortified(t *testing.T) {
	for _, s := range []snippet{
		{"copies", `char a[8], b[8] = "abc"; __builtin___memcpy_chk(a, b, 4, __builtin_object_size(a, 0)); assert(a[1] == 'b'); __builtin___memmove_chk(a, a + 1, 3, -1ul); assert(a[0] == 'b');`, "SAFE"},
		{"a copy that overlaps", `char a[8] = "abcdef"; __builtin___memcpy_chk(a, a + 1, 3, -1ul);`, "UNSAFE"},
		{"of structures", `struct s { int a; long b; } x = { 1, 2 }, y; __builtin___memcpy_chk(&y, &x, sizeof x, __builtin_object_size(&y, 0)); assert(y.b == 2);`, "SAFE"},
		{"copies too much", `struct { char a[4], b[4]; } x; char b[8] = { 0 }; __builtin___memcpy_chk(x.a, b, 8, 4);`, "UNSAFE"},
		{"fills", `char a[8]; __builtin___memset_chk(a, 7, 8, sizeof a); assert(a[7] == 7);`, "SAFE"},
		{"fills too much", `char a[8]; __builtin___memset_chk(a, 7, 9, -1ul);`, "UNSAFE"},
		{"strings", `char a[8]; __builtin___strcpy_chk(a, "ab", 8); __builtin___strcat_chk(a, "cd", 8); __builtin___strncat_chk(a, "efg", 1, 8); assert(!strcmp(a, "abcde")); __builtin___strncpy_chk(a, "x", 2, 8); assert(a[0] == 'x' && !a[1] && a[2] == 'c');`, "SAFE"},
		{"a string too long", `char a[4]; __builtin___strcpy_chk(a, "abcd", 4);`, "UNSAFE"},
		{"formats", `char a[8]; assert(__builtin___sprintf_chk(a, 1, 8, "%d", 42) == 2 && a[1] == '2' && __builtin___snprintf_chk(a, 8, 1, 8, "%s", "xyz") == 3 && a[2] == 'z');`, "SAFE"},
		{"a format with too much room", `char a[8]; __builtin___snprintf_chk(a, 9, 1, 8, "%d", 42);`, "UNSAFE"},
		{"by the names of the library", `void *__memcpy_chk(void *, const void *, unsigned long, unsigned long); char a[8], b[8] = "abc"; __memcpy_chk(a, b, 4, 8); assert(a[2] == 'c');`, "SAFE"},
		{"sizes", `char a[8]; int x, *p = &x; assert(__builtin_object_size(a, 0) == 8 && __builtin_object_size(&x, 1) == 4 && __builtin_object_size(p, 0) >= 4 && __builtin_object_size(p, 2) <= 4);`, "SAFE"},
		{"copies that end in time", `char a[4] = "abc"; assert(strlcpy(a, "xyzw", sizeof a) == 4 && !strcmp(a, "xyz") && strlcpy(a, "p", 1) == 1 && !a[0] && a[1] == 'y' && strlcpy(a, "pq", 0) == 2 && a[1] == 'y');`, "SAFE"},
		{"copies that end too late", `char a[4]; strlcpy(a, "xyzw", 5);`, "UNSAFE"},
		{"strings that end in time", `char a[6] = "ab"; assert(strlcat(a, "cdef", sizeof a) == 6 && !strcmp(a, "abcde") && strlcat(a, "x", 2) == 3 && !strcmp(a, "abcde"));`, "SAFE"},
		{"copies up to a character", `char a[4] = "abc"; assert(memccpy(a, "xyz", 'y', 3) == a + 2 && a[1] == 'y' && a[2] == 'c' && !memccpy(a, "pqr", 's', 2) && a[1] == 'q');`, "SAFE"},
		{"copies up to a character, outside", `char a[2]; memccpy(a, "xyz", 'q', 3);`, "UNSAFE"},
		{"memory for a text", "#include <stdio.h>\n" + `int main(void) { char *s; int k = asprintf(&s, "a%d", 42); assert(k == 3 && !strcmp(s, "a42")); free(s); return 0; }`, "SAFE"},
		{"memory for a text, and no more", "#include <stdio.h>\n" + `int main(void) { char *s; asprintf(&s, "a%d", 42); s[4] = 1; return 0; }`, "UNSAFE"},
		{"with a prefix", `int *p = __builtin_malloc(sizeof *p); *p = 3; char a[8]; __builtin_memset(a, 0, 8); __builtin_strcpy(a, "abc"); assert(*p == 3 && __builtin_strchr(a, 'b') == a + 1 && !__builtin_memcmp(a, "abc", 4) && __builtin_labs(-3l) == 3); __builtin_free(p);`, "SAFE"},
		{"freed with a prefix", `int *p = __builtin_calloc(1, sizeof *p); __builtin_free(p); return *p;`, "UNSAFE"},
		{"only for inlining", `extern inline __attribute__((gnu_inline)) void *memset(void *p, int c, unsigned long n) { return 0; } int main(void) { int x = 3; assert(memset(&x, 0, sizeof x) == &x && !x); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := snippetText(s.body)
			if got := verdictOf(t, read(t, "main.c", text, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}

// TestPointedTo: functions of the library are called through pointers as by their names.
func TestPointedTo(t *testing.T) {
	const hooks = `struct alloc { void *(*malloc)(size_t); void *(*calloc)(size_t, size_t); void (*free)(void *); }; void *(*mine)(size_t) = malloc;
`
	for _, s := range []snippet{
		{"hooks", hooks + `int main(void) { struct alloc a = { malloc, calloc, free }; int *p = a.malloc(sizeof *p), *q = mine(8), *r = a.calloc(2, sizeof *r); *p = 3; q[1] = 2; assert(*p == 3 && q[1] == 2 && !r[1]); a.free(p); a.free(q); a.free(r); return 0; }`, "SAFE"},
		{"hooks, freed twice", hooks + `int main(void) { struct alloc a = { malloc, calloc, free }; int *p = a.malloc(4); a.free(p); a.free(p); return 0; }`, "UNSAFE"},
		{"hooks, used after that", hooks + `int main(void) { struct alloc a = { malloc, calloc, free }; int *p = a.malloc(4); a.free(p); return *p; }`, "UNSAFE"},
		{"hooks, outside", hooks + `int main(void) { int *p = mine(8); p[2] = 1; return 0; }`, "UNSAFE"},
		{"hooks, one of two", `void *other(size_t n) { return calloc(1, n); } int main(void) { void *(*f)(size_t) = rand() & 1 ? malloc : other; int *p = f(4); *p = 3; assert(*p == 3); free(p); return 0; }`, "SAFE"},
		{"hooks, one of two, and what is in it", `void *other(size_t n) { return calloc(1, n); } int main(void) { void *(*f)(size_t) = rand() & 1 ? malloc : other; int *p = f(4); *p = 3; assert(*p == 4); free(p); return 0; }`, "UNSAFE"},
		{"its own function of that name", `static void *malloc_one(size_t n) { static long x; x = 7; return &x; } int main(void) { void *(*f)(size_t) = malloc_one; void *(*g)(size_t) = malloc; int *p = g(4); assert(*(long *)f(4) == 7 && p); return 0; }`, "SAFE"},
		{"a variable of that name", `int main(void) { int malloc = 3; int *p = &malloc; assert(*p == 3); return 0; }`, "SAFE"},
		{"realloc", `int main(void) { int *p = (&realloc)(0, 4); *p = 3; p = (*realloc)(p, 8); assert(*p == 3); p[1] = 4; free(p); return 0; }`, "SAFE"},
		{"realloc, and the old one", `int main(void) { int *p = (&realloc)(0, 4), *q = (&realloc)(p, 8); return *p; }`, "UNSAFE"},
		{"realloc, by a variable", `void *(*f)(void *, size_t) = realloc; int main(void) { int *p = f(0, 4); *p = 3; p = f(p, 8); assert(*p == 4); return 0; }`, "UNKNOWN"},
		{"realloc of nothing", `void *(*f)(void *, size_t) = realloc; void give(void *p) { if (p) f(p, 0); } int main(void) { int *p = f(0, 4); *p = 3; give(p); return 0; }`, "SAFE"},
		{"realloc of nothing, and the old one", `void *(*f)(void *, size_t) = realloc; void give(void *p) { if (p) f(p, 0); } int main(void) { int *p = f(0, 4); *p = 3; give(p); return *p; }`, "UNSAFE"},
		{"copies", `int main(void) { void *(*copy)(void *, const void *, size_t) = memcpy, *(*fill)(void *, int, size_t) = memset; int a[2] = { 1, 2 }, b[2]; copy(b, a, sizeof a); assert(b[1] == 2); fill(b, 0, sizeof b); assert(!b[1]); copy = memmove; copy(a, a + 1, sizeof *a); assert(a[0] == 2); return 0; }`, "SAFE"},
		{"a copy that overlaps", `int main(void) { void *(*copy)(void *, const void *, size_t) = memcpy; char a[4] = "abc"; copy(a, a + 1, 2); return 0; }`, "UNSAFE"},
		{"strings", `int (*cmp)(const char *, const char *) = strcmp; size_t (*len)(const char *) = strlen; int main(void) { assert(cmp("a", "b") < 0 && len("abc") == 3); return 0; }`, "SAFE"},
		{"a mutex that is given back", "#include <pthread.h>\n" + `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_lock(&m); pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &m); pthread_cleanup_pop(1); assert(!pthread_mutex_trylock(&m)); return 0; }`, "SAFE"},
		{"a mutex that is not given back", "#include <pthread.h>\n" + `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_lock(&m); pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &m); pthread_cleanup_pop(0); assert(!pthread_mutex_trylock(&m)); return 0; }`, "UNSAFE"},
		{"a string without an end", `size_t (*len)(const char *) = strlen; int main(void) { char a[2] = { 'a', 'b' }; return len(a); }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for m, o := range map[memory.Model]c.Options{memory.TSO: {}, "rc11": {Mapping: c.Orders}} {
				if got := verdictOf(t, read(t, "main.c", snippetText(s.body), o), m, "auto"); got != s.want {
					t.Errorf("%s: %s, want %s", m, got, s.want)
				}
			}
		})
	}
}
