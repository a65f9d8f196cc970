package syntax

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// asyncLabel begins the labels of CBMC whose statements are executed by new threads.
const asyncLabel = "__CPROVER_ASYNC_"

// ownLabels is a text in which such labels differ within a function, as labels do in C, but need not to CBMC. They stay as long as they are, so that what comes
// after them is in its column.
func ownLabels(text string) string {
	if strings.Count(text, asyncLabel) < 2 {
		return text
	}
	b := []byte(text)
	all, used, depth := map[string]bool{}, map[string]bool{}, 0
	words(text, func(from, to int) { all[text[from:to]] = true })
	words(text, func(from, to int) {
		switch w := text[from:to]; {
		case w == "{":
			depth++
		case w == "}":
			if depth--; depth == 0 {
				clear(used)
			}
		case strings.HasPrefix(w, asyncLabel) && len(w) > len(asyncLabel):
			if !used[w] {
				used[w] = true
				return
			}
			const ends = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			for _, end := range ends {
				if own := w[:len(w)-1] + string(end); !all[own] && !used[own] {
					used[own] = true
					copy(b[from:], own)
					return
				}
			}
		}
	})
	return string(b)
}

// labelledTwice finds a label that its function has twice, for which the parser has no message. nil: there is none.
func (f *files) labelledTwice(ast *cc.AST) (found *program.Diagnostic) {
	for t := ast.TranslationUnit; t != nil && found == nil; t = t.TranslationUnit {
		labels := map[string]bool{}
		Walk(t.ExternalDeclaration, func(n cc.Node) bool {
			if n, ok := n.(*cc.LabeledStatement); ok && n.Case == cc.LabeledStatementLabel && found == nil {
				if name := n.Token.SrcStr(); labels[name] {
					pos := n.Position()
					found = &program.Diagnostic{Source: f.at(pos.Filename), Pos: program.Position{Line: pos.Line, Col: pos.Column}, Msg: "the label " + name + " is there twice in one function"}
				} else {
					labels[name] = true
				}
			}
			return found == nil
		})
	}
	return found
}
