// Package host serves the page of the playground to browsers: a few files, with the headers that a
// security review would want, to names of this machine alone unless the caller says otherwise, and
// with limits on connections, requests and time. In come the files by name, as playground.Site
// makes them, and a listener.
package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Loopback is whether a host, a name or an address, is this machine alone.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Limits of the server. It has a few files for a browser or two.
const (
	maxConnections = 64
	maxHeader      = 16 << 10
	readTime       = 5 * time.Second
	writeTime      = time.Minute // a slow line takes that for the checker
	idleTime       = time.Minute
	closeTime      = time.Second
)

// Serve serves until ctx ends, which is no error.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadTimeout: readTime, ReadHeaderTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if s.Shutdown(end) != nil {
			s.Close()
		}
	})
	defer stop()
	if err := s.Serve(&limited{l, make(chan struct{}, maxConnections)}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// limited is a listener that has so many connections at most; others wait.
type limited struct {
	net.Listener
	slots chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slot{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

type slot struct {
	net.Conn
	free func()
}

func (s *slot) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// Handler serves the files, by their names, and nothing else. Where local is set it answers only to names of
// this machine, so that no page of somebody's can come here by a name of its own.
func Handler(files map[string][]byte, local bool) http.Handler {
	tags := map[string]string{}
	for name, text := range files {
		sum := sha256.Sum256(text)
		tags[name] = `"` + hex.EncodeToString(sum[:16]) + `"`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, field := range headers {
			h.Set(field[0], field[1])
		}
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if local && !Loopback(host) {
			http.Error(w, "this server is for names of its own machine", http.StatusMisdirectedRequest)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "there is nothing to do here but read", http.StatusMethodNotAllowed)
			return
		}
		if r.ContentLength != 0 { // which nobody reads
			h.Set("Connection", "close")
			http.Error(w, "there is nothing to do here with what is sent", http.StatusRequestEntityTooLarge)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		text, ok := files[name]
		if !ok {
			http.Error(w, "there is no such file", http.StatusNotFound)
			return
		}
		h.Set("Content-Type", contentType(name))
		h.Set("Etag", tags[name])
		if r.Header.Get("If-None-Match") == tags[name] {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Length", fmt.Sprint(len(text)))
		if r.Method == http.MethodGet {
			w.Write(text)
		}
	})
}

// policy is the content security policy of the page, which loads its own files and runs its own
// WebAssembly.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// headers are those of every answer.
var headers = [][2]string{
	{"Content-Security-Policy", policy},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Embedder-Policy", "require-corp"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
	{"Cache-Control", "no-cache"},
}

// contentType does not depend on what the machine believes about extensions.
func contentType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".gz":
		return "application/octet-stream"
	default:
		return mime.TypeByExtension(ext)
	}
}
