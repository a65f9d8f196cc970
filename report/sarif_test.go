package report

import (
	"path/filepath"
	"testing"
)

// TestArtifact: whatever a file is called, the reference to it is one.
func TestArtifact(t *testing.T) {
	for file, want := range map[string]string{
		"a/b.imp": "a/b.imp", "../x y/ä%.imp": "../x%20y/%C3%A4%25.imp", "a:b.imp": "./a:b.imp", "<stdin>": "%3Cstdin%3E",
		filepath.FromSlash("/x y/b.c"): "file:///x%20y/b.c",
	} {
		if got := artifact(file).URI; got != want && (filepath.Separator == '/' || file[0] != filepath.Separator) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
