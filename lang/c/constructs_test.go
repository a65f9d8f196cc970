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
	files := programs(t, "constructs")
	cc, noCompiler := exec.LookPath("cc")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := expected(string(text))
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, file, string(text), c.Options{Unroll: 3}), memory.TSO, "auto"); got != want {
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
			if got := verdictOf(t, read(t, file+".i", string(out), c.Options{Unroll: 3}), memory.TSO, "auto"); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// programs lists those of a folder of testdata.
func programs(t *testing.T, dir string) []string {
	files, err := filepath.Glob("testdata/" + dir + "/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	return files
}

// expected is what the first line of a program says.
func expected(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "//"))
}

// TestLifetimes checks accesses to local variables whose blocks have been left.
func TestLifetimes(t *testing.T) {
	for _, file := range programs(t, "lifetimes") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			p := read(t, file, string(text), c.Options{})
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
				if got := verdictOf(t, p, m, "auto"); got != expected(string(text)) {
					t.Errorf("%s: %s", m, got)
				}
			}
		})
	}
}

// TestLifetimeMessage: the message names the variable and whose it is.
func TestLifetimeMessage(t *testing.T) {
	p := read(t, "a.c", "int *f(void) { int x = 3; return &x; }\nint main(void) {\n\tint *p = f();\n\treturn *p;\n}\n", c.Options{})
	const want = "access to x, a local variable of f in main, which is no longer there"
	for _, e := range p.Threads[0].Edges {
		if e.Cmd.Text == want && e.Pos.Line == 4 {
			return
		}
	}
	t.Error("nothing in line 4 says: " + want)
}
