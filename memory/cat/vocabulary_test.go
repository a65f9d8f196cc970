package cat

import (
	"os"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestNames sees to it that every name of every architecture has a meaning, and is in the
// reference.
func TestNames(t *testing.T) {
	text, err := os.ReadFile("../../docs/cat.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range program.Archs() {
		sets, rels, functions := For(a).names()
		for _, n := range append(append(append([]string{}, sets...), rels...), functions...) {
			if !strings.Contains(string(text), "`"+n+"`") && !strings.Contains(string(text), "`"+n+"(") {
				t.Errorf("%s: docs/cat.md does not have %s", a, n)
			}
		}
		seen := map[string]bool{}
		for _, n := range append(append([]string{}, sets...), rels...) {
			if seen[n] {
				t.Errorf("%s: %s is listed twice", a, n)
			}
			seen[n] = true
			if _, err := Parse(&program.Source{Name: "test.cat", Text: "empty " + n}, a, nil, nil); err != nil {
				t.Errorf("%s: %v", a, err)
			}
		}
	}
}

// TestVocabulary reads names that mean different things on different architectures.
func TestVocabulary(t *testing.T) {
	for _, c := range []struct {
		arch program.Arch
		name string
		want string
	}{
		{program.X86, "A", "X"},
		{program.AArch64, "A", "A"},
		{program.C11, "A", "(((((RLX | ACQ) | REL) | ACQ_REL) | SC) | CON)"},
		{program.RISCV, "X", "(X | AMO)"},
		{program.RISCV, "EX", "X"},
		{program.PPC, "LWSYNC", "lwsync"},
		{program.C11, "UL", "0"},
		{program.LKMM, "ONCE", "Once"},
		{program.AArch64, "DMB.ISHLD", "DMB.ISHLD"},
	} {
		m, err := Parse(&program.Source{Name: "test.cat", Text: "let s = " + c.name + " empty s"}, c.arch, nil, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := m.Def("s").String(); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.name, c.arch, got, c.want)
		}
	}
	_, err := Parse(&program.Source{Name: "test.cat", Text: "empty LWSYNC"}, program.AArch64, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "there is no 'LWSYNC' on aarch64 (it is a name of ppc)") {
		t.Error(err)
	}
}
