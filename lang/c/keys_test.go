package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestKeys: at the end of a thread the functions for its values are called, in any order, and again for values that they set.
func TestKeys(t *testing.T) {
	const thread = ` int main(void) { pthread_t t; pthread_key_create(&k, d); pthread_key_create(&l, e); pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(n != 7); return 0; }`
	const both = `void *f(void *a) { pthread_setspecific(k, &k); pthread_setspecific(l, &l); return 0; }` + thread
	for _, s := range []snippet{
		{"one before the other", `void d(void *p) { n = 1; } void e(void *p) { assert(n == 1); } ` + both, "UNSAFE"},
		{"one after the other", `void d(void *p) { assert(n == 1); } void e(void *p) { n = 1; } ` + both, "UNSAFE"},
		{"both", `void d(void *p) { n += 3; } void e(void *p) { n += 5; assert(n == 5 || n == 8); } ` + both, "SAFE"},
		{"each once", `void d(void *p) { assert(n++ < 1); } void e(void *p) { } ` + both, "SAFE"},
		{"one sets the other", `void d(void *p) { assert(n++ < 1); } void e(void *p) { pthread_setspecific(k, &k); } ` + both, "UNSAFE"},
		{"one sets the other, and itself no more", `void d(void *p) { assert(n++ < 2); } void e(void *p) { pthread_setspecific(k, &k); } ` + both, "SAFE"},
		{"one sets itself, again and again", `void d(void *p) { n++; pthread_setspecific(k, p); assert(n <= 4); } void e(void *p) { } ` + both, "SAFE"},
		{"one sets itself, four times", `void d(void *p) { n++; pthread_setspecific(k, p); assert(n <= 3); } void e(void *p) { } ` + both, "UNSAFE"},
		{"one sets itself before the other is called", `int m; void d(void *p) { if (n++ < 2) pthread_setspecific(k, p); } void e(void *p) { m = n; assert(m < 2); } ` + both, "SAFE"},
		{"no value", `void d(void *p) { assert(0); } void e(void *p) { } void *f(void *a) { pthread_setspecific(k, &k); pthread_setspecific(k, 0); return 0; }` + thread, "SAFE"},
		{"main that ends", `void d(void *p) { assert(0); } int main(void) { pthread_key_create(&k, d); pthread_setspecific(k, &k); pthread_exit(0); }`, "UNSAFE"},
		{"main that returns", `void d(void *p) { assert(0); } int main(void) { pthread_key_create(&k, d); pthread_setspecific(k, &k); if (rand() & 1) return 1; pthread_setspecific(k, 0); pthread_exit(0); }`, "SAFE"},
		{"main that is cancelled", `pthread_t m; void d(void *p) { assert(0); } void *f(void *a) { pthread_cancel(m); return 0; } int main(void) { pthread_t t; m = pthread_self(); pthread_key_create(&k, d); pthread_setspecific(k, &k); pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_testcancel(); return 0; }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\npthread_key_t k, l; int n; " + s.body
			for m, o := range map[memory.Model]c.Options{"tso": {}, "rc11": {Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}} {
				if got := verdictOf(t, read(t, "main.c", text, o), m, "auto"); got != s.want {
					t.Errorf("%s: %s, want %s", m, got, s.want)
				}
			}
		})
	}
}
