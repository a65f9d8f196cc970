package memory

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-verifier/fencepost/internal/include"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Definition is what a memory model says: its axioms, to be tested on
// execution graphs or interpreted otherwise.
type Definition struct {
	Model  Model        // the name that it was loaded by
	Arch   program.Arch // of the programs that it is for
	Name   string       // as the text calls itself; may be empty
	Source string       // the text, without what it includes
	// Cat is the model itself, for a [cat.Interpreter].
	Cat *cat.Model

	pool     sync.Pool // of *judge
	causal   causal
	notes    sync.Map
	unfolded unfolded
}

// Note is what was found out of d under a key, which is found where it was not; it is kept where known is true.
func Note[K comparable, V any](d *Definition, key K, find func() (v V, known bool)) V {
	if v, ok := d.notes.Load(key); ok {
		return v.(V)
	}
	v, known := find()
	if known {
		d.notes.Store(key, v)
	}
	return v
}

//go:embed *.cat
var embedded embed.FS

var loaded sync.Map // from loadKey to *Definition, for the models that are not files

type loadKey struct {
	model Model
	arch  program.Arch
}

// searchPath is where files are looked for, too.
var searchPath struct {
	sync.RWMutex
	dirs []string
}

// Search makes files with models be looked for in a directory, too, such as that of the
// models of herd7: after the place that their name says, and before what is built in.
func Search(dir string) {
	searchPath.Lock()
	defer searchPath.Unlock()
	searchPath.dirs = append(searchPath.dirs, dir)
}

// folders are those of the search path.
func folders() []string {
	searchPath.RLock()
	defer searchPath.RUnlock()
	return slices.Clone(searchPath.dirs)
}

// Load is the definition of the model: the built-in one, or what the file says
// that the model names. It is for the architecture that the model is about: of a file, the
// first one that has all the names it uses. The error is a [program.Diagnostic] where
// the text is wrong.
func Load(m Model) (*Definition, error) {
	a, _ := m.Arch()
	d, err := LoadFor(m, a)
	if err == nil || m.builtin() != nil {
		return d, err
	}
	for _, a := range program.Archs() {
		d, other := LoadFor(m, a)
		if other == nil {
			return d, nil
		}
		// Of the errors, one that is not about names of another architecture is of use.
		if cat.Elsewhere(err) && !cat.Elsewhere(other) {
			err = other
		}
	}
	return d, err
}

// LoadFor is the definition of the model for programs of an architecture.
func LoadFor(m Model, a program.Arch) (*Definition, error) {
	if m.builtin() == nil {
		if _, err := Parse(string(m)); err != nil {
			return nil, err
		}
		return loadFile(m, a)
	}
	if own, only := m.Arch(); only && a != own {
		return nil, &program.Diagnostic{Source: &program.Source{Name: string(m)},
			Msg:  fmt.Sprintf("the model %s is about %s, not %s", m, own, a),
			Hint: "there are " + strings.Join(names(ModelsFor(a)), ", ")}
	}
	if d, ok := loaded.Load(loadKey{m, a}); ok {
		return d.(*Definition), nil
	}
	text, err := embedded.ReadFile(string(m) + ".cat")
	if err != nil {
		return nil, err
	}
	d, err := DefineFor(m, a, string(text), nil)
	if err != nil {
		return nil, err
	}
	kept, _ := loaded.LoadOrStore(loadKey{m, a}, d)
	return kept.(*Definition), nil
}

var loadedFiles sync.Map // from loadKey to *loadedFile

// A loadedFile is a definition and all files that it comes from.
type loadedFile struct {
	d     *Definition
	files []fileText
}

// A fileText is what a file said when it was read.
type fileText struct {
	name string
	text []byte
	err  error
}

// current is whether all files still say the same.
func (f *loadedFile) current() bool {
	return !slices.ContainsFunc(f.files, func(t fileText) bool {
		text, err := os.ReadFile(t.name)
		return !bytes.Equal(text, t.text) || (err == nil) != (t.err == nil)
	})
}

