package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestConstructs checks the programs of testdata/constructs, which begin with a comment such as
// "// SAFE": as they are and, where there is a C compiler, with what its preprocessor makes of
// them and of the headers of this machine.
func TestConstructs(t *testing.T) {
	files, err := filepath.Glob("testdata/constructs/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	cc, noCompiler := exec.LookPath("cc")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		want := strings.TrimSpace(strings.TrimPrefix(line, "//"))
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, file, string(text), c.Options{}), memory.TSO, "auto"); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
		t.Run(filepath.Base(file)+" preprocessed", func(t *testing.T) {
			t.Parallel()
			if noCompiler != nil {
				t.Skip("there is no C compiler here")
			}
			out, err := exec.Command(cc, "-w", "-E", file).Output()
			if err != nil {
				t.Skip("the compiler cannot preprocess it:", err)
			}
			if got := verdictOf(t, read(t, file+".i", string(out), c.Options{}), memory.TSO, "auto"); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
