package fencepost

import (
	"io"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// Layout reads a text, whose name has an extension or is [Stdin], and returns it with what it
// is when it is laid out as usual. The text must be a program by its grammar, and is of IMP.
// The error is a [Diagnostic].
func Layout(name string, r io.Reader) (was, is string, err error) {
	src, err := lang.ReadSource(name, r)
	if err != nil {
		return "", "", err
	}
	is, err = lang.Format(src)
	return src.Text, is, err
}

// LayoutFile is [Layout] of a file.
func LayoutFile(path string) (was, is string, err error) {
	src, err := lang.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	is, err = lang.Format(src)
	return src.Text, is, err
}

// A Declaration is where a name of a text is introduced.
type Declaration = program.Declaration

// Outline lists the names that a text declares, in its order; none where the language is not
// IMP. The error is a [Diagnostic].
func Outline(name, text string) ([]Declaration, error) {
	return lang.Outline(&program.Source{Name: name, Text: text})
}
