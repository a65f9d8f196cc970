package lang

import (
	"errors"
	"io/fs"

	"github.com/fencepost-verifier/fencepost/internal/include"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/program"
)

func impFrontEnd() frontEnd {
	return frontEnd{
		Name:       "IMP",
		Extensions: []string{".imp"},
		Parse: func(src *program.Source, defines map[string]int64, s C) (*program.Program, error) {
			return imp.Parse(src, defines, s.including(src.Name))
		},
		Format: func(src *program.Source, s C) (string, error) { return imp.Format(src, s.including(src.Name)) },
		Outline: func(src *program.Source, s C) ([]program.Declaration, error) {
			return imp.Outline(src, s.including(src.Name))
		},
		Sites:     func(p *program.Program) []program.Site { return imp.Sites(p.Source) },
		Fences:    func(p *program.Program) []program.Site { return imp.Fences(p.Source) },
		Exchanges: func(p *program.Program) []program.Site { return imp.Exchanges(p.Source) },
	}
}

// including finds the files that a program includes, and those that they include: below its folder, or
// below those that are named for it.
func (s C) including(root string) imp.Include {
	read := s.ReadFile
	if read == nil {
		read = ReadIncluded
	}
	return func(from, name string) (*program.Source, error) {
		if name == "" {
			return nil, errors.New("the name of the file is empty")
		}
		text, file, err := include.Find(include.Beside(from, name), name, s.Include, read, include.Below(root, s.Include))
		var pe *fs.PathError
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, errors.New("there is no such file (it is looked for beside the file that names it, and in the folders of --include)")
		case errors.As(err, &pe):
			return nil, pe.Err
		case err != nil:
			return nil, err
		}
		return &program.Source{Name: file, Text: string(text)}, nil
	}
}

// HasFragments is whether a file of that name can be what [Fragment] says.
func HasFragments(name string) bool {
	f, err := byName(name)
	return err == nil && f.Name == "IMP"
}

// Fragment is whether a text of IMP is no program but one that programs include.
func Fragment(src *program.Source) bool {
	return HasFragments(src.Name) && imp.Fragment(src)
}
