package main

import (
	"go/build"
	"strings"
	"testing"
)

// TestImports: the command is written on the face of the library alone, on what is itself
// written on that, and on the queue of batches, which knows nothing of either.
func TestImports(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/fencepost-verifier/fencepost"
	for _, path := range pkg.Imports {
		if path == module+"/lsp" || path == module+"/batch" {
			continue
		}
		if strings.HasPrefix(path, module+"/") && !strings.HasPrefix(path, module+"/internal/") {
			t.Errorf("the command imports %s", path)
		}
	}
}
