package syntax

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Four fifths of the time that it takes to read the text of a small program would go to our headers, of which it needs a few lines. So where all that a
// program includes is ours it gets of them what its text mentions, and what these lines mention in turn: functions, macros and enumerations that
// nobody names make no difference. Lines keep their numbers. Where a program cannot be read so, its headers are read whole, for what a message
// says of them ([Options.Whole]).

// A piece of a header is a definition of a macro, a declaration, a function, or another line.
type piece struct {
	first, last int      // lines, from 0
	names       []string // what it is for; none: it is always there
	mentions    []string
}

// alwaysDeclared are names that package c asks for though no text has them: whether a type is the library's is told by a function that works on it,
// whether abort is an error by what else the program may call, and input and the arguments of main are read by functions of ours.
var alwaysDeclared = []string{
	"pthread_create", "pthread_mutexattr_init", "pthread_mutex_lock", "pthread_cond_wait", "pthread_rwlock_rdlock", "pthread_spin_lock",
	"pthread_barrier_wait", "pthread_once", "mtx_lock", "cnd_wait", "call_once", "sem_wait",
	"reach_error", "__VERIFIER_error", "assume_abort_if_not", "strtol", "__fp_getopt",
}

var (
	ownInclude   = text.NewPattern(`(?m)^[ \t]*#[ \t]*include\b[ \t]*(.*)`)
	plainInclude = text.NewPattern(`^<([\w/.]+)>\s*(?:/[/*].*)?$`)
	declarator   = text.NewPattern(`(\w+)[ \t]*$`)
	enumeration  = text.NewPattern(`^enum (?:\w+ )?\{[^{}]*\};$`)
	anyAttribute = text.NewPattern(`__attribute__\s*\(\(.*?\)\)`)
	specifiers   = text.NewPattern(`^(?:_Noreturn |extern )+`)
)

// ourPieces are the pieces of our headers, by their names below systemDir, and uses is what is mentioned where a name is declared.
var ourPieces = sync.OnceValues(func() (pieces map[string][]piece, uses map[string][]string) {
	pieces, uses = map[string][]piece{}, map[string][]string{}
	err := fs.WalkDir(headers, "include", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".h" {
			return err
		}
		b, err := headers.ReadFile(name)
		ps := piecesOf(string(b))
		pieces[strings.TrimPrefix(name, "include/")] = ps
		for _, p := range ps {
			for _, n := range p.names {
				uses[n] = append(uses[n], p.mentions...)
				if plain, is := strings.CutPrefix(n, PointedTo); is {
					uses[plain] = append(uses[plain], n)
				}
			}
			if len(p.names) == 0 {
				uses[""] = append(uses[""], p.mentions...)
			}
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return pieces, uses
})

// piecesOf divides a header. What it does not know it leaves there.
func piecesOf(header string) []piece {
	pastes := strings.Contains(header, "##") // names that nobody sees
	lines := strings.Split(header, "\n")
	var ps []piece
	for i := 0; i < len(lines); i++ {
		p := piece{first: i}
		line := strings.TrimSpace(lines[i])
		switch {
		case strings.HasPrefix(line, "/*"):
			for !strings.Contains(lines[i], "*/") && i+1 < len(lines) {
				i++
			}
		case strings.HasPrefix(line, "#"):
			for strings.HasSuffix(lines[i], `\`) && i+1 < len(lines) {
				i++
			}
			if rest, is := strings.CutPrefix(line, "#define "); is && !pastes {
				p.names = []string{namesIn(rest)[0]}
			}
		case line != "":
			for open := nesting(lines[i]); (open > 0 || !strings.HasSuffix(lines[i], ";") && !strings.HasSuffix(lines[i], "}")) && i+1 < len(lines); {
				i++
				open += nesting(lines[i])
			}
			if !pastes {
				p.names = declaredIn(strings.Join(lines[p.first:i+1], "\n"))
			}
		}
		p.last = i
		p.mentions = namesIn(strings.Join(lines[p.first:i+1], "\n"))
		ps = append(ps, p)
	}
	return ps
}

func nesting(line string) int {
	return strings.Count(line, "{") + strings.Count(line, "(") - strings.Count(line, "}") - strings.Count(line, ")")
}

// namesIn are the names in a text, with those of its directives, comments and literals.
func namesIn(text string) []string {
	var names []string
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && (letter(text[i]) || '0' <= text[i] && text[i] <= '9') {
			i++
		}
		if from < i && letter(text[from]) {
			names = append(names, text[from:i])
		}
	}
	return names
}

// declaredIn are the functions that a declaration or a definition is of, or the constants of an enumeration; none where it is another one.
func declaredIn(text string) []string {
	if enumeration.MatchString(text) {
		return namesIn(text[strings.Index(text, "{"):])
	}
	text = specifiers.ReplaceAllString(anyAttribute.ReplaceAllString(text, ""), "")
	if strings.HasPrefix(text, "typedef ") || strings.HasPrefix(text, "_Static_assert") || strings.Index(text, "(") == strings.Index(text, "(*") {
		return nil
	}
	var names []string
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			if depth == 0 {
				m := declarator.FindStringSubmatch(text[:i])
				if m == nil {
					return nil
				}
				names = append(names, m[1])
			}
			depth++
		case ')':
			depth--
		case '{':
			if depth == 0 { // a function; else it has members
				if len(names) != 1 {
					return nil
				}
				return names
			}
		case ',':
			if depth == 0 && len(names) == 0 { // it declares something else as well
				return nil
			}
		}
	}
	return names
}

// mentioned is what a program gets of our headers, or nil: all.
func mentioned(src *program.Source, opts Options, defines string) map[string]bool {
	if opts.Whole || strings.Contains(src.Text, "##") || strings.Contains(defines, "##") || strings.Contains(src.Text, "%:") || strings.Contains(src.Text, "??") {
		return nil // names are made, or the directives have other forms
	}
	pieces, uses := ourPieces()
	for _, m := range ownInclude.FindAllStringSubmatch(src.Text, -1) {
		name := plainInclude.FindStringSubmatch(m[1])
		if name == nil {
			return nil
		}
		if _, ours := bare[name[1]]; !ours && pieces[name[1]] == nil || opts.ReadFile != nil && replaceable(name[1]) {
			return nil
		}
	}
	known := maps.Clone(alwaysKnown())
	reach(known, uses, slices.Concat(namesIn(src.Text), namesIn(defines)))
	return known
}

// alwaysKnown is what every program gets.
var alwaysKnown = sync.OnceValue(func() map[string]bool {
	_, uses := ourPieces()
	known := map[string]bool{}
	reach(known, uses, slices.Concat(namesIn(predefined), namesIn(typeofExpression), namesIn(localeHeader), alwaysDeclared, uses[""]))
	return known
})

// reach adds names to those that are known, with all that is mentioned where they are declared.
func reach(known map[string]bool, uses map[string][]string, names []string) {
	for len(names) > 0 {
		name := names[len(names)-1]
		names = names[:len(names)-1]
		if !known[name] {
			known[name] = true
			names = append(names, uses[name]...)
		}
	}
}

// part is what a program gets of one of our headers.
func part(header string, ps []piece, known map[string]bool) string {
	lines := strings.Split(header, "\n")
	for _, p := range ps {
		if len(p.names) > 0 && !slices.ContainsFunc(p.names, func(n string) bool { return known[n] }) {
			for i := p.first; i <= p.last; i++ {
				lines[i] = ""
			}
		}
	}
	return strings.Join(lines, "\n")
}
