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
