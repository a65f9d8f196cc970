package c_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/program"
)

var everyTree = flag.Bool("trees.all", false, "read all programs from trees that are kept, not each twelfth")

// TestTrees reads programs from trees that have been read from before, otherwise or not: they are what they are from new ones.
func TestTrees(t *testing.T) {
	ways := []c.Options{{Uninitialised: true, Unroll: 2}, {Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}, {}}
	kept := 0
	for _, pattern := range []string{"testdata/run/*.c", "../../examples/c/*.c"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal("no programs", err)
		}
		for i, file := range files {
			if i%12 != 0 && !*everyTree {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src := &program.Source{Name: file, Text: string(text)}
			printed := func(opts c.Options) string {
				p, err := c.Parse(src, opts)
				if err != nil {
					return err.Error()
				}
				var b bytes.Buffer
				if err := program.Print(&b, p); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
			read := func() *syntax.Tree { // which takes the tree that is kept
				tree, err := syntax.Read(src, syntax.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return tree
			}
			var first []string
			for _, opts := range ways {
				read()
				first = append(first, printed(opts))
			}
			tree := read()
			tree.Keep()
			for i, opts := range ways {
				if again := printed(opts); again != first[i] {
					t.Errorf("%s with %+v: it is read as something else from a tree that is kept", file, opts)
				}
			}
			if read() == tree {
				kept++
			}
		}
	}
	if kept == 0 {
		t.Error("no tree is kept")
	}
}
