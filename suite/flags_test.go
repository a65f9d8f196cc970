package suite

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestFlags has the flags that executions raise, from those who look at every execution and from
// those who ask a solver for one.
func TestFlags(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.cat")
	text := `Own
acyclic po-loc | rf | co | fr
with S from linearisations(W, co)
flag ~empty S & ext \ co as between
flag acyclic po | rf | co | fr as sequential
flag ~acyclic po | rf | co | fr as weak
flag empty rf as silent
undefined_unless empty fre as apart
`
	if err := os.WriteFile(own, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c11 := func(body string) string { return "C test\n{}\n" + body }
	for _, tt := range []struct {
		name  string
		model memory.Model
		text  string
		want  string
	}{
		{"plain accesses of two threads", "rc11", c11("P0(int *x) { *x = 1; }\nP1(int *x) { int r0 = *x; }\nexists (1:r0=1)"), "race"},
		{"atomic ones", "rc11", c11("P0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\nP1(atomic_int *x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (1:r0=1)"), ""},
		{"a race that is only behind a flag", "rc11", c11("P0(int *x, atomic_int *y) { *x = 1; atomic_store_explicit(y, 1, memory_order_relaxed); }\nP1(int *x, atomic_int *y) { int r1 = 0; int r0 = atomic_load_explicit(y, memory_order_relaxed); if (r0) { r1 = *x; } }\nexists (1:r1=1)"), "race"},
		{"and is none with release and acquire", "rc11", c11("P0(int *x, atomic_int *y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }\nP1(int *x, atomic_int *y) { int r1 = 0; int r0 = atomic_load_explicit(y, memory_order_acquire); if (r0) { r1 = *x; } }\nexists (1:r1=1)"), ""},
		{"of executions that the filter lets pass", "rc11", c11("P0(int *x, atomic_int *y) { *x = 1; atomic_store_explicit(y, 1, memory_order_relaxed); }\nP1(int *x, atomic_int *y) { int r1 = 0; int r0 = atomic_load_explicit(y, memory_order_relaxed); if (r0) { r1 = *x; } }\nfilter (1:r0=0)\nexists (1:r1=1)"), ""},
		{"the kernel's", "lkmm", "C test\n{}\nP0(int *x, int *y) { *x = 1; smp_store_release(y, 1); }\nP1(int *x, int *y) { int r1 = 0; int r0 = READ_ONCE(*y); if (r0) { r1 = *x; } }\nexists (1:r1=1)", "race-of-read-after-write race-of-write-after-read"},
		{"any test, under an own model", memory.Model(own), "X86_64 test\n{}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\nexists (0:rax=0)", "apart between sequential weak"},
	} {
		for _, e := range []engine.Name{engine.Graphs, engine.BMC} {
			file := File{Path: "test.litmus", Source: &program.Source{Name: "test.litmus", Text: tt.text}}
			err := Run(context.Background(), slices.Values([]File{file}), Options{Model: tt.model, Engine: e}, func(_ File, l *verdict.Litmus) error {
				if got := strings.Join(l.Flags, " "); l.Err != nil || got != tt.want {
					t.Errorf("%s, %s: flags %q, want %q (%v)", tt.name, e, got, tt.want, l.Err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
