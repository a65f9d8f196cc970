package lang

import (
	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/program"
)

// Sites are where a fence can be put into the source of p.
func Sites(p *program.Program) []program.Site {
	switch language(p) {
	case "IMP":
		return imp.Sites(p.Source)
	case "automata":
		return asm.Sites(p)
	case "C":
		return nil
	}
	return litmus.Sites(p.Source)
}

// Fences are the full fences of p's source that can be taken out.
func Fences(p *program.Program) []program.Site {
	switch language(p) {
	case "IMP":
		return imp.Fences(p.Source)
	case "automata":
		return asm.Fences(p)
	case "C":
		return nil
	}
	return litmus.Fences(p.Source)
}

// Exchanges are the stores of p's source of which an exchange can be made: the
// assignments of IMP.
func Exchanges(p *program.Program) []program.Site {
	if language(p) == "IMP" {
		return imp.Exchanges(p.Source)
	}
	return nil
}

func language(p *program.Program) string {
	f, err := byName(p.Source.Name)
	if err != nil {
		return ""
	}
	return f.name
}
