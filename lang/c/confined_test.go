package c_test

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/include"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestConfined: a program includes headers from its own folder, the one above, and those that were
// named; and reads no other files.
func TestConfined(t *testing.T) {
	for _, tt := range []struct {
		include string
		ok      bool
	}{
		{"h.h", true}, {"sub/h.h", true}, {"../h.h", true}, {"/usr/local/mine/h.h", true},
		{"../../h.h", false}, {"../../../etc/h.h", false}, {"/etc/h.h", false}, {"/home/me/src/h.h", true},
	} {
		read, want := "", path.Join("/home/me/src", tt.include)
		if path.IsAbs(tt.include) {
			want = tt.include
		}
		_, err := c.Parse(&program.Source{Name: "/home/me/src/f.c", Text: "#include \"" + tt.include + "\"\nint main(void) { return 0; }"}, c.Options{
			Include: []string{"/usr/local/mine"},
			ReadFile: func(name string) ([]byte, error) {
				if strings.HasSuffix(name, "h.h") {
					read = name
					return []byte("int x;\n"), nil
				}
				return nil, errors.New("no")
			}})
		if (err == nil) != tt.ok || tt.ok && read != want || !tt.ok && read != "" {
			t.Errorf("%s: %v; %q is read", tt.include, err, read)
		}
		if err != nil && !strings.Contains(err.Error(), "f.c:1:10: \""+tt.include+"\" is outside of the folder of f.c") {
			t.Errorf("%s: it says %v", tt.include, err)
		}
	}
	for text, want := range map[string]string{"#pragma once\nint x = 1;": "", " # pragma  once // here\nint x;\nint y = z;": "/home/me/src/h.h:3:9: "} {
		_, err := c.Parse(&program.Source{Name: "/home/me/src/f.c", Text: "#include \"h.h\"\n#include \"h.h\"\nint main(void) { return x; }"}, c.Options{
			ReadFile: func(name string) ([]byte, error) { return []byte(text), nil }})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q included twice: %v", text, err)
		}
	}
	several := map[string]string{
		"a.h": "#pragma once\nstatic int a(void) { return 1; }\n",
		"b.h": "/*\n#pragma once\n*/\n#include \"a.h\"\n",
		"c.h": "#pragma once\n#include \"./a.h\"\n#include \"d.h\"\nstatic int c(void) { return d(); }\n",
		"d.h": "#pragma once\n#include \"c.h\"\nstatic int d(void) { return 2; }\n",
	}
	if _, err := c.Parse(&program.Source{Name: "f.c", Text: "#include \"a.h\"\n#include \"b.h\"\n#include \"c.h\"\n#include \"c.h\"\nint main(void) { return a() + c(); }"}, c.Options{
		ReadFile: func(name string) ([]byte, error) {
			if text, ok := several[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}}); err != nil {
		t.Errorf("several headers that are to be included once: %v", err)
	}
	_, err := c.Parse(&program.Source{Name: "f.c", Text: "#include \"h.h\"\nint main(void) { return 0; }"}, c.Options{
		ReadFile: func(string) ([]byte, error) { return []byte("int x;\n # include \"h.h\"\n"), nil }})
	if err == nil || !strings.Contains(err.Error(), "h.h:2:13: \"h.h\" is included without end") {
		t.Errorf("a header that includes itself: %v", err)
	}
	for outside, want := range map[error]string{fs.ErrNotExist: "there is no file \"h.h\"", include.ErrOutside: "\"h.h\" is outside of the folder of f.c"} {
		_, err := c.Parse(&program.Source{Name: "f.c", Text: "#include \"h.h\"\nint main(void) { return 0; }"}, c.Options{
			ReadFile: func(name string) ([]byte, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: outside} }})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