// loadFile is the definition in a file. What is found out of it is kept as long as the
// files do not change: whoever asks for the model for one program after the other need not
// wait for that again.
func loadFile(m Model, a program.Arch) (*Definition, error) {
	if f, ok := loadedFiles.Load(loadKey{m, a}); ok && f.(*loadedFile).current() {
		return f.(*loadedFile).d, nil
	}
	f := &loadedFile{}
	read := func(name string) ([]byte, error) {
		text, err := os.ReadFile(name)
		f.files = append(f.files, fileText{name, text, err})
		return text, err
	}
	text, where, err := include.Find(string(m), string(m), folders(), read, func(string) error { return nil })
	if err != nil {
		return nil, fmt.Errorf("memory model: %w", err)
	}
	if f.d, err = defineAt(where, m, a, string(text), read); err != nil {
		return nil, err
	}
	loadedFiles.Store(loadKey{m, a}, f)
	return f.d, nil
}

// ModelsFor lists the models that are built in and can be asked about programs of an
// architecture.
func ModelsFor(a program.Arch) (ms []Model) {
	for _, b := range builtins {
		if b.any || b.arch == a {
			ms = append(ms, b.model)
		}
	}
	return ms
}

// Define is [DefineFor] for x86.
func Define(m Model, text string, readFile func(name string) ([]byte, error)) (*Definition, error) {
	return DefineFor(m, program.X86, text, readFile)
}

// DefineFor is the definition that a text gives for programs of an architecture. What
// the text includes is read by readFile, which may be nil, by a name that is relative to
// the file that includes it; a file that does not exist may be one of those that are
// built in.
func DefineFor(m Model, a program.Arch, text string, readFile func(name string) ([]byte, error)) (*Definition, error) {
	return defineAt(string(m), m, a, text, readFile)
}

// defineAt is DefineFor of a text that stands in a file.
func defineAt(where string, m Model, a program.Arch, text string, readFile func(name string) ([]byte, error)) (*Definition, error) {
	included := func(from, name string) (*program.Source, error) {
		file := include.Beside(from, name)
		err := fs.ErrNotExist
		var text []byte
		if slices.Contains(ownFiles, name) { // whoever else has it
			text, err := embedded.ReadFile(name)
			return &program.Source{Name: file + " (built in)", Text: string(text)}, err
		}
		if readFile != nil {
			dirs := folders()
			text, file, err = include.Find(file, name, dirs, readFile, include.Below(where, dirs))
		}
		if errors.Is(err, fs.ErrNotExist) {
			if own, ownErr := embedded.ReadFile(path.Clean(name)); ownErr == nil {
				return &program.Source{Name: name, Text: string(own)}, nil
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such file; built in are " + strings.Join(embeddedNames(), ", "))
		}
		if err != nil {
			return nil, err
		}
		return &program.Source{Name: file, Text: string(text)}, nil
	}
	src := &program.Source{Name: where, Text: text}
	if m.builtin() != nil {
		src.Name += ".cat"
	}
	library, err := embedded.ReadFile("stdlib.cat")
	if err != nil {
		return nil, err
	}
	c, err := cat.Parse(src, a, included, &program.Source{Name: "stdlib.cat", Text: string(library)})
	if err != nil {
		return nil, err
	}
	return &Definition{Model: m, Arch: a, Name: c.Name, Source: text, Cat: c}, nil
}

// ownFiles are those in whose place a text that is built in is taken wherever they are included:
// that of herd7's library which works out dependencies from events that read and write
// registers, of which there are none here; that which enumerates orders of the accesses of each
// location, which takes them apart; and that of the Linux kernel's model which enumerates the
// orders of critical sections, which a program has here before a model is asked.
var ownFiles = []string{"aarch64deps.cat", "cross.cat", "lock.cat"}

func embeddedNames() []string {
	names, _ := fs.Glob(embedded, "*.cat")
	return names
}

// isFile is true of the name of a file with a model.
func isFile(name string) bool { return strings.HasSuffix(name, ".cat") && len(name) > len(".cat") }
