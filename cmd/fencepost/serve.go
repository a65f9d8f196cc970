package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/playground"
)

func (a *app) serveCommand() *cobra.Command {
	addr, export := "localhost:8417", ""
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve a page to write and check programs in, or write its files",
		Long: `Serve gives a page in which programs are written, checked, explained and fenced. The
checker is part of the page, as WebAssembly: nothing is computed here, and no
program leaves the browser. The address is one of this machine alone unless --addr
says otherwise.

With --export the files are written into a folder, which any web server can serve.

The checker is built by Go, unless the binary was built with it. See
docs/playground.md.

Exit status: 0, 2 usage error or where there is no checker, 4 internal error.`,
		Example: `  fencepost serve
  fencepost serve --addr localhost:9000
  fencepost serve --export public`,
		Args: files(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, _, err := net.SplitHostPort(addr)
			if err != nil {
				return fmt.Errorf("--addr: want HOST:PORT, as in localhost:8417, not %q", addr)
			}
			if export != "" && cmd.Flags().Changed("addr") {
				return errors.New("--addr: with --export nothing is served; leave it out")
			}
			if export == "" && !loopback(host) {
				fmt.Fprintf(a.stderr, "fencepost: %s can be reached from other machines\n", addr)
			}
			if err := a.serve(cmd.Context(), addr, export); err != nil {
				a.status = a.fail("", fencepost.Text, err)
			}
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&addr, "addr", addr, "where to listen, `HOST:PORT`")
	cmd.Flags().StringVar(&export, "export", "", "write the files of the page into `DIR` instead")
	return cmd
}

// loopback is whether a host is this machine alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (a *app) serve(ctx context.Context, addr, export string) (err error) {
	if export != "" { // before the work
		undo, err2 := makeFolder(export)
		if err2 != nil {
			return &outputError{export, err2}
		}
		defer func() {
			if err != nil {
				undo()
			}
		}()
	}
	host, _, _ := net.SplitHostPort(addr)
	w, err := wasm(ctx, export != "" || !loopback(host), func(what string) { fmt.Fprintln(a.stderr, what) })
	if err != nil {
		return err
	}
	files, err := playground.Site(w)
	if err != nil {
		return err
	}
	if export != "" {
		return a.exportSite(export, files)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return &outputError{addr, fmt.Errorf("listen: %w; another --addr may do", err)}
	}
	if at, ok := l.Addr().(*net.TCPAddr); loopback(host) && ok && !at.IP.IsLoopback() {
		l.Close()
		return &outputError{addr, fmt.Errorf("on this machine %s is %s, which can be reached from others; 127.0.0.1 cannot", host, at.IP)}
	}
	fmt.Fprintf(a.stdout, "http://%s/\n", l.Addr())
	return serveSite(ctx, l, siteHandler(files, loopback(host)))
}

// exportSite writes the files of the page into a folder.
func (a *app) exportSite(dir string, files map[string][]byte) error {
	total := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
			return &outputError{filepath.Join(dir, name), err}
		}
		total += len(files[name])
	}
	_, err := fmt.Fprintf(a.stdout, "%d files, %.1f MB, in %s\n", len(files), float64(total)/1e6, dir)
	if err != nil {
		return &outputError{err: err}
	}
	return nil
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

// serveSite serves until ctx ends.
func serveSite(ctx context.Context, l net.Listener, h http.Handler) error {
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

// siteHandler serves the files and nothing else. Where local is set it answers only to names of
// this machine, so that no page of somebody's can come here by a name of its own.
func siteHandler(files map[string][]byte, local bool) http.Handler {
	tags := map[string]string{}
	for name, text := range files {
		sum := sha256.Sum256(text)
		tags[name] = `"` + hex.EncodeToString(sum[:16]) + `"`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, field := range siteHeaders {
			h.Set(field[0], field[1])
		}
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if local && !loopback(host) {
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

// siteHeaders are those of every answer.
var siteHeaders = [][2]string{
	{"Content-Security-Policy", playground.Policy},
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
