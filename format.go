package fencepost

import (
	"io"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// Layout reads a text, whose name has an extension or is [Stdin], and returns it with what it
// is when it is laid out as usual. The text must be a program by its grammar, or a file that programs include,
// and is of IMP. The error is a [Diagnostic].
//
// Of the options only what [ReadC] says of the files that it includes is of interest.
func Layout(name string, r io.Reader, opts ...Option) (was, is string, err error) {
	src, err := lang.ReadSource(name, r)
	if err != nil {
		return "", "", err
	}
	is, err = lang.Format(src, collect(opts).reading())
	return src.Text, is, err
}

// LayoutFile is [Layout] of a file.
func LayoutFile(path string, opts ...Option) (was, is string, err error) {
	src, err := lang.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	is, err = lang.Format(src, collect(opts).reading())
	return src.Text, is, err
}

// A Declaration is where a name of a text is introduced.
type Declaration = program.Declaration

// Outline lists the names that a text declares, in its order, and those of the files that it includes;
// none where the language is not IMP. Of the options only what [ReadC] says of files is of interest. The
// error is a [Diagnostic].
func Outline(name, text string, opts ...Option) ([]Declaration, error) {
	return lang.Outline(&program.Source{Name: name, Text: text}, collect(opts).reading())
}

// Fragment is whether a text of IMP is no program but one that programs include, which cannot be
// checked by itself.
func Fragment(name, text string) bool {
	return lang.Fragment(&program.Source{Name: name, Text: text})
}

// FragmentFile is [Fragment] of a file; one that cannot be read is none.
func FragmentFile(path string) bool {
	if !lang.HasFragments(path) {
		return false
	}
	src, err := lang.ReadFile(path)
	return err == nil && lang.Fragment(src)
}

// Unsaved has these texts in the place of the files of these names, where a program includes them.
func Unsaved(texts map[string]string) Option {
	return func(o *Options) {
		o.C.ReadFile = func(name string) ([]byte, error) {
			if text, ok := texts[name]; ok {
				return []byte(text), nil
			}
			return lang.ReadIncluded(name)
		}
	}
}
