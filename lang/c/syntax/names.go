package syntax

import (
	"bytes"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Most of what is not known in a program of C is a header that it forgets to include.

// Suggest is what to do about a name that is not known.
func Suggest(name string, known []string) string {
	if h := headerOf(name); h != "" {
		return "#include <" + h + "> declares it"
	}
	return text.DidYouMean(name, known)
}

// headerOf is the header of the standard library that declares the name, or "".
func headerOf(name string) string {
	const members = `\{(?:[^{}\n]|\{[^{}\n]*\})*\}` // which a header declares for no one else
	var found string
	declares := regexp.MustCompile(`(?m)^#define ` + name + `\b|^(typedef\b(?:[^{}\n]|` + members + `)*[ *]|\} )` + name + `[;[]|^typedef .*\(\*` + name + `\)|^[^#\n]*[ *]` + name + `\(.*\)( \{.*\}|;)|^enum \{.*[ ,]` + name + `\b`)
	for _, dir := range []string{".", "sys", "linux"} {
		files, err := fs.ReadDir(headers, strings.TrimSuffix("include/"+dir, "/."))
		if err != nil {
			panic(err)
		}
		for _, file := range files {
			h := strings.TrimPrefix(dir+"/"+file.Name(), "./")
			if file.IsDir() || slices.Contains([]string{"fencepost.h", "gnu.h", "genmc.h", "dat3m.h", "lkmm.h"}, h) {
				continue
			}
			b, err := headers.ReadFile("include/" + h)
			if err != nil {
				panic(err)
			}
			if found == "" && bytes.Contains(b, []byte(name)) && declares.Match(b) {
				found = h
			}
		}
	}
	return found
}

// beforeName is where a word stands that can only be a type: at the beginning of a declaration.
var (
	lastWord    = text.NewPattern(`([A-Za-z_]\w*)\s*$`)
	castTo      = text.NewPattern(`\(\s*(?:const\s+)?([A-Za-z_]\w*)[\s*]*\*\s*$`)
	declaration = text.NewPattern(`(^|[;{}(,]|\*/|\b(static|extern|const|volatile|typedef|inline|register|_Atomic|__thread))\s*$`)
	noTypes     = text.NewPattern(`^(auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|_\w+)$`)
)

// unknownType is the error about a name in the place of a type that stands before what the parser did not
// expect, or nil.
func unknownType(src *program.Source, pos program.Position) *program.Diagnostic {
	line := src.Line(pos.Line)
	if pos.Col < 1 || pos.Col > len(line) {
		return nil
	}
	if m := castTo.FindStringSubmatchIndex(line[:pos.Col-1]); m != nil && line[pos.Col-1] == ')' {
		if name := line[m[2]:m[3]]; !noTypes.MatchString(name) {
			return noType(src, program.Position{Line: pos.Line, Col: m[2] + 1}, name)
		}
	}
	m := lastWord.FindStringSubmatchIndex(line[:pos.Col-1])
	if m == nil {
		return nil
	}
	name, before := line[m[2]:m[3]], line[:m[2]]
	for l := pos.Line - 1; l > 0 && strings.TrimSpace(before) == ""; l-- {
		if before = src.Line(l); strings.HasPrefix(strings.TrimSpace(before), "#") {
			before = "" // what the preprocessor reads is no part of a declaration
			break
		}
	}
	if noTypes.MatchString(name) || !declaration.MatchString(strings.TrimSpace(before)) {
		return nil
	}
	return noType(src, program.Position{Line: pos.Line, Col: m[2] + 1}, name)
}

// noType is the error about a name of no type.
func noType(src *program.Source, pos program.Position, name string) *program.Diagnostic {
	return &program.Diagnostic{Source: src, Pos: pos, Msg: "there is no type " + name, Hint: Suggest(name, typeNames(src.Text))}
}

// named is where a text names a type: at the end of a typedef.
var named = text.NewPattern(`(?m)\btypedef\b[^;{}()]*\b(\w+)\s*(?:\[[^\]]*\]\s*)?;|\}\s*(\w+)\s*;`)

// typeNames are types that a program may mean: its own, those of our headers, and those of C that are one word.
func typeNames(program string) []string {
	known := []string{"char", "double", "float", "int", "long", "short", "signed", "unsigned", "void"}
	add := func(text string) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if name := m[1] + m[2]; !strings.HasPrefix(name, "__") {
				known = append(known, name)
			}
		}
	}
	err := fs.WalkDir(headers, "include", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := headers.ReadFile(path)
		add(string(b))
		return err
	})
	if err != nil {
		panic(err)
	}
	add(program)
	slices.Sort(known)
	return slices.Compact(known)
}
