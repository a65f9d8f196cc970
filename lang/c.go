package lang

import (
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

func cPrograms() frontEnd {
	return frontEnd{Name: "C", Extensions: []string{".c"}, Parse: parseC,
		Sites: func(p *program.Program) []program.Site {
			return c.Sites(p.Source, c.Options{ReadFile: readHeader})
		},
		Fences: func(p *program.Program) []program.Site { return c.Fences(p.Source) }}
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
