package lang_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
)

// TestHeaderLinks: a header that is a link is read where it leads to a folder with headers of the
// program, and to none other.
func TestHeaderLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"secret.h":          "int x;\n",
		"lib/near.h":        "int x;\n",
		"lib/program/own.h": "int x;\n",
		"lib/program/p.c":   "#include HEADER\nint main(void) { return x; }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"own": "own.h", "near": "../near.h", "away": "../../secret.h"} {
		if err := os.Symlink(filepath.FromSlash(to), at("lib/program/"+link+"-link.h")); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	for _, tt := range []struct {
		header string
		also   []string
		want   bool
	}{
		{"own-link.h", nil, true},
		{"near-link.h", nil, true},
		{"away-link.h", nil, false},
		{"away-link.h", []string{dir}, true},
	} {
		_, err := lang.Load(at("lib/program/p.c"), nil, lang.C{Macros: []string{`HEADER="` + tt.header + `"`}, Include: tt.also})
		if (err == nil) != tt.want {
			t.Errorf("%s, %q: %v", tt.header, tt.also, err)
		}
	}
}
