package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
)

// TestC has a C compiler read what CBMC would.
func TestC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	for _, i := range instances() {
		p, err := lang.Load(filepath.Join("..", "..", "examples", i.file+".imp"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var src bytes.Buffer
		if err := writeC(&src, p); err != nil {
			t.Error(err)
			continue
		}
		cmd := exec.Command(cc, "-x", "c", "-fsyntax-only", "-Wno-implicit-function-declaration", "-")
		cmd.Stdin = strings.NewReader("void __CPROVER_fence(const char *, ...); void __CPROVER_assume(int); void __CPROVER_atomic_begin(void); void __CPROVER_atomic_end(void);\n" + src.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", i.file, err, out, src.String())
		}
	}
}
