package lang_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

const (
	impText = "program P\nconst N = 1\nvariables x = 0\nprocess T begin x := N end\n"
	asmText = "thread T\ninitial a\ntransition a b write 1 0\nend\n"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.imp": impText, "P.IMP": impText, "p.txt": asmText, "p.asm": asmText,
		"p.go": "int x;", "noext": impText, "empty.imp": "", "blank.txt": " \n\t\n", "bad.imp": "program", "two.dots.imp": impText,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	large, err := os.Create(filepath.Join(dir, "large.imp"))
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(lang.MaxSize + 1); err != nil {
		t.Fatal(err)
	}
	large.Close()

	define := map[string]int64{"N": 7}
	tests := []struct {
		path    string
		defines map[string]int64
		want    string // of the message; empty: none
	}{
		{"p.imp", nil, ""},
		{"P.IMP", nil, ""},
		{"two.dots.imp", nil, ""},
		{"p.imp", define, ""},
		{"p.txt", nil, ""},
		{"p.asm", nil, ""},
		{"p.txt", define, "p.txt: an automaton has no constants to define\n  -D is for IMP"},
		{"p.imp", map[string]int64{"M": 1}, "M"},
		{"p.go", nil, "p.go: unknown kind of file: extension \".go\"\n  known are .imp (IMP), .txt and .asm (automata), .litmus (litmus tests), .c and .i (C)"},
		{"noext", nil, "noext: unknown kind of file: no extension\n  known are"},
		{"empty.imp", nil, "empty.imp: empty"},
		{"blank.txt", nil, "blank.txt: empty"},
		{"bad.imp", nil, "bad.imp:1:8: "},
		{"large.imp", nil, "large.imp: too large: more than 16 MiB"},
		{"missing.imp", nil, "missing.imp: cannot be read: "},
		{".", nil, ": this is a directory"},
	}
	for _, tt := range tests {
		p, err := lang.Load(filepath.Join(dir, tt.path), tt.defines)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.path, err)
			} else if err := program.Sanity(p); err != nil {
				t.Errorf("%s: %v", tt.path, err)
			}
			continue
		}
		var d *program.Diagnostic
		if !errors.As(err, &d) {
			t.Errorf("%s: got %T %v, want a diagnostic", tt.path, err, err)
		} else if !strings.Contains(d.Error(), tt.want) {
			t.Errorf("%s: got %q, want %q", tt.path, d, tt.want)
		}
	}
}

func TestDefines(t *testing.T) {
	p, err := lang.Parse(&program.Source{Name: "p.imp", Text: impText}, map[string]int64{"N": 7})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Threads[0].Edges[0].Cmd.Value; got != program.Const(7) {
		t.Errorf("stores %v", got)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestRead(t *testing.T) {
	if _, err := lang.Read(lang.Stdin, strings.NewReader(impText), nil); err != nil {
		t.Error(err)
	}
	_, err := lang.Read(lang.Stdin, failingReader{}, nil)
	if err == nil || err.Error() != "<stdin>: cannot be read: broken pipe" {
		t.Errorf("got %v", err)
	}
}

func TestExtensions(t *testing.T) {
	if got := strings.Join(lang.Extensions(), " "); got != ".imp .txt .asm .litmus .c .i" {
		t.Errorf("got %s", got)
	}
}
