package syntax

import (
	"regexp"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
)

// A program may have a function of its own by a name that one of our headers declares another by, which the headers that it is made for do not: "remove" of a
// set, say. Then our headers do without that name.

// maxOthers bounds how many such functions a program may have, each of which takes another reading.
const maxOthers = 8

var otherType = text.NewPattern(`^(\S+?):\d+:\d+: conflicting types for '(\w+)', previous declaration at (\S+?):\d+:\d+:`)

// conflicting is a function of our headers that an error is about, which the program has with another type, or, where there is no error, one that both define; "":
// there is none.
func (f *files) conflicting(ast *cc.AST, err error) string {
	ours := func(file string) bool { return strings.HasPrefix(file, systemDir+"/") }
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			if m := otherType.FindStringSubmatch(strings.TrimSpace(line)); m != nil && ours(m[1]) != ours(m[3]) {
				return m[2]
			}
		}
		return ""
	}
	first := map[string]bool{} // whether what is defined is ours
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		if d := l.ExternalDeclaration; d.Case == cc.ExternalDeclarationFuncDef {
			name, our := d.FunctionDefinition.Declarator.Name(), ours(d.Position().Filename)
			if was, twice := first[name]; twice && was != our {
				return name
			}
			first[name] = our
		}
	}
	return ""
}

// another reads the program again without those names in our headers, of which it has to define all. nil: that does not help.
func (f *files) another(ast *cc.AST, err error, read func() (*cc.AST, error)) *cc.AST {
	for name := f.conflicting(ast, err); name != ""; name = f.conflicting(ast, err) {
		if len(f.others) == maxOthers || slices.Contains(f.others, name) { // a macro has put it together
			f.others = nil
			return nil
		}
		f.others = append(f.others, name)
		ast, err = read()
	}
	if err != nil {
		f.others = nil
		return nil
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

// withoutOthers is the text of a header of ours in which these functions have other names: not the files and the types that are called like them.
func (f *files) withoutOthers(header string) string {
	if len(f.others) == 0 {
		return header
	}
	names := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include.*$|\b(?:struct|union|enum)\s+\w+|(?:\.|->)\s*[A-Za-z_]\w*|\b(?:` + strings.Join(f.others, "|") + `)\b`)
	return names.ReplaceAllStringFunc(header, func(found string) string {
		if slices.Contains(f.others, found) {
			return "__fp_other_" + found
		}
		return found
	})
}
