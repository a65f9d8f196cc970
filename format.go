package fencepost

import (
	"io"

	"github.com/fencepost-verifier/fencepost/lang"
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
