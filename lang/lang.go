// Package lang reads programs: a path or a text comes in, the front end that
// its name calls for parses it, a [program.Program] goes out, which [program.Sanity]
// has nothing against. What is wrong with the input comes out as a [program.Diagnostic].
//
// Each front end is a file of its own here, with what there is to know about it, and a
// line in [frontEnds].
package lang

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// MaxSize is the size, in bytes, from which on a text is refused: no program
// that could be verified is that long, and a mistaken path should not fill the
// memory.
const MaxSize = 16 << 20

// Extensions lists the file name extensions that [Load] knows.
func Extensions() []string {
	var exts []string
	for _, f := range frontEnds() {
		exts = append(exts, f.Extensions...)
	}
	return exts
}

// Load reads the program in the file at path, in the language that the
// extension of path names. defines gives values to constants of the program; the last of
// settings, if any, says how C is read.
func Load(path string, defines map[string]int64, settings ...C) (*program.Program, error) {
	// What the path is comes before what its name looks like: for a directory
	// or a misspelt name, a remark about extensions would mislead.
	if err := stat(path); err != nil {
		return nil, err
	}
	if _, err := byName(path); err != nil {
		return nil, err
	}
	src, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(src, defines, settings...)
}

// ReadFile reads a text of any language.
func ReadFile(path string) (*program.Source, error) {
	if path == "" {
		return nil, stat(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if info.IsDir() {
		return nil, stat(path)
	}
	return read(path, f, info.Size())
}

// ReadSource reads a source whose name is for messages.
func ReadSource(name string, r io.Reader) (*program.Source, error) { return read(name, r, 0) }

// stat says what keeps path from being a file to read.
func stat(path string) error {
	if path == "" {
		return diagnose(path, "the name of the file is empty", "")
	}
	info, err := os.Stat(path)
	if err != nil {
		return Unreadable(path, err)
	}
	if info.IsDir() {
		return diagnose(path, "this is a directory", "give the files in it, such as "+filepath.Join(path, "*.imp")+", or all below it to check: "+path+"/...")
	}
	return nil
}

// Stdin is the name of a text that has no file. It is taken to be IMP.
const Stdin = "<stdin>"

// Read is [Load] for a text that does not come from a file.
func Read(name string, r io.Reader, defines map[string]int64, settings ...C) (*program.Program, error) {
	src, err := read(name, r, 0)
	if err != nil {
		return nil, err
	}
	return Parse(src, defines, settings...)
}

// read reads a text of about so many bytes.
func read(name string, r io.Reader, size int64) (*program.Source, error) {
	buffer := bytes.NewBuffer(make([]byte, 0, min(size, MaxSize)+bytes.MinRead))
	if _, err := buffer.ReadFrom(io.LimitReader(r, MaxSize+1)); err != nil {
		return nil, Unreadable(name, err)
	}
	if buffer.Len() > MaxSize {
		return nil, diagnose(name, fmt.Sprintf("too large: more than %d MiB", MaxSize>>20), "")
	}
	return &program.Source{Name: name, Text: buffer.String()}, nil
}

// Parse is [Read] for a text that is in memory.
func Parse(src *program.Source, defines map[string]int64, settings ...C) (*program.Program, error) {
	f, err := byName(src.Name)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(src.Text) == "" {
		return nil, diagnose(src.Name, "empty: there is no program in it", "")
	}
	if f.NoConstants != "" && len(defines) > 0 {
		return nil, diagnose(src.Name, f.NoConstants+" has no constants to define", "-D is for IMP programs")
	}
	c := last(settings)
	if !f.HeedsC {
		if err := c.refuse(src); err != nil {
			return nil, err
		}
	}
	p, err := f.Parse(src, defines, c)
	if err != nil {
		return nil, err
	}
	if err := program.Sanity(p); err != nil {
		return nil, fmt.Errorf("the front end for %s made what is no program: %w", f.Name, err)
	}
	return p, nil
}

// last is the settings, if there are any.
func last(settings []C) (c C) {
	if n := len(settings); n > 0 {
		c = settings[n-1]
	}
	return c
}

func byName(name string) (*frontEnd, error) {
	all := frontEnds()
	ext := strings.ToLower(filepath.Ext(name))
	if name == Stdin {
		ext = all[0].Extensions[0]
	}
	known := make([]string, len(all))
	for i, f := range all {
		if slices.Contains(f.Extensions, ext) {
			return &f, nil
		}
		known[i] = strings.Join(f.Extensions, " and ") + " (" + f.Name + ")"
	}
	msg := fmt.Sprintf("unknown kind of file: extension %q", ext)
	if ext == "" {
		msg = "unknown kind of file: no extension"
	}
	return nil, diagnose(name, msg, "known are "+strings.Join(known, ", "))
}

func diagnose(name, msg, hint string) error {
	return &program.Diagnostic{Source: &program.Source{Name: name}, Msg: msg, Hint: hint}
}

// Unreadable is what to say of a file that cannot be read. It drops the operation
// and the path from the error: the diagnostic begins with the path.
func Unreadable(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return diagnose(name, "cannot be read: "+err.Error(), "")
}
