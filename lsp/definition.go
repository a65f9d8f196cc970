package lsp

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

type placeParams struct {
	Document documentID `json:"textDocument"`
	Position position   `json:"position"`
}

// outline is what the text declares, and what it includes. Of a text that is no program at the moment it is
// nothing, or, of C, what it was to include when it was one.
func (d *document) outline() []fencepost.Declaration {
	if filepath.Ext(d.name) == ".imp" {
		all, _ := fencepost.Outline(d.name, d.text, d.unsaved())
		return all
	}
	if first := strings.Fields(d.text); filepath.Ext(d.name) == ".litmus" && (len(first) == 0 || first[0] != "C") {
		return nil // instructions declare nothing
	}
	all := outlineC(d.text)
	for _, src := range d.included {
		for _, x := range outlineC(src.Text) {
			x.Source, x.Pos.File = src, src.Name
			all = append(all, x)
		}
	}
	return all
}

// own is the part of the outline that stands in the text itself.
func (d *document) own() []fencepost.Declaration {
	return slices.DeleteFunc(d.outline(), func(x fencepost.Declaration) bool { return x.Pos.File != "" })
}

// where is the place of a declaration.
func (d *document) where(x fencepost.Declaration) location {
	if x.Pos.File != "" && x.Source != nil {
		return elsewhere(x.Source, x.Pos)
	}
	return location{d.uri, d.at(x.Pos)}
}

// includedAt is the file that the line at a position includes by the name there.
func (d *document) includedAt(p position) (src *fencepost.Source, ok bool) {
	m := includeLine.FindStringSubmatchIndex(d.line(p.Line))
	if m == nil {
		return nil, false
	}
	line := d.line(p.Line)
	if at := column(line, p.Character); at < m[2] || at > m[3] {
		return nil, false
	}
	name := "/" + line[m[2]:m[3]]
	for _, src := range d.included {
		if strings.HasSuffix("/"+filepath.ToSlash(src.Name), name) {
			return src, true
		}
	}
	return nil, false
}

var includeLine = text.NewPattern(`^\s*#?\s*include\s*"(?:\./)?([^"]*)"`)

// declared is the declaration that a name means at a line, counted from 1: that of its process, or one that
// all know.
func (d *document) declared(name string, line int) (found fencepost.Declaration, ok bool) {
	for _, x := range d.outline() {
		inside := x.Pos.File == "" && x.Inside != "" && x.From <= line && line <= x.To
		switch {
		case x.Name != name || x.Inside != "" && !inside && x.Kind != "label":
		case inside:
			return x, true
		case !ok || found.Kind == "label" && x.Kind != "label":
			found, ok = x, true // a label of another process is one that a property names
		}
	}
	return found, ok
}

func (s *server) definition(p placeParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	if src, ok := d.includedAt(p.Position); ok {
		return location{URI: fileURI(src.Name)}, nil
	}
	name, _ := d.word(p.Position)
	x, ok := d.declared(name, p.Position.Line+1)
	if name == "" || !ok {
		return nil, nil
	}
	return d.where(x), nil
}

// The kinds of symbols of the protocol.
var symbolKinds = map[string]int{
	"constant": 14, "shared variable": 13, "local variable": 13, "parameter": 13, "index": 14,
	"process": 5, "procedure": 12, "function": 12, "variable": 13, "macro": 14, "label": 20,
}

func (s *server) symbols(p documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	all := []any{}
	for _, x := range d.own() {
		all = append(all, map[string]any{"name": x.Name, "kind": symbolKinds[x.Kind], "containerName": x.Inside,
			"location": location{d.uri, d.at(x.Pos)}})
	}
	return all, nil
}

// outlineC finds functions, variables and macros of C by how they look: a name behind a word, at
// the level of the file, before what ends a declarator. That is right for nearly all of C, needs
// no headers, and works while the text is being changed.
func outlineC(src string) (all []fencepost.Declaration) {
	depth, prev, word := 0, "", ""
	var at program.Position
	line, bol := 1, 0
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			line++
			bol = i + 1
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(src[i:], "//"), c == '#' && strings.TrimSpace(src[bol:i]) == "":
			end := strings.IndexByte(src[i:], '\n')
			if end < 0 {
				end = len(src) - i
			}
			if rest, ok := strings.CutPrefix(strings.Join(strings.Fields(src[i:i+end]), " "), "#define "); ok {
				if n := text.Letters(rest); n > 0 {
					all = append(all, fencepost.Declaration{Name: rest[:n], Kind: "macro", Pos: program.Position{Line: line, Col: 1 + i - bol + strings.Index(src[i:i+end], rest[:n])}})
				}
			}
			i += end
			continue
		case strings.HasPrefix(src[i:], "/*"):
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return all
			}
			line += strings.Count(src[i:i+2+end], "\n")
			if nl := strings.LastIndexByte(src[i:i+2+end], '\n'); nl >= 0 {
				bol = i + nl + 1
			}
			i += end + 4
			continue
		case text.IsLetter(c) || text.IsDigit(c):
			n := text.Letters(src[i:])
			if depth == 0 {
				prev, word = word, src[i:i+n]
				at = program.Position{Line: line, Col: i - bol + 1}
			}
			i += n
			continue
		}
		if depth == 0 && word != "" && prev != "" && strings.IndexByte("(=;,[", c) >= 0 && !text.IsDigit(word[0]) {
			kind := "variable"
			if c == '(' {
				kind = "function"
			}
			all = append(all, fencepost.Declaration{Name: word, Kind: kind, Pos: at})
		}
		switch c {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth = max(depth-1, 0)
		case ';':
			if depth == 0 {
				prev, word = "", ""
			}
		case ',':
			if depth == 0 {
				word = "," // the next name is of the same declaration
			}
		case '"', '\'':
			for i++; i < len(src) && src[i] != c && src[i] != '\n'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			if i < len(src) && src[i] == '\n' {
				continue
			}
		}
		i++
	}
	return all
}
