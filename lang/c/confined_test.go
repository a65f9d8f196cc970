package c_test

import (
	"errors"
	"strings"
	"testing"

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
		{"../../h.h", false}, {"../../../etc/h.h", false},
	} {
		read := ""
		_, err := c.Parse(&program.Source{Name: "/home/me/src/f.c", Text: "#include \"" + tt.include + "\"\nint main(void) { return 0; }"}, c.Options{
			Include: []string{"/usr/local/mine"},
			ReadFile: func(name string) ([]byte, error) {
				if strings.HasSuffix(name, "h.h") {
					read = name
					return []byte("int x;\n"), nil
				}
				return nil, errors.New("no")
			}})
		if (err == nil) != tt.ok || (read != "") != tt.ok {
			t.Errorf("%s: %v; %q is read", tt.include, err, read)
		}
	}
}
