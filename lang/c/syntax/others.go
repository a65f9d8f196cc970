package syntax

import (
	"regexp"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
)

// A program may have a function of its own by a name that one of our headers declares another by, which the headers that it is made for do not: "remove" of a
// set, say. Then our headers do without that name.

// maxOthers bounds how many such functions a program may have, each of which takes another reading.
const maxOthers = 8

var otherType = text.NewPattern(`^(\S+?):\d+:\d+: conflicting types for '(\w+)', previous declaration at (\S+?):\d+:\d+:`)

// conflicting is the function of our headers that the first error is about, which the program has with another type, or "".
func (f *files) conflicting(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if m := otherType.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], systemDir+"/") && strings.HasPrefix(m[3], systemDir+"/") {
		return m[2]
	}
	return ""
}

// another reads the program again without those names in our headers, of which it has to define all. nil: that does not help.
func (f *files) another(err error, read func() (*cc.AST, error)) (ast *cc.AST) {
	for err != nil {
		name := f.conflicting(err)
		if name == "" || len(f.others) == maxOthers {
			f.others = nil
			return nil
		}
		f.others = append(f.others, name)
		ast, err = read()
	}
	defined := map[string]bool{}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		if d := l.ExternalDeclaration; d.Case == cc.ExternalDeclarationFuncDef {
			defined[d.FunctionDefinition.Declarator.Name()] = true
		}
	}
	for _, name := range f.others {
		if !defined[name] {
			f.others = nil
			return nil
		}
	}
	return ast
}

// withoutOthers is the text of a header of ours in which these functions have other names.
func (f *files) withoutOthers(header string) string {
	if len(f.others) == 0 {
		return header
	}
	names := regexp.MustCompile(`\b(?:` + strings.Join(f.others, "|") + `)\b`)
	return names.ReplaceAllString(header, "__fp_other_$0")
}
