package lang

import (
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/program"
)

func impFrontEnd() frontEnd {
	return frontEnd{
		Name:       "IMP",
		Extensions: []string{".imp"},
		Parse:      imp.Parse,
		Format:     imp.Format,
		Outline:    imp.Outline,
		Sites:      func(p *program.Program) []program.Site { return imp.Sites(p.Source) },
		Fences:     func(p *program.Program) []program.Site { return imp.Fences(p.Source) },
		Exchanges:  func(p *program.Program) []program.Site { return imp.Exchanges(p.Source) },
	}
}
