package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestSigns has what C says of what comparisons and tests of characters give, and what it does not say.
func TestSigns(t *testing.T) {
	t.Parallel()
	const headers = "#include <ctype.h>\n#include <strings.h>\n"
	for _, s := range []snippet{
		{"a difference of strings is 1", `assert(strcmp("b", "a") == 1);`, "UNSAFE"},
		{"a difference of strings is that of characters", `assert(strncmp("ad", "ab", 2) == 2);`, "UNSAFE"},
		{"a difference of strings without cases is that of characters", headers + `int main(void) { assert(strcasecmp("aD", "Ab") == 2); }`, "UNSAFE"},
		{"a difference of bytes has room in one", `char c = memcmp("b", "a", 1); assert(c); return 0;`, "UNSAFE"},
		{"a difference of objects is 1", `int x = 1, y = 2; assert(memcmp(&x, &y, sizeof x) == -1);`, "UNSAFE"},
		{"a difference that is kept is 1", `int r; int main(void) { r = strcmp("b", "a"); assert(r == 1); }`, "UNSAFE"},
		{"a digit is one, as a number", headers + `int main(void) { assert(isdigit('3') == 1); }`, "UNSAFE"},
		{"a letter is a letter as another is", headers + `int main(void) { assert(!(isalpha('a') != isalpha('b'))); }`, "UNSAFE"},
		{"signs", `int r = strcmp("b", "a"); assert(r > 0 && strcmp("a", "b") < 0 && !memcmp("ab", "ac", 1)); switch (memcmp("b", "a", 1)) { case 0: case -1: abort(); } return 0;`, "SAFE"},
		{"signs that are kept", `int less(const char *a, const char *b) { int r = strcmp(a, b); return r < 0 ? -1 : r > 0; } int n; int main(void) { n += less("a", "b"); n += less("b", "b"); assert(n == -1); }`, "SAFE"},
		{"whether it is a digit", headers + `int main(void) { int n = 0; for (const char *s = "a1b22"; *s; s++) if (isdigit(*s)) n++; assert(!(n != 3 || !isspace(' ') || isalnum('_') || !ispunct('_') || toupper('x') != 'X')); }`, "SAFE"},
		{"what is no digit gives 0", headers + `int main(void) { assert(!(isdigit('a') + isalpha('3') + isspace('x'))); }`, "SAFE"},
		{"a search by comparisons", `int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); } int main(void) { const char *words[] = {"a", "b", "d"}, *key = "b", **p; p = bsearch(&key, words, 3, sizeof *words, compare); assert(p == &words[1]); }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, snippetText(s.body), s.want, memory.SC)
		})
	}
}

// TestSignsAreFew has programs of which one number of each sign is enough, for engines that go through all.
func TestSignsAreFew(t *testing.T) {
	t.Parallel()
	const headers = "#include <ctype.h>\n"
	for _, s := range []snippet{
		{"turned round", `int k = -strcmp("a", "b"); assert(k > 0); return 0;`, "SAFE"},
		{"without a sign", `int k = strcmp("a", "b"); assert(abs(k) > 0); return 0;`, "SAFE"},
		{"taken off", `long k = 5 - (long)strcmp("a", "b"); assert(k > 5); return 0;`, "SAFE"},
		{"taken off, and as large as another", `long k = 5 - (long)strcmp("a", "b"); assert(k != 1000); return 0;`, "UNSAFE"},
		{"sums of truths", headers + `int main(void) { int n = 0; for (const char *p = "a1 b"; *p; p++) n += (isdigit(*p) != 0) + 2 * !isalpha(*p); assert(n == 5); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", snippetText(s.body), c.Options{}), memory.SC, "explicit"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
