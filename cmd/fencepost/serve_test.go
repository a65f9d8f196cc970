package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/playground"
)

func TestServeUsage(t *testing.T) {
	for args, want := range map[string]string{
		"serve --addr 8417":                   "want HOST:PORT",
		"serve --export x --addr localhost:1": "nothing is served",
		"serve x":                             "unexpected argument",
		"serve --export main.go":              "cannot write main.go",
	} {
		if status, _, stderr := runReal(t, args); status != exitInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
}

// TestServeExportFails: where there is no checker to write, no folder stays behind, and none that was there goes.
func TestServeExportFails(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	if status, _, stderr := runReal(t, "serve --export "+filepath.Join(dir, "a", "b")); embeddedWasm() == nil && (status != exitInput || !strings.Contains(stderr, "no Go here")) {
		t.Errorf("status %d, %s", status, stderr)
	}
	if left, err := os.ReadDir(dir); embeddedWasm() == nil && (err != nil || len(left) > 0) {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// builtWasm is the checker for the page, built once, and as the tests of package playground have it: without inlining.
var builtWasm = sync.OnceValues(func() (*playground.Wasm, error) {
	const flags = "GOFLAGS"
	defer func(was string, set bool) {
		if os.Setenv(flags, was); !set {
			os.Unsetenv(flags)
		}
	}(os.LookupEnv(flags))
	os.Setenv(flags, os.Getenv(flags)+" '-gcflags=all=-l -dwarf=false'")
	return wasm(context.Background(), false, func(string) {})
})

// TestExport: the folder has the page and all that it asks for.
func TestExport(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the checker for WebAssembly")
	}
	w, err := builtWasm()
	if err != nil {
		t.Fatal(err)
	}
	files, err := playground.Site(w)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := &app{stdout: io.Discard}
	if err := a.exportSite(dir, files); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "app.js", "app.css", "view.js", "view.css", "worker.js", "wasm_exec.js", "fencepost.wasm.gz"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
