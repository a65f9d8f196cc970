package lang

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// Format is the text as it is usually laid out. The error is a [program.Diagnostic].
func Format(src *program.Source, settings ...C) (string, error) {
	f, err := byName(src.Name)
	if err != nil {
		return "", err
	}
	if f.Format == nil {
		return "", diagnose(src.Name, fmt.Sprintf("there is no layout for %s", f.Name), "IMP programs are laid out: FILE.imp")
	}
	return f.Format(src, last(settings))
}

// Outline lists the names that a text declares; none where its language does not say.
func Outline(src *program.Source, settings ...C) ([]program.Declaration, error) {
	f, err := byName(src.Name)
	if err != nil || f.Outline == nil {
		return nil, err
	}
	return f.Outline(src, last(settings))
}
