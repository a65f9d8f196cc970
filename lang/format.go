package lang

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// Format is the text as it is usually laid out. The error is a [program.Diagnostic].
func Format(src *program.Source) (string, error) {
	f, err := byName(src.Name)
	if err != nil {
		return "", err
	}
	if f.Format == nil {
		return "", diagnose(src.Name, fmt.Sprintf("there is no layout for %s", f.Name), "IMP programs are laid out: FILE.imp")
	}
	return f.Format(src)
}
