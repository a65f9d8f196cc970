package lang

import (
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/program"
)

func litmusTests() frontEnd {
	return frontEnd{
		Name:           "litmus tests",
		Extensions:     []string{".litmus"},
		Parse:          func(src *program.Source, _ map[string]int64, _ C) (*program.Program, error) { return litmus.Parse(src) },
		NoConstants:    "a litmus test",
		Sites:          func(p *program.Program) []program.Site { return litmus.Sites(p.Source) },
		Fences:         func(p *program.Program) []program.Site { return litmus.Fences(p.Source) },
		Strengthenings: func(p *program.Program) ([]program.Strengthening, error) { return litmus.Strengthenings(p.Source) },
	}
}
