package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/fencepost-verifier/fencepost"
)

// An outputError is a failure to write: the disk is full, or may not be written to. That is no
// defect, and the message says what to do.
type outputError struct {
	path string // "": standard output
	err  error
}

func (e *outputError) Error() string {
	err, what := e.err, "the output"
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err, what = pe.Err, pe.Path
	}
	if e.path != "" {
		what = e.path
	}
	msg := fmt.Sprintf("cannot write %s: %v", what, err)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		msg += "; free some space, or name a place on another disk"
	case errors.Is(err, fs.ErrNotExist):
		msg += "; make the directory " + filepath.Dir(what) + " first"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		msg += "; name a place where you may write"
	}
	return msg
}

func (e *outputError) Unwrap() error { return e.err }

// writable is an error where the file at path cannot be written to, so that this is said before
// the work and not after it. A file that is not there yet is made and removed again.
func writable(path string) error {
	_, err := os.Lstat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return &outputError{path, err}
	}
	f.Close()
	if fresh {
		os.Remove(path)
	}
	return nil
}

// makeFolder makes a folder and those above it that are missing. undo takes away those that it has
// made, unless there is something in them by then.
func makeFolder(path string) (undo func(), err error) {
	made := []string{} // the innermost first
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		made = append(made, dir)
	}
	undo = func() {
		for _, dir := range made {
			os.Remove(dir)
		}
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

// replaceFile gives the file at path another text, all or nothing: a full disk leaves it as it was.
func replaceFile(path, text string) error {
	place, err := filepath.EvalSymlinks(path)
	if err != nil {
		return &outputError{path, err}
	}
	info, err := os.Stat(place)
	if err != nil {
		return &outputError{path, err}
	}
	f, err := os.CreateTemp(filepath.Dir(place), ".fencepost-*")
	if err != nil {
		return &outputError{path, err}
	}
	defer os.Remove(f.Name()) // where it has not become the file
	_, err = io.WriteString(f, text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), place)
	}
	if err != nil {
		return &outputError{path, err}
	}
	return nil
}

// written gives the status of a command whose last act was to write.
func written(status int, err error) (int, error) {
	var out *outputError
	if err != nil && !errors.As(err, &out) {
		err = &outputError{err: err}
	}
	if err != nil {
		return exitInput, err
	}
	return status, nil
}

// drawer is how to write a drawing in the form that the extension of path names.
func drawer(path string) (func(io.Writer, *fencepost.Drawing) error, error) {
	switch filepath.Ext(path) {
	case ".svg":
		return fencepost.SVG, nil
	case ".dot":
		return fencepost.DOT, nil
	}
	return nil, fmt.Errorf("want a file .svg or .dot, not %q", path)
}

// drawable sees to it, before the work, that a drawing can be written to path; "" is none.
func drawable(path string) error {
	if path == "" {
		return nil
	}
	if _, err := drawer(path); err != nil {
		return fmt.Errorf("--graph: %w", err)
	}
	if err := writable(path); err != nil {
		return fmt.Errorf("--graph: %w", err)
	}
	return nil
}

// writeDrawing writes a drawing in the form that the extension of path names.
func writeDrawing(path string, d *fencepost.Drawing) error {
	write, err := drawer(path)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return &outputError{path, err}
	}
	err = write(f, d)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return &outputError{path, err}
	}
	return nil
}

// writeGraph writes both forms of a drawing, and the directory for them.
func writeGraph(base string, d *fencepost.Drawing) error {
	if err := os.MkdirAll(filepath.Dir(base), 0o777); err != nil {
		return &outputError{filepath.Dir(base), err}
	}
	for _, ext := range []string{".svg", ".dot"} {
		if err := writeDrawing(base+ext, d); err != nil {
			return err
		}
	}
	return nil
}
