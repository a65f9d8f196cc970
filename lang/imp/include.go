package imp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Limits on what is included.
const (
	maxIncludes = 32       // files that include one another
	maxIncluded = 16 << 20 // bytes of all files that are included
)

// An Include reads a file that a text includes, by the name that stands in the file from.
type Include func(from, name string) (*program.Source, error)

// A reading is how far a file has been read, while one is read that it includes.
type reading struct {
	src, tree *program.Source
	lex       *text.Lexer
	tok, last token
	ahead     []token
	file      string
	sources   []*program.Source
}

// included = "include" string [";"] .
//
// What stands in the file takes the place of the line. A file is read once, however often it is named:
// its names would be declared twice.
func (p *parser) included(f *file) {
	p.advance()
	if p.tok.Kind != tokenString {
		p.unexpected("the name of a file in double quotes", "")
	}
	name := p.advance()
	p.accept(";")
	found := p.find(name)
	file := filepath.Clean(found.Name)
	if i := slices.Index(p.within, file); i >= 0 {
		p.fail(name.Pos, "", "%s includes itself: %s", filepath.Base(file), chain(append(p.within[i:], file)))
	}
	if p.entered[file] {
		p.sources = append(p.sources, &program.Source{Name: found.Name})
		return
	}
	if len(p.within) > maxIncludes {
		p.fail(name.Pos, "", "more than %d files that include one another", maxIncludes)
	}
	if p.size += len(found.Text); p.size > maxIncluded {
		p.fail(name.Pos, "", "more than %d MiB are included", maxIncluded>>20)
	}
	p.entered[file] = true
	p.within = append(p.within, file)
	in, outer, lists := &program.Source{Name: found.Name, Text: found.Text}, p.reading, len(p.lists)
	defer func() {
		x := recover()
		if f, ok := x.(text.Failure); ok && f.Source == in {
			f.Pos.File = in.Name // its words say no more than the line
		}
		if x != nil {
			panic(x)
		}
	}()
	p.reading = reading{src: in, tree: found, lex: newLexer(in), file: found.Name}
	p.advance()
	if p.tok.Is("program") {
		p.fail(p.tok.Pos, "a file to include begins with "+strings.Join(strings.Fields(itemWords), ", "), "this is a program of its own")
	}
	p.items(f)
	in.Included = p.sources
	p.reading = outer
	p.sources = append(p.sources, in)
	p.lists = p.lists[:lists] // nothing is put into other files
	p.within = p.within[:len(p.within)-1]
}

// find is the file of that name: the one that was read before, where the source knows.
func (p *parser) find(name token) *program.Source {
	if k := len(p.sources); k < len(p.tree.Included) {
		return p.tree.Included[k]
	}
	if p.include == nil {
		p.fail(name.Pos, "", "there are no files to include here")
	}
	found, err := p.include(p.src.Name, name.Text)
	if err != nil {
		p.fail(name.Pos, "", "cannot include %s: %v", strconv.Quote(name.Text), err)
	}
	return found
}

// chain is how files include one another.
func chain(files []string) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = filepath.Base(f)
	}
	return strings.Join(names, " includes ")
}

// Fragment is whether a text is no program but one that programs include: it begins as such a one does.
func Fragment(src *program.Source) (is bool) {
	defer func() {
		if recover() != nil {
			is = false // it is not even words
		}
	}()
	t := newLexer(src).Next()
	return t.Kind == tokenKeyword && slices.Contains(strings.Fields(itemWords), t.Text)
}

// last is the one to use; nil: none.
func last(include []Include) Include {
	if n := len(include); n > 0 {
		return include[n-1]
	}
	return nil
}

// tree is the syntax of a program, or of a file that programs include, and the source with what it
// includes itself.
func tree(src *program.Source, include Include) (*file, *program.Source) {
	p := newParser(src, include)
	read := p.program
	if Fragment(src) {
		read = p.fragment
	}
	return read(), p.whole()
}

// whole is the source that has been read, with what it includes.
func (p *parser) whole() *program.Source {
	if len(p.sources) == 0 {
		return p.src
	}
	return &program.Source{Name: p.src.Name, Text: p.src.Text, Included: p.sources}
}

// spot is a place as hints name it.
func spot(at program.Position) string {
	if at.File != "" {
		return fmt.Sprintf("%s:%d:%d", filepath.Base(at.File), at.Line, at.Col)
	}
	return fmt.Sprintf("%d:%d", at.Line, at.Col)
}
