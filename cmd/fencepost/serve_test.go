package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/playground"
)

func testSite() map[string][]byte {
	return map[string][]byte{"index.html": []byte("<p>hello"), "app.js": []byte("1"), "fencepost.wasm.gz": {0x1f, 0x8b}}
}

func TestSiteHandler(t *testing.T) {
	tests := []struct {
		method, path, host string
		local              bool
		status             int
		kind               string
	}{
		{"GET", "/", "localhost:8417", true, 200, "text/html; charset=utf-8"},
		{"HEAD", "/", "127.0.0.1:1", true, 200, "text/html; charset=utf-8"},
		{"GET", "/app.js", "[::1]:80", true, 200, "text/javascript; charset=utf-8"},
		{"GET", "/fencepost.wasm.gz", "[::1]", true, 200, "application/octet-stream"},
		{"GET", "/", "evil.example", true, 421, ""},
		{"GET", "/", "localhost.evil.example:8417", true, 421, ""},
		{"GET", "/", "evil.example", false, 200, "text/html; charset=utf-8"},
		{"POST", "/", "localhost", true, 405, ""},
		{"GET", "/no.html", "localhost", true, 404, ""},
		{"GET", "/../main.go", "localhost", true, 404, ""},
		{"GET", "//etc/passwd", "localhost", true, 404, ""},
	}
	for _, test := range tests {
		r := httptest.NewRequest(test.method, "/", nil)
		r.URL.Path, r.Host = test.path, test.host
		w := httptest.NewRecorder()
		siteHandler(testSite(), test.local).ServeHTTP(w, r)
		got := w.Result()
		if got.StatusCode != test.status || test.kind != "" && got.Header.Get("Content-Type") != test.kind {
			t.Errorf("%+v: %d, %s", test, got.StatusCode, got.Header.Get("Content-Type"))
		}
		for _, field := range siteHeaders {
			if got.Header.Get(field[0]) != field[1] {
				t.Errorf("%+v: no %s", test, field[0])
			}
		}
		if policy := got.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "'unsafe-eval'") {
			t.Errorf("policy %s", policy)
		}
	}
}

// TestServeSite: the server answers, says so once for what has not changed, waits with those that
// are too many, and ends with its context.
func TestServeSite(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- serveSite(ctx, l, siteHandler(testSite(), true)) }()
	get := func(tag string) *http.Response {
		r, _ := http.NewRequest("GET", "http://"+l.Addr().String()+"/", nil)
		r.Header.Set("If-None-Match", tag)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, got.Body)
		got.Body.Close()
		return got
	}
	first := get("")
	if again := get(first.Header.Get("Etag")); first.StatusCode != 200 || again.StatusCode != 304 {
		t.Errorf("%d, then %d", first.StatusCode, again.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the server goes on")
	}
}

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

// builtWasm is the checker for the page, built once.
var builtWasm = sync.OnceValues(func() (*playground.Wasm, error) { return wasm(context.Background()) })

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
