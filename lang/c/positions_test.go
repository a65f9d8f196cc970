package c_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestPositions: what an included file has is at its place there, and what a macro stands for at
// the place of the macro.
func TestPositions(t *testing.T) {
	files := map[string]string{"node.h": "#include <assert.h>\nstatic int x;\n#define CHECK(e) \\\n\tdo { \\\n\t\tassert(e); \\\n\t} while (0)\nstatic void bump(void)\n{\n\tx++;\n\tassert(x < 2);\n}\n"}
	opts := c.Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	p, err := c.Parse(&program.Source{Name: "main.c", Text: "#include \"node.h\"\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n\tbump();\n\tx = __VERIFIER_nondet_int();\n\tCHECK(x !=\n\t\t7);\n\tbump();\n}\n"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]program.Position{
		"x != 7": {Line: 6, Col: 2},
		"x < 2":  {Line: 10, Col: 2, File: "node.h"},
	}
	for _, e := range p.Threads[0].Edges {
		if w, ok := want[e.Cmd.Text]; ok {
			if e.Pos != w {
				t.Errorf("%s at %v, want %v", e.Cmd.Text, e.Pos, w)
			}
			delete(want, e.Cmd.Text)
		}
	}
	for text := range want {
		t.Errorf("there is no assertion %s", text)
	}
	files["node.h"] = "static int f(void) { return undeclared; }"
	_, err = c.Parse(&program.Source{Name: "main.c", Text: "#include \"node.h\"\nint main(void) { return f(); }\n"}, opts)
	var d *program.Diagnostic
	if !errors.As(err, &d) || d.Source.Name != "node.h" || d.Pos.Line != 1 || d.Pos.Col != 29 {
		t.Errorf("got %v", err)
	}
}
