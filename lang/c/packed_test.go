package c_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestPragmaPack: members are aligned to what #pragma pack says at most, where it stands and until it is taken back.
func TestPragmaPack(t *testing.T) {
	headers := map[string]string{
		"begin.h": "#pragma pack(push, 1)\n",
		"end.h":   "#pragma pack(pop)\n",
	}
	const s, size = "struct s { char c; short h; int n; };\n", "int main(void) { assert(sizeof(struct s) == "
	for _, x := range []struct{ name, text, want string }{
		{"none", s + size + "8); return 0; }", "SAFE"},
		{"one", "#pragma pack(1)\n" + s + size + "7 && _Alignof(struct s) == 1 && offsetof(struct s, n) == 3); return 0; }", "SAFE"},
		{"two", " #  pragma pack ( 2 )\n" + s + size + "8 && _Alignof(struct s) == 2); return 0; }", "SAFE"},
		{"with words behind it", "#pragma pack(push, 1) // exact fit\n" + s + "#pragma pack(pop) /* as ** it was */\nstruct u { char c; int n; };\n" + size + "7 && sizeof(struct u) == 8); return 0; }", "SAFE"},
		{"more than it needs", "#pragma pack(16)\n" + s + size + "8 && _Alignof(struct s) == 4); return 0; }", "SAFE"},
		{"taken back", "#pragma pack(1)\n#pragma pack()\n" + s + size + "8); return 0; }", "SAFE"},
		{"popped", "#pragma pack(push, 1)\n#pragma pack(pop)\n" + s + size + "8); return 0; }", "SAFE"},
		{"pushed as it is", "#pragma pack(1)\n#pragma pack(push)\n#pragma pack(4)\n#pragma pack(pop)\n" + s + size + "7); return 0; }", "SAFE"},
		{"popped by a name", "#pragma pack(push, a, 1)\n#pragma pack(push, b, 2)\n#pragma pack(push, c, 4)\n#pragma pack(pop, b)\n" + s + size + "7); return 0; }", "SAFE"},
		{"popped once too often", "#pragma pack(pop)\n" + s + size + "8); return 0; }", "SAFE"},
		{"where it is left out", "#if 0\n#pragma pack(1)\n#endif\n" + s + size + "8); return 0; }", "SAFE"},
		{"in headers", "#include \"begin.h\"\n" + s + "#include \"end.h\"\nstruct t { char c; int n; };\n" + size + "7 && sizeof(struct t) == 8); return 0; }", "SAFE"},
		{"members that say more", "#pragma pack(2)\nstruct s { char c; int n __attribute__((aligned(8))); } __attribute__((aligned(4)));\n" + size + "8 && offsetof(struct s, n) == 2); return 0; }", "SAFE"},
		{"a structure in one", s + "#pragma pack(1)\nstruct t { char c; struct s s; };\n" + size + "8 && sizeof(struct t) == 9); return 0; }", "SAFE"},
		{"bit-fields", "#pragma pack(1)\nstruct s { int a : 3; char c; };\n" + size + "2); return 0; }", "SAFE"},
		{"an access", "#pragma pack(1)\n" + s + "char b[16]; int main(void) { struct s *p = (struct s *)(b + 1); p->n = 5; assert(b[4] == 5); return 0; }", "SAFE"},
		{"a pointer to a member", "#pragma pack(1)\n" + s + "struct s x; int main(void) { int *p = &x.n; *p = 5; return 0; }", "UNSAFE"},
		{"constants", "#pragma pack(1)\n" + s + "enum { A, N = sizeof(struct s), M, O = offsetof(struct s, n), P = M * 2, B = 1 << 4 }; _Static_assert(N == 7, \"\"); int a[N]; int main(void) { assert(A == 0 && N == 7 && M == 8 && O == 3 && P == 16 && B == 16 && sizeof a == 28); return 0; }", "SAFE"},
		{"constants of an attribute", "struct __attribute__((packed)) s { char c; int n; }; int main(void) { struct s a[2]; enum { N = sizeof a }; assert(N == 10); return 0; }", "SAFE"},
		{"a word with a bit-field of three bytes", "struct s { unsigned a : 24; unsigned char b; };\n" + size + "4); struct s x = {0x123456, 0xab}; unsigned w; memcpy(&w, &x, 4); assert(w == 0xab123456 && *(unsigned *)&x == w); return 0; }", "SAFE"},
		{"static assertions among members", "struct s { unsigned a : 24; unsigned char b; }; struct t { int x; _Static_assert(sizeof(struct s) == 4, \"\"); int y; _Static_assert(sizeof(struct s) == 4); }; int a[sizeof(struct t)]; int main(void) { struct t v = { 1, 2 }; assert(sizeof a == 32 && v.y == 2); return 0; }", "SAFE"},
		{"sizes of arrays, and labels, of bit-fields", "struct s { unsigned a : 24; unsigned char b; }; struct p { char c; int i; } __attribute__((packed)); char c[sizeof(struct s) == 4 ? 1 : -1], d[sizeof(struct p)]; int main(void) { switch (sizeof d) { case sizeof(struct p): return 0; } assert(0); }", "SAFE"},
		{"constants, of bit-fields", "struct s { unsigned a : 24; unsigned char b; }; enum { N = sizeof(struct s), M = N * 2, O = offsetof(struct s, b) }; _Static_assert(sizeof(struct s) == 4, \"\"); int a[N]; int main(void) { assert(N == 4 && M == 8 && O == 3 && sizeof a == 16); return 0; }", "SAFE"},
		{"bit-fields of six bytes", "struct s { unsigned long a : 14, b : 30; int c : 2; unsigned short d; } x;\n" + size + "8); x.a = x.c = -1; x.b = 5; x.d = 7; unsigned long w; memcpy(&w, &x, 8); assert(w == (0x3ffful | 5ul << 14 | 3ul << 44 | 7ul << 48) && x.a == 0x3fff && x.c == -1); return 0; }", "SAFE"},
		{"characters over the end", "struct s { unsigned char a : 5, b : 6; } __attribute__((packed)) x;\n" + size + "2); x.b = -1; assert(*(unsigned char *)&x == 224 && ((unsigned char *)&x)[1] == 7 && !x.a); return 0; }", "SAFE"},
		{"an aligned bit-field", "struct s { char a; int b : 3 __attribute__((aligned(4))); };\n" + size + "8); return 0; }", "SAFE"},
		{"of no bits at the end", "struct s { signed char a : 4; unsigned : 0; };\n" + size + "4); return 0; }", "SAFE"},
		{"over the end", "#pragma pack(8)\nstruct s { int a : 3, b : 30; };\n" + size + "8); struct s x = {0, -1}; assert((((unsigned char *)&x)[4] & 1) == 1 && x.b == -1); return 0; }", "SAFE"},
		{"in two ways", "#pragma pack(4)\nstruct __attribute__((packed)) s { int a : 3; };\n" + size + "8); return 0; }", "a.c:4:1: not modelled: a bit-field that is packed in two ways"},
		{"of no bits", "#pragma pack(4)\nstruct s { int a : 3; int : 0; int b : 3; };\n" + size + "8); return 0; }", "a.c:4:1: not modelled: a bit-field that is packed in two ways"},
		{"what compilers warn of", "#pragma pack(3)\n" + s + size + "8); return 0; }", "a.c:3:9: not modelled: this pack"},
		{"an operator", "_Pragma(\"pack(1)\")\n" + s + size + "7); return 0; }", "not modelled: this pack"},
		{"a name that is not there", "#pragma pack(push, 1)\n#pragma pack(pop, a)\n" + s + size + "8); return 0; }", "a.c:4:1: pops what has not been pushed"},
		{"in a function", "int main(void) {\n#pragma pack(1)\nstruct s { char c; int n; }; return sizeof(struct s); }", "a.c:4:1: not modelled: #pragma pack inside of a function or of a structure"},
		{"in a structure", "struct s { char c;\n#pragma pack(1)\nint n; }; int main(void) { return 0; }", "a.c:4:1: not modelled: #pragma pack inside of a function or of a structure"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			p, err := c.Parse(&program.Source{Name: "a.c", Text: "#include <assert.h>\n#include <stddef.h>\n" + x.text}, c.Options{ReadFile: func(name string) ([]byte, error) {
				if text, ok := headers[name]; ok {
					return []byte(text), nil
				}
				return nil, fs.ErrNotExist
			}})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = verdictOf(t, p, memory.TSO, "auto")
			}
			if got != x.want && (err == nil || !strings.Contains(got, x.want)) {
				t.Errorf("%s, want %s", got, x.want)
			}
		})
	}
}
