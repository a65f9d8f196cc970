package syntax

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestTreeKeys reads one text with other definitions and with another header: the tree of the first reading is not taken for it.
func TestTreeKeys(t *testing.T) {
	read := func(text, header string, defines ...string) *Tree {
		src := &program.Source{Name: "keys.c", Text: text}
		tree, err := Read(src, Options{Defines: defines, ReadFile: func(string) ([]byte, error) { return []byte(header), nil }})
		if err != nil {
			return nil
		}
		tree.Keep()
		return tree
	}
	const own, header = "int g; int main(void) { g = X; return 0; }", "#include \"x.h\"\nint g; int main(void) { g = X; return 0; }"
	one := read(own, "", "X=1")
	if read(own, "", "X=2") == one || read(own, "", "X=1\nY=1") == one {
		t.Error("definitions are no part of the key")
	}
	if read(own, "", "X=1") != one {
		t.Error("a tree that is kept is not taken")
	}
	if read(header, "#define X 1\n") == read(header, "#define X 2\n") {
		t.Error("a tree is kept that depends on a header of the program")
	}
}
