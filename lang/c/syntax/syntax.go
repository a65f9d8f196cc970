// Package syntax reads the text of a C program: the text and the headers of its own go in, a [Tree]
// comes out, or a [program.Diagnostic] in our words that says what is wrong with the text.
//
// modernc.org/cc/v4 preprocesses and parses; the headers of the standard library are our own (headers.go). The parser
// hangs, panics or never has enough on some texts that are no C, and on some that are. These are found before it gets them
// (balance.go, contains.go, dangling.go, prefixes.go), or read otherwise (once.go, provided.go, defines.go), so that
// whoever has a tree has one of a program. Nobody else knows of files, folders and what the preprocessor calls them.
package syntax

import (
	"strings"

	"modernc.org/cc/v4"
	"modernc.org/token"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Options are what the preprocessor is told beside the text.
type Options struct {
	Defines []string // NAME or NAME=VALUE
	Include []string // folders to search for headers
	// ReadFile reads the headers of the program itself; nil: there are none.
	ReadFile func(name string) ([]byte, error)
	// Whole reads our headers whole, and not only what the text mentions: for messages, which may speak of the rest.
	Whole bool
}

// A Tree is what has been read. It is for one reader at a time, who may [Tree.Keep] it for the next.
type Tree struct {
	*cc.AST
	Weak []string // the names of which #pragma weak speaks
	// Packed are the structures of which #pragma pack speaks, and what their members are aligned to at most, in bytes.
	Packed map[*cc.StructOrUnionSpecifier]int64

	files *files
	key   treeKey
}

// Read is the tree of a program: one that is kept, or a new one.
func Read(src *program.Source, opts Options) (t *Tree, err error) {
	defer func() {
		if d, ok := err.(*program.Diagnostic); ok && d.Source != src && d.Pos.IsValid() {
			d.Pos.File = d.Source.Name
		}
	}()
	key := keyOf(src, opts)
	if t := takeTree(key); t != nil {
		t.files.opts, t.files.main = opts, src
		return t, nil
	}
	t, partial, err := read(src, opts, key)
	if err != nil && partial {
		opts.Whole = true
		t, _, err = read(src, opts, key)
	}
	return t, err
}

// read reads a program; partial is whether with parts of our headers alone.
func read(src *program.Source, opts Options, key treeKey) (t *Tree, partial bool, err error) {
	defer text.Recover(&err)
	defined := defines(src, opts)
	known := mentioned(src, opts, defined)
	partial = known != nil
	ast, files := parse(src, opts, defined, known)
	return &Tree{ast, files.weak, files.packedOf(ast), files, key}, partial, nil
}

// Partial is true of a tree that has parts of our headers.
func (t *Tree) Partial() bool { return t.files.known != nil }

// Source is the text of the program, with the headers of its own.
func (t *Tree) Source() *program.Source { return t.files.whole() }

// File is the text of the name that a position has; of the program itself for none.
func (t *Tree) File(name string) *program.Source {
	if name == "" {
		return t.files.main
	}
	return t.files.at(name)
}

// Mentions is true where the text of the program, or of a header of its own, has a word in it.
func (t *Tree) Mentions(word string) bool { return t.files.mention(word) }

// Locate is the position of a token, in the file that it stands in. What stands in our own headers
// has none.
func (t *Tree) Locate(p token.Position) program.Position {
	if p.Filename == t.files.main.Name {
		return program.Position{Line: p.Line, Col: p.Column}
	}
	if _, ok := t.files.text[p.Filename]; ok {
		return program.Position{Line: p.Line, Col: p.Column, File: unrooted(p.Filename)}
	}
	return program.Position{}
}

// Ours is true of what stands in a header of ours.
func Ours(p token.Position) bool { return strings.HasPrefix(p.Filename, systemDir+"/") }
