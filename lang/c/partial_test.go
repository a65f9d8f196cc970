package c_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

var partialFiles = flag.String("partial", "", "also compare what is made of these files, a pattern")

// TestPartial reads programs with what they mention of our headers, and with all of these: the same comes out.
func TestPartial(t *testing.T) {
	t.Parallel()
	patterns := []string{"../../examples/c/*.c", "testdata/*.c", "testdata/*/*.c"}
	if *partialFiles != "" {
		patterns = []string{*partialFiles}
	}
	var files []string
	for _, p := range patterns {
		fs, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fs...)
	}
	if *partialFiles == "" {
		files = eachOf(files, 8)
	}
	parts := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		says := func(text string) (string, error) {
			p, err := c.Parse(&program.Source{Name: file, Text: text}, c.Options{Unroll: 3, Mapping: c.Xchg, Ordered: true, ReadFile: os.ReadFile})
			if err != nil {
				return err.Error(), err
			}
			var out strings.Builder
			if err := program.Print(&out, p); err != nil {
				t.Fatal(err)
			}
			return out.String(), nil
		}
		tree := func() *syntax.Tree {
			tree, err := syntax.Read(&program.Source{Name: file, Text: string(b)}, syntax.Options{ReadFile: os.ReadFile})
			if err != nil {
				return nil
			}
			return tree
		}
		first := tree()
		if first == nil || !first.Partial() {
			continue
		}
		parts++
		first.Keep()
		keeps := tree() == first // unless it has headers of its own
		first.Keep()
		part, err := says(string(b))
		if err == nil && keeps && tree() != first { // one that does not do is not kept, and another one is read
			t.Errorf("%s: it is not read with what it mentions", file)
		}
		if whole, _ := says(string(b) + "\n// names may be made with ##\n"); part != whole {
			t.Errorf("%s: with what it mentions\n%.3000s\nwith whole headers\n%.3000s", file, firstDifference(part, whole), firstDifference(whole, part))
		}
	}
	t.Logf("%d of %d with parts", parts, len(files))
	if parts < len(files)/2 {
		t.Error("hardly anything was compared")
	}
}

// TestAlwaysDeclared: what tells that a type is the library's is declared where that type alone is mentioned.
func TestAlwaysDeclared(t *testing.T) {
	for name, x := range types.Library {
		src := &program.Source{Name: "a.c", Text: "#include <pthread.h>\n#include <threads.h>\n#include <semaphore.h>\n" + name + " x; int main(void) { return 0; }\n"}
		tree, err := syntax.Read(src, syntax.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !tree.Partial() || len(tree.Scope.Nodes[x.Of]) == 0 {
			t.Errorf("%s: %s is not declared", name, x.Of)
		}
	}
}

// eachOf is each n-th of the files.
func eachOf(files []string, n int) []string {
	var some []string
	for i := 0; i < len(files); i += n {
		some = append(some, files[i])
	}
	return some
}

// firstDifference is a text from where it differs from another one.
func firstDifference(s, from string) string {
	i := 0
	for i < min(len(s), len(from)) && s[i] == from[i] {
		i++
	}
	return s[max(0, i-300):]
}
