package lang

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fencepost-verifier/fencepost/internal/include"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/c/edits"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

func cPrograms() frontEnd {
	return frontEnd{Name: "C", Extensions: []string{".c", ".i"}, Parse: parseC, HeedsC: true,
		SitesC: func(p *program.Program, defines map[string]int64, s C) []program.Site {
			return edits.Sites(p.Source, s.reading(p.Source, defines))
		},
		Fences:    func(p *program.Program) []program.Site { return edits.Fences(p.Source) },
		Exchanges: func(p *program.Program) []program.Site { return edits.Exchanges(p.Source) },
		Orderings: func(p *program.Program, defines map[string]int64, s C) []program.Strengthening {
			return edits.Strengthenings(p.Source, s.reading(p.Source, defines))
		}}
}

// C is what there is to say about how C is read, beside numbers for names. Other languages refuse
// all of it but Unroll and what is about the files that a text includes.
type C struct {
	Macros  []string // NAME or NAME=TEXT
	Include []string // folders with what texts include: headers, or files of IMP
	Std     string   // such as c11
	Mapping string   // what a sequentially consistent store is on x86: xchg or mfence; "": xchg; or another processor: aarch64, riscv, power, or lkmm
	// Processor is the Mapping where that is empty. It is for all programs: others are for a processor as it is.
	Processor string
	Unroll    int // a bound on what is made or called in loops; 0: that of the front end
	// Orders keeps the operations of C11 with their memory orders, in the place of instructions.
	// It is for all programs, as far as they have any.
	Orders bool
	// Signals lets threads that wait for conditions wait for signals, for deadlocks. It is for all
	// programs, as far as they have any.
	Signals bool
	// Races is for where nothing but data races is looked for. It is for all programs, as far as it makes a difference.
	Races bool
	// NoBlocks is for models without words for what is one step and more than a read-modify-write. It is
	// for all programs, as far as they have any.
	NoBlocks bool
	// NoFutileWaits leaves out what threads do in vain that wake up from a wait for a condition. It is
	// for all programs, as far as they have any.
	NoFutileWaits bool
	// Dependencies is for models in which they may order accesses. It is for all programs, as far as they have
	// any.
	Dependencies bool
	// Speculation is that of the model.
	Speculation target.Speculation
	// Ordered is for models in which stores come to memory, and loads are done, in the order of the program: SC and
	// TSO. It is for all programs, as far as it makes a difference.
	Ordered bool
	// ReadFile reads the files that the program itself includes; nil: from the disk.
	ReadFile func(name string) ([]byte, error)
	// What is checked on request, and whether a weak compare-exchange fails without a reason:
	// see the options of package c.
	Overflow, Uninitialised, Leaks, Spurious bool
	// Args are the arguments of main, after the name of the program.
	Args []string
}

// refuse is an error where a text of another language is given more than it heeds.
func (s C) refuse(src *program.Source) error {
	switch {
	case len(s.Macros) > 0:
		return diagnose(src.Name, fmt.Sprintf("-D %s: a constant has an integer as its value", s.Macros[0]), "give it one, as in -D N=3; other texts are for C")
	case s.Overflow || s.Uninitialised || s.Leaks || s.Spurious:
		return diagnose(src.Name, "overflow, what is not initialised, leaks and weak compare-exchanges are matters of C, and this is no C", "leave the flags out")
	case len(s.Args) > 0:
		return diagnose(src.Name, fmt.Sprintf("--arg %s: what main is given is a matter of C, and this is no C", s.Args[0]), "leave it out")
	case s.Std != "" || s.Mapping != "":
		return diagnose(src.Name, "std and mapping say how C is read, and this is no C", "leave them out")
	}
	return nil
}

// parseC reads a C program with the headers beside it.
func parseC(src *program.Source, defines map[string]int64, s C) (*program.Program, error) {
	return c.Parse(src, s.options(src, defines))
}

// reading is what of it the text alone depends on.
func (s C) reading(src *program.Source, defines map[string]int64) syntax.Options {
	opts := syntax.Options{Defines: slices.Clone(s.Macros), Include: s.Include, ReadFile: s.headers(src.Name)}
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		opts.Defines = append(opts.Defines, fmt.Sprintf("%s=%d", name, defines[name]))
	}
	return opts
}

func (s C) options(src *program.Source, defines map[string]int64) c.Options {
	text := s.reading(src, defines)
	opts := c.Options{Defines: text.Defines, Include: text.Include, ReadFile: text.ReadFile, Std: s.Std, Mapping: c.Mapping(cmp.Or(s.Mapping, s.Processor)), Unroll: s.Unroll, Signals: s.Signals, Races: s.Races, NoBlocks: s.NoBlocks, NoFutileWaits: s.NoFutileWaits, Dependencies: s.Dependencies, Speculation: s.Speculation, Ordered: s.Ordered,
		Overflow: s.Overflow, Uninitialised: s.Uninitialised, Leaks: s.Leaks, Spurious: s.Spurious, Args: s.Args}
	if s.Orders {
		opts.Mapping = c.Orders
	}
	return opts
}

// headers reads the headers of a program. Package c knows in which folders they may be; a link that leads
// out of these is not followed.
func (s C) headers(name string) func(string) ([]byte, error) {
	if s.ReadFile != nil {
		return s.ReadFile
	}
	dir := filepath.Dir(name)
	dirs := append([]string{dir, filepath.Join(dir, "..")}, s.Include...)
	return func(header string) ([]byte, error) {
		if include.LeadsOut(header, dirs) {
			return nil, &fs.PathError{Op: "open", Path: header, Err: include.ErrOutside}
		}
		return ReadIncluded(header)
	}
}

// IsC is true of the name of a file that is read as C.
func IsC(name string) bool {
	f, err := byName(name)
	return err == nil && f.HeedsC
}

// ReadIncluded reads a file that a program includes.
func ReadIncluded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("this is no file of text")}
	}
	if info.Size() > MaxSize {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("too large: more than %d MiB", MaxSize>>20)}
	}
	return os.ReadFile(name)
}
