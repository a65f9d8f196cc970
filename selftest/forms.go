package selftest

import (
	"iter"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// A subject is a text that is to be read and decided.
type subject struct {
	language string // as counts name it
	file     string // a name whose extension says the same
	text     string
	c        lang.C
	flags    string // by which the command reads it like that
	// alike is true of texts that mean the same as the others of the case, under SC at least.
	alike bool
	// fenced is true of a text that has the same behaviours under every model.
	fenced bool
	// safe is true of a text that violates nothing, under whatever model.
	safe bool
}

func (s *subject) parse() (*program.Program, error) {
	return lang.Parse(&program.Source{Name: s.file, Text: s.text}, nil, s.c)
}

// A source is what texts are made from, and what can be made smaller.
type source interface {
	subjects() []subject
	smaller() iter.Seq[source]
}

// trees is a tree in all languages that have words for it.
type trees struct {
	t *tree
	// only is the language to write it in; "": all.
	only   string
	fenced bool
}

// forms lists the languages of trees.
var forms = []struct {
	language, file string
	write          func(*tree) (string, bool)
	c              lang.C
	flags          string
}{
	{"imp", "T.imp", (*tree).imp, lang.C{}, ""},
	{"c", "T.c", (*tree).c, lang.C{}, ""},
	{"c11", "T.c", (*tree).c, lang.C{Orders: true}, "-m rc11"},
	{"litmus x86", "T.litmus", func(t *tree) (string, bool) { return t.litmus(&x86) }, lang.C{}, ""},
	{"litmus aarch64", "T.litmus", func(t *tree) (string, bool) { return t.litmus(&aarch64) }, lang.C{}, ""},
	{"litmus riscv", "T.litmus", func(t *tree) (string, bool) { return t.litmus(&riscv) }, lang.C{}, ""},
	{"litmus ppc", "T.litmus", func(t *tree) (string, bool) { return t.litmus(&power) }, lang.C{}, ""},
	{"litmus c11", "T.litmus", func(t *tree) (string, bool) { return t.cLitmus(c11) }, lang.C{}, ""},
	{"litmus lkmm", "T.litmus", func(t *tree) (string, bool) { return t.cLitmus(kernel) }, lang.C{}, ""},
}

func (s *trees) subjects() (all []subject) {
	t := s.t
	if s.fenced {
		t = t.fenced()
	}
	for _, f := range forms {
		if s.only != "" && s.only != f.language {
			continue
		}
		if text, ok := f.write(t); ok {
			all = append(all, subject{language: f.language, file: f.file, text: text, c: f.c, flags: f.flags, alike: true, fenced: s.fenced})
		}
	}
	return all
}

func (s *trees) smaller() iter.Seq[source] {
	return func(yield func(source) bool) {
		for t := range s.t.smaller() {
			if !yield(&trees{t, s.only, s.fenced}) {
				return
			}
		}
	}
}

// lines is a text that is made smaller line by line, whatever it says.
type lines struct{ subject }

func (s *lines) subjects() []subject { return []subject{s.subject} }

func (s *lines) smaller() iter.Seq[source] {
	return func(yield func(source) bool) {
		all := strings.Split(s.text, "\n")
		with := func(rest ...string) bool {
			c := s.subject
			c.text = strings.Join(rest, "\n")
			return yield(&lines{c})
		}
		for size := len(all) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(all); at += size {
				if !with(append(append([]string{}, all[:at]...), all[at+size:]...)...) {
					return
				}
			}
		}
		for i, line := range all {
			words := strings.Fields(line)
			for j, w := range words {
				if strings.Trim(w, "-0123456789") != "" || w == "0" || w == "1" || w == "-" {
					continue
				}
				for _, c := range []string{"0", "1"} {
					changed := append([]string{}, words...)
					changed[j] = c
					rest := append([]string{}, all...)
					rest[i] = strings.Join(changed, " ")
					if !with(rest...) {
						return
					}
				}
			}
			// Two states of an automaton become one.
			if len(words) > 3 && words[0] == "transition" && words[1] != words[2] {
				var rest []string
				for k, l := range all {
					if k == i {
						continue
					}
					ws := strings.Fields(l)
					for n := range ws {
						if ws[n] == words[2] {
							ws[n] = words[1]
						}
					}
					rest = append(rest, strings.Join(ws, " "))
				}
				if !with(rest...) {
					return
				}
			}
		}
	}
}
