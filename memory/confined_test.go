package memory

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestConfined: a model includes files of its own folder and below, those of folders that were
// named for that, and what is built in; and no others, which are not even opened: one may be a device that gives
// bytes without end, or a pipe.
func TestConfined(t *testing.T) {
	read := func(name string) ([]byte, error) {
		if !strings.HasPrefix(name, "/home/models/") {
			t.Errorf("%s is read", name)
		}
		if strings.HasSuffix(name, "secret") || strings.HasSuffix(name, "part.cat") {
			return []byte("let a = po\n"), nil
		}
		return nil, fs.ErrNotExist
	}
	for _, tt := range []struct {
		include string
		ok      bool
	}{
		{"part.cat", true}, {"sub/part.cat", true}, {"./sub/../part.cat", true}, {"stdlib.cat", true},
		{"../secret", false}, {"/etc/secret", false}, {"sub/../../secret", false}, {"named/../../../secret", false},
	} {
		text := "include \"" + tt.include + "\"\nacyclic po as a\n"
		_, err := defineAt("/home/models/m.cat", "m.cat", program.X86, text, read)
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "--include") {
			t.Errorf("%s: %v", tt.include, err)
		}
	}
}
