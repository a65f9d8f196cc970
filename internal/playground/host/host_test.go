package host

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func testSite() map[string][]byte {
	return map[string][]byte{"index.html": []byte("<p>hello"), "app.js": []byte("1"), "fencepost.wasm.gz": {0x1f, 0x8b}}
}

func TestHandler(t *testing.T) {
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
		Handler(testSite(), test.local).ServeHTTP(w, r)
		got := w.Result()
		if got.StatusCode != test.status || test.kind != "" && got.Header.Get("Content-Type") != test.kind {
			t.Errorf("%+v: %d, %s", test, got.StatusCode, got.Header.Get("Content-Type"))
		}
		for _, field := range headers {
			if got.Header.Get(field[0]) != field[1] {
				t.Errorf("%+v: no %s", test, field[0])
			}
		}
		if policy := got.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "'unsafe-eval'") {
			t.Errorf("policy %s", policy)
		}
	}
}

// TestServe: the server answers, says so once for what has not changed, waits with those that
// are too many, and ends with its context.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, Handler(testSite(), true)) }()
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

// served is a server of the test site, and its address.
func served(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, Handler(testSite(), true)) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return l.Addr().String()
}

// said is the first line of what a server answers to bytes, and all of it.
func said(t *testing.T, addr, request string) (status, all string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, request) // the server may not want to hear all of it
	text, _ := io.ReadAll(io.LimitReader(c, 1<<20))
	status, _, _ = strings.Cut(string(text), "\r\n")
	return status, string(text)
}

// TestHostile has what somebody may send who wants something else than the page.
func TestHostile(t *testing.T) {
	t.Parallel()
	addr := served(t)
	const end = "\r\nConnection: close\r\n\r\n"
	for what, tt := range map[string]struct{ request, status string }{
		"the page":                       {"GET / HTTP/1.1\r\nHost: localhost" + end, "200"},
		"a folder above":                 {"GET /../../../../etc/passwd HTTP/1.1\r\nHost: localhost" + end, "404"},
		"a folder above, escaped":        {"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost" + end, "404"},
		"a folder above, escaped twice":  {"GET /%252e%252e/etc/passwd HTTP/1.1\r\nHost: localhost" + end, "404"},
		"a folder above, backslashes":    {"GET /..\\..\\etc\\passwd HTTP/1.1\r\nHost: localhost" + end, "404"},
		"a file of the root":             {"GET //etc/passwd HTTP/1.1\r\nHost: localhost" + end, "404"},
		"a file by its scheme":           {"GET file:///etc/passwd HTTP/1.1\r\nHost: localhost" + end, "4"},
		"a name with a zero":             {"GET /index.html%00.js HTTP/1.1\r\nHost: localhost" + end, "404"},
		"another host":                   {"GET / HTTP/1.1\r\nHost: evil.example" + end, "421"},
		"another host with our name":     {"GET / HTTP/1.1\r\nHost: localhost.evil.example:8417" + end, "421"},
		"another host with our number":   {"GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example" + end, "421"},
		"another host in the request":    {"GET http://evil.example/ HTTP/1.1\r\nHost: localhost" + end, "421"},
		"two hosts":                      {"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example" + end, "400"},
		"no host":                        {"GET / HTTP/1.1" + end, "400"},
		"no host, before there were any": {"GET / HTTP/1.0\r\n\r\n", "421"},
		"a host that forwards":           {"GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost" + end, "421"},
		"a proxy":                        {"CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80" + end, "421"},
		"a proxy by our name":            {"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80" + end, "405"},
		"what methods there are":         {"OPTIONS * HTTP/1.1\r\nHost: localhost" + end, "405"},
		"an echo":                        {"TRACE / HTTP/1.1\r\nHost: localhost" + end, "405"},
		"something to keep":              {"PUT /app.js HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1" + end + "x", "405"},
		"a method nobody knows":          {"BREW / HTTP/1.1\r\nHost: localhost" + end, "405"},
		"a body":                         {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000" + end, "413"},
		"a body in parts":                {"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked" + end + "ffff\r\n", "413"},
		"two lengths":                    {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nTransfer-Encoding: chunked" + end + "0\r\n\r\n", ""},
		"a long header":                  {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1<<16) + end, "431"},
		"a long name":                    {"GET /" + strings.Repeat("x", 1<<16) + " HTTP/1.1\r\nHost: localhost" + end, "431"},
		"a header in the name":           {"GET /%0d%0aX-Evil:1 HTTP/1.1\r\nHost: localhost" + end, "404"},
		"another protocol":               {"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", "400"},
	} {
		status, all := said(t, addr, tt.request)
		if !strings.Contains(status, " "+tt.status) {
			t.Errorf("%s: %q, want %s", what, status, tt.status)
		}
		for _, secret := range []string{"root:", "X-Evil", "Access-Control"} {
			if strings.Contains(all, secret) {
				t.Errorf("%s: it says %q\n%s", what, secret, all)
			}
		}
		if page := strings.Contains(all, "hello"); page && !strings.Contains(status, " 200") {
			t.Errorf("%s: %s, and the page", what, status)
		}
	}
	if _, all := said(t, addr, "HEAD / HTTP/1.1\r\nHost: localhost"+end); strings.Contains(all, "hello") {
		t.Error("HEAD has a body")
	}
}

// TestSilent: who connects and says nothing does not keep others away for long.
func TestSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as the server has patience")
	}
	t.Parallel()
	addr := served(t)
	for i := range maxConnections {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%2 == 0 {
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: lo")
		}
	}
	if status, _ := said(t, addr, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); !strings.Contains(status, " 200") {
		t.Errorf("%q", status)
	}
}
