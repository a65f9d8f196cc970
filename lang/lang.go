// Package lang reads programs: a path or a text comes in, the front end that
// its name calls for parses it, a [program.Program] goes out. What is wrong
// with the input comes out as a [program.Diagnostic].
package lang

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/program"
)

// MaxSize is the size, in bytes, from which on a text is refused: no program
// that could be verified is that long, and a mistaken path should not fill the
// memory.
const MaxSize = 16 << 20

// A frontEnd is a language.
type frontEnd struct {
	name  string
	exts  []string
	parse func(*program.Source, map[string]int64) (*program.Program, error)
}

var frontEnds = []frontEnd{
	{"IMP", []string{".imp"}, imp.Parse},
	{"automata", []string{".txt", ".asm"}, parseAsm},
	{"litmus tests", []string{".litmus"}, parseLitmus},
	{"C", []string{".c"}, parseC},
}

// Extensions lists the file name extensions that [Load] knows.
func Extensions() []string {
	var exts []string
	for _, f := range frontEnds {
		exts = append(exts, f.exts...)
	}
	return exts
}

// Load reads the program in the file at path, in the language that the
// extension of path names. defines gives values to constants of the program.
func Load(path string, defines map[string]int64) (*program.Program, error) {
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
	return Parse(src, defines)
}

// ReadFile reads a text of any language.
func ReadFile(path string) (*program.Source, error) {
	if err := stat(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	defer f.Close()
	return read(path, f)
}

// stat says what keeps path from being a file to read.
func stat(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return Unreadable(path, err)
	}
	if info.IsDir() {
		return diagnose(path, "this is a directory", "give the files in it: "+filepath.Join(path, "*.imp"))
	}
	return nil
}

// Stdin is the name of a text that has no file. It is taken to be IMP.
const Stdin = "<stdin>"

// Read is [Load] for a text that does not come from a file.
func Read(name string, r io.Reader, defines map[string]int64) (*program.Program, error) {
	src, err := read(name, r)
	if err != nil {
		return nil, err
	}
	return Parse(src, defines)
}

func read(name string, r io.Reader) (*program.Source, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if len(text) > MaxSize {
		return nil, diagnose(name, fmt.Sprintf("too large: more than %d MiB", MaxSize>>20), "")
	}
	return &program.Source{Name: name, Text: string(text)}, nil
}

// Parse is [Read] for a text that is in memory.
func Parse(src *program.Source, defines map[string]int64) (*program.Program, error) {
	f, err := byName(src.Name)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(src.Text) == "" {
		return nil, diagnose(src.Name, "empty: there is no program in it", "")
	}
	p, err := f.parse(src, defines)
	if err != nil {
		return nil, err
	}
	if err := program.Sanity(p); err != nil {
		return nil, fmt.Errorf("the front end for %s made what is no program: %w", f.name, err)
	}
	return p, nil
}

func byName(name string) (*frontEnd, error) {
	ext := strings.ToLower(filepath.Ext(name))
	if name == Stdin {
		ext = ".imp"
	}
	for i := range frontEnds {
		if slices.Contains(frontEnds[i].exts, ext) {
			return &frontEnds[i], nil
		}
	}
	known := make([]string, len(frontEnds))
	for i, f := range frontEnds {
		known[i] = strings.Join(f.exts, " and ") + " (" + f.name + ")"
	}
	msg := fmt.Sprintf("unknown kind of file: extension %q", ext)
	if ext == "" {
		msg = "unknown kind of file: no extension"
	}
	return nil, diagnose(name, msg, "known are "+strings.Join(known, ", "))
}

// parseAsm refuses definitions: an automaton has no named constants, and to
// ignore them would answer another question than the one that was asked.
func parseAsm(src *program.Source, defines map[string]int64) (*program.Program, error) {
	if len(defines) > 0 {
		return nil, diagnose(src.Name, "an automaton has no constants to define", "-D is for IMP programs")
	}
	return asm.Parse(src)
}

// parseLitmus refuses definitions for the same reason.
func parseLitmus(src *program.Source, defines map[string]int64) (*program.Program, error) {
	if len(defines) > 0 {
		return nil, diagnose(src.Name, "a litmus test has no constants to define", "-D is for IMP programs")
	}
	return litmus.Parse(src)
}

// parseC reads a C program with the headers beside it.
func parseC(src *program.Source, defines map[string]int64) (*program.Program, error) {
	opts := c.Options{ReadFile: readHeader}
	for name, value := range defines {
		opts.Defines = append(opts.Defines, fmt.Sprintf("%s=%d", name, value))
	}
	slices.Sort(opts.Defines)
	return c.Parse(src, opts)
}

// readHeader reads a file that a C program includes.
func readHeader(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() || info.Size() > MaxSize {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.ReadFile(name)
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
