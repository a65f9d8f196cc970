package syntax

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/include"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// files are the texts that were read, by the name the preprocessor knows them by.
type files struct {
	opts Options
	main *program.Source
	text map[string]string
	fail *program.Diagnostic
	// outside is what was asked for where headers may not be, and whether a link leads there.
	outside map[string]bool
	asked   bool            // it depends on files of the program
	once    map[string]int  // the headers that are to be included once, by number
	known   map[string]bool // what there is of our headers; nil: all
	weak    []string        // what #pragma weak says of
	others  []string        // functions of our headers that the program has others in place of; see others.go
	packs   []string        // what #pragma pack says; see packed
	about   int             // where the text is wrong, if the parser does not say; -1: that is not known
}

// mention is true where the text of the program, or of a header of its own, has a word in it.
func (f *files) mention(word string) bool {
	if strings.Contains(f.main.Text, word) {
		return true
	}
	for _, t := range f.text {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// Open implements [fs.FS] for the preprocessor.
func (f *files) Open(name string) (fs.File, error) {
	if rest, ok := strings.CutPrefix(name, systemDir+"/"); ok {
		if text, ok := bare[rest]; ok {
			text = f.withoutOthers(text)
			return &file{Reader: strings.NewReader(text), name: name, size: int64(len(text))}, nil
		}
		if f.brings(rest) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		if pieces, _ := ourPieces(); f.known != nil && pieces[rest] != nil {
			b, err := headers.ReadFile("include/" + rest)
			text := f.withoutOthers(part(string(b), pieces[rest], f.known))
			return &file{Reader: strings.NewReader(text), name: name, size: int64(len(text))}, err
		}
		if len(f.others) > 0 {
			b, err := headers.ReadFile("include/" + rest)
			text := f.withoutOthers(string(b))
			return &file{Reader: strings.NewReader(text), name: name, size: int64(len(text))}, err
		}
		return headers.Open("include/" + rest)
	}
	if f.opts.ReadFile == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	shown := name
	name = unrooted(name)
	if !f.within(name) {
		f.outside[name] = false
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f.asked = true
	b, err := f.opts.ReadFile(name)
	if err != nil {
		if errors.Is(err, include.ErrOutside) {
			f.outside[name] = true
		}
		return nil, err
	}
	if len(b) > maxFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("too large")}
	}
	if d := balance(&program.Source{Name: name, Text: string(b)}); d != nil && f.fail == nil {
		f.fail = d
		b = nil
	}
	text := f.guard(shown, name, string(b))
	if text == "" {
		f.text[shown], text = string(b), f.packed(ownLabels(qualifiersLast(plainStrings(ended(rooted(string(b)))))))
	}
	return &file{Reader: strings.NewReader(text), name: shown, size: int64(len(text))}, nil
}

// brings is true of a header of the kernel that the program has one of its own for: what is around it is made for that one.
func (f *files) brings(header string) bool {
	if f.opts.ReadFile == nil || !replaceable(header) {
		return false
	}
	f.asked = true
	dir := path.Dir(f.main.Name)
	for _, d := range append(slices.Clone(f.opts.Include), dir, path.Join(dir, "..")) {
		if name := path.Join(d, header); f.within(name) {
			if _, err := f.opts.ReadFile(name); err == nil {
				return true
			}
		}
	}
	return false
}

func replaceable(header string) bool {
	return strings.HasPrefix(header, "linux/") || strings.HasPrefix(header, "asm/") || header == "lkmm.h"
}

// root stands for the / that the name of a file begins with, as the preprocessor puts a folder before every name.
const root = "\x01"

var wholeName = text.NewPattern(`(?m)^([ \t]*#[ \t]*include[ \t]*["<])/`)

// rooted is a text in which names of files from the root on begin with that mark.
func rooted(text string) string { return wholeName.ReplaceAllString(text, "${1}"+root) }

// unrooted is the file that the preprocessor means by a name.
func unrooted(name string) string {
	name = strings.Replace(name, onceOnly, "", 1)
	if _, rest, is := strings.Cut(name, root); is {
		return "/" + rest
	}
	return name
}

// ended is a text with an end to the line that a \ at its end says goes on: the preprocessor
// looks for that of an #include for ever.
func ended(text string) string {
	if strings.HasSuffix(strings.TrimRight(text, "\r\n"), `\`) {
		return text + "\n\n"
	}
	return text
}

// within is whether a header is where headers may be: below the folder of the program, or one
// that was named for them, or beside the folder of the program, where the tests of other
// tools have them.
func (f *files) within(name string) bool {
	dir := path.Dir(f.main.Name)
	return slices.ContainsFunc(append([]string{dir, path.Join(dir, "..")}, f.opts.Include...), func(dir string) bool {
		rel, err := filepath.Rel(dir, name)
		return err == nil && filepath.IsLocal(rel)
	})
}

type file struct {
	*strings.Reader
	name string
	size int64
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return path.Base(f.name) }
func (f *file) Size() int64                { return f.size }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }

var _ io.Reader = (*file)(nil)

// whole is the source of the program, with the headers of its own.
func (f *files) whole() *program.Source {
	if len(f.text) == 1 {
		return f.main
	}
	src := &program.Source{Name: f.main.Name, Text: f.main.Text}
	for _, name := range slices.Sorted(maps.Keys(f.text)) {
		if name != f.main.Name {
			src.Included = append(src.Included, &program.Source{Name: unrooted(name), Text: f.text[name]})
		}
	}
	return src
}

// at is the source of the name.
func (f *files) at(name string) *program.Source {
	if name == f.main.Name {
		return f.main
	}
	if t, ok := f.text[name]; ok {
		return &program.Source{Name: unrooted(name), Text: t}
	}
	if rest, ok := strings.CutPrefix(name, systemDir+"/"); ok {
		if b, err := headers.ReadFile("include/" + rest); err == nil {
			return &program.Source{Name: "<" + rest + ">", Text: string(b)}
		}
	}
	return &program.Source{Name: name}
}
