package lang

import (
	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/program"
)

func automata() frontEnd {
	return frontEnd{
		Name:        "automata",
		Extensions:  []string{".txt", ".asm"},
		Parse:       func(src *program.Source, _ map[string]int64, _ C) (*program.Program, error) { return asm.Parse(src) },
		NoConstants: "an automaton",
		Sites:       asm.Sites,
		Fences:      asm.Fences,
	}
}
