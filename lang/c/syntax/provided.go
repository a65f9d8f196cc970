package syntax

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
)

// A program that was preprocessed with the headers of a machine, or that declares what it calls by itself, has functions of the
// library without the definitions that our headers have for some. It gets those that it may call.

var (
	inlineFunction = text.NewPattern(`(?m)^static inline (.*?\b(\w+)\(.*\) \{(?:.*\}$|\n(?:[^}\n].*\n)*\}$))`)
	identifiers    = text.NewPattern(`\b[A-Za-z_]\w*\b`)
	ourFunctions   map[string]string
	findOurs       sync.Once
)

// PointedTo is before the names of functions of ours that do what the ones with the rest of the name do, which need no definition, where
// these are called through pointers.
const PointedTo = "__fp_pointer_"

// ours are the functions that our headers define.
func ours() map[string]string {
	findOurs.Do(func() {
		ourFunctions = map[string]string{}
		err := fs.WalkDir(headers, "include", func(name string, d fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".h" {
				return err
			}
			b, err := headers.ReadFile(name)
			for _, m := range inlineFunction.FindAllStringSubmatch(string(b), -1) {
				ourFunctions[m[2]] = strings.ReplaceAll(m[1], "size_t", "unsigned long") + "\n"
			}
			return err
		})
		if err != nil {
			panic(err)
		}
	})
	return ourFunctions
}

// provided is the definitions of functions of the library that a program declares and may call, or "". The text is what has been
// preprocessed.
func provided(ast *cc.AST, text string) string {
	declared, defined := map[string]bool{}, map[string]bool{}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		switch d := l.ExternalDeclaration; {
		case d.Case == cc.ExternalDeclarationFuncDef:
			defined[d.FunctionDefinition.Declarator.Name()] = true
		case d.Case == cc.ExternalDeclarationDecl && d.Declaration.Case == cc.DeclarationDecl:
			for l := d.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
				declared[l.InitDeclarator.Declarator.Name()] = true
			}
		}
	}
	var work []string
	for name := range ours() {
		if plain := strings.TrimPrefix(name, PointedTo); declared[plain] && !defined[plain] {
			work = append(work, name)
		}
	}
	if len(work) == 0 {
		return ""
	}
	times, values := map[string]int{}, map[string]bool{}
	for _, at := range identifiers.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		times[name]++
		if _, known := ours()[PointedTo+name]; known && !strings.HasPrefix(strings.TrimLeft(text[at[1]:min(at[1]+80, len(text))], " \t\r\n"), "(") {
			values[PointedTo+name] = true
		}
	}
	var b strings.Builder
	var define func(name string)
	define = func(name string) {
		if defined[name] {
			return
		}
		defined[name] = true
		for _, other := range identifiers.FindAllString(ours()[name], -1) {
			if ours()[other] != "" {
				define(other)
			}
		}
		b.WriteString(ours()[name])
	}
	slices.Sort(work)
	for _, name := range work {
		if times[name] > 1 || values[name] {
			define(name)
		}
	}
	return b.String()
}
