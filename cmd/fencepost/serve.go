package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/playground"
	"github.com/fencepost-verifier/fencepost/internal/playground/host"
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
			name, _, err := net.SplitHostPort(addr)
			if err != nil {
				return fmt.Errorf("--addr: want HOST:PORT, as in localhost:8417, not %q", addr)
			}
			if export != "" && cmd.Flags().Changed("addr") {
				return errors.New("--addr: with --export nothing is served; leave it out")
			}
			if export == "" && !host.Loopback(name) {
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
	name, _, _ := net.SplitHostPort(addr)
	w, err := wasm(ctx, export != "" || !host.Loopback(name), func(what string) { fmt.Fprintln(a.stderr, what) })
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
	if at, ok := l.Addr().(*net.TCPAddr); host.Loopback(name) && ok && !at.IP.IsLoopback() {
		l.Close()
		return &outputError{addr, fmt.Errorf("on this machine %s is %s, which can be reached from others; 127.0.0.1 cannot", name, at.IP)}
	}
	fmt.Fprintf(a.stdout, "http://%s/\n", l.Addr())
	return host.Serve(ctx, l, host.Handler(files, host.Loopback(name)))
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
