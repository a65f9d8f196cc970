package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestWeak: what is weak and has no definition is not there; a definition counts, weak or not.
func TestWeak(t *testing.T) {
	for _, s := range []snippet{
		{"a function", `__attribute__((weak)) int hook(void); int (*p)(void) = hook; int main(void) { if (hook) hook(); assert(!hook && !&hook && !p); return 0; }`, "SAFE"},
		{"a function that is called", `__attribute__((weak)) int hook(void); int main(void) { return hook(); }`, "UNSAFE"},
		{"a function that is called through a pointer", `__attribute__((weak)) int hook(void); int (*p)(void) = hook; int main(void) { return p(); }`, "UNSAFE"},
		{"by a pragma", "int hook(void);\n#pragma weak hook\n" + `int main(void) { assert(!hook); return hook ? hook() : 0; }`, "SAFE"},
		{"a definition", `__attribute__((weak)) int hook(void) { return 1; } int main(void) { assert(hook && hook() == 1); return 0; }`, "SAFE"},
		{"a definition of what is declared", `int hook(void) __attribute__((weak)); int hook(void) { return 1; } int main(void) { assert(hook && hook() == 1); return 0; }`, "SAFE"},
		{"what the library has", `extern void *malloc(unsigned long) __attribute__((weak)); int main(void) { assert(malloc && malloc(1)); return 0; }`, "SAFE"},
		{"a variable", `extern int v __attribute__((weak)), a[] __attribute__((weak)); int main(void) { if (&v) v = 3; assert(!&v && !a); return 0; }`, "SAFE"},
		{"a variable that is read", `extern int v __attribute__((weak)); int main(void) { return v; }`, "UNSAFE"},
		{"a variable that is defined", `extern int v __attribute__((weak)); int v = 3; __attribute__((weak)) int w; int main(void) { assert(&v && v == 3 && &w && !w); return 0; }`, "SAFE"},
		{"another name in assembly", `int one(void) { return 1; } int other(void) __asm__("one"); int k __asm__("my_k") = 3; int main(void) { assert(other() == 1 && k == 3); return 0; }`, "SAFE"},
		{"another name", `static int one(void) { return 1; } int other(void) __attribute__((alias("one"))); int (*p)(void) = other; int main(void) { assert(other() == 1 && p() == 1); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", "#include <assert.h>\n"+s.body, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
