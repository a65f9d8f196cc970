package c

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

var everyTree = flag.Bool("trees.all", false, "read all programs from trees that are kept, not each eighth")

// TestTrees reads programs from trees that have been read from before, otherwise or not: they are what they are from new ones.
func TestTrees(t *testing.T) {
	ways := []Options{{Uninitialised: true, Unroll: 2}, {Mapping: Orders, NoBlocks: true, NoFutileWaits: true}, {}}
	kept := 0
	for _, pattern := range []string{"testdata/run/*.c", "../../examples/c/*.c"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal("no programs", err)
		}
		for i, file := range files {
			if i%8 != 0 && !*everyTree {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src := &program.Source{Name: file, Text: string(text)}
			printed := func(opts Options) string {
				p, err := Parse(src, opts)
				if err != nil {
					return err.Error()
				}
				var b bytes.Buffer
				if err := program.Print(&b, p); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
			key := keyOf(src, &Options{})
			var first []string
			for _, opts := range ways {
				takeTree(key)
				first = append(first, printed(opts))
			}
			for i, opts := range ways {
				if again := printed(opts); again != first[i] {
					t.Errorf("%s with %+v: it is read as something else from a tree that is kept", file, opts)
				}
			}
			if tree := takeTree(key); tree != nil {
				kept++
				tree.keep()
			}
		}
	}
	if kept == 0 {
		t.Error("no tree is kept")
	}
}

// TestTreeKeys reads one text with other definitions and with another header: the tree of the first reading is not taken for it.
func TestTreeKeys(t *testing.T) {
	printed := func(text, header string, defines ...string) string {
		opts := Options{Defines: defines, Unroll: 2, ReadFile: func(string) ([]byte, error) { return []byte(header), nil }}
		p, err := Parse(&program.Source{Name: "keys.c", Text: text}, opts)
		if err != nil {
			return err.Error()
		}
		var b bytes.Buffer
		if err := program.Print(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const own, header = "int g; int main(void) { g = X; return 0; }", "#include \"x.h\"\nint g; int main(void) { g = X; return 0; }"
	one := printed(own, "", "X=1")
	if printed(own, "", "X=2") == one || printed(own, "", "X=1") != one || printed(own, "", "X=1\nY=1") == one {
		t.Error("definitions are no part of the key")
	}
	if printed(header, "#define X 1\n") == printed(header, "#define X 2\n") {
		t.Error("a tree is kept that depends on a header of the program")
	}
}
