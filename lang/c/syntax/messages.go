package syntax

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	errorPos      = text.NewPattern(`^(.+?):(\d+):(\d+): `)
	undefinedName = text.NewPattern(`^undefined(?: type name)?: (\w+)$`)
	wordPattern   = text.NewPattern(`[A-Za-z_]\w*`)
	pointerName   = text.NewPattern(`\*[\s*]*[A-Za-z_]\w*\s*$`)
	errorTail     = text.NewPattern(` ?\([a-z0-9_]+\.go:\d+:[^)]*\)`)
)

// noC is said where the parser has no word for what is wrong.
const noC = "this is not C as it is understood here"

// explain is the first useful one of the parser's messages, in our words.
func (f *files) explain(err error) *program.Diagnostic {
	var first *program.Diagnostic
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(errorTail.ReplaceAllString(line, ""))
		if line == "" {
			continue
		}
		d := &program.Diagnostic{Source: f.main}
		if m := errorPos.FindStringSubmatch(line); m != nil {
			line = line[len(m[0]):]
			l, _ := strconv.Atoi(m[2])
			col, _ := strconv.Atoi(m[3])
			d.Source, d.Pos = f.at(m[1]), program.Position{Line: l, Col: col}
		}
		if strings.Contains(line, "TODO") || strings.Contains(line, "missed/failed type check") {
			d.Msg = noC
			if first == nil {
				first = d
			}
			continue
		}
		if m := regexp.MustCompile(`^include file not found: (.*)$`).FindStringSubmatch(line); m != nil {
			m[1] = strings.ReplaceAll(m[1], root, "/")
			d.Msg = "there is no file " + m[1]
			d.Hint = "folders to search are given with --include; of the standard library there is what docs/c.md lists"
			if f.leadsOut(m[1]) {
				d.Msg = m[1] + " is outside of the folder of " + filepath.Base(f.main.Name)
				d.Hint = "name its folder with --include"
			}
			if strings.HasPrefix(m[1], "<") && !strings.Contains(m[1], ".h>") {
				d.Hint = plusPlus
			}
			return d
		}
		if first != nil && first.Msg != noC {
			continue // that is what is said, unless a file is missing
		}
		d.Msg = translate(line)
		if m := undefinedName.FindStringSubmatch(line); m != nil {
			d.Hint = Suggest(m[1], f.identifiers(d.Source, m[1]))
		}
		if strings.HasPrefix(line, "invalid character constant") {
			d.Msg, d.Hint = "not modelled: a constant of several characters", severalCharacters(d.Source.Line(d.Pos.Line), d.Pos.Col-1)
		}
		if strings.HasPrefix(line, "unexpected identifier") || strings.HasPrefix(line, "unexpected '*'") || strings.HasPrefix(line, "unexpected ')'") {
			if t := unknownType(d.Source, d.Pos); t != nil {
				d = t
			}
		}
		if strings.Contains(line, "LHS must be unary-expression") { // as in T *p = x; where there is no type T
			src, pos := d.Source, d.Pos
			if text := src.Line(pos.Line); pos.Col > 1 && pos.Col <= len(text) {
				if m := pointerName.FindStringSubmatchIndex(text[:pos.Col-1]); m != nil {
					if t := unknownType(src, program.Position{Line: pos.Line, Col: m[0] + 1}); t != nil {
						d = t
					}
				}
			}
		}
		first = d
	}
	if first == nil {
		first = &program.Diagnostic{Source: f.main, Msg: "cannot be parsed"}
	}
	if first.Msg == noC && !first.Pos.IsValid() || strings.Contains(first.Msg, "<invalid type>") {
		if at := infinite(f.main.Text); at >= 0 {
			first.Pos, first.Msg, first.Hint = positionOf(f.main.Text, at), "not modelled: a number that no double can hold", "write INFINITY, of math.h"
		}
	}
	if !first.Pos.IsValid() && f.about >= 0 {
		first.Pos = positionOf(f.main.Text, f.about)
	}
	if strings.HasPrefix(first.Msg, "internal error") {
		first.Msg = noC
	}
	if first.Hint == "" && plusPlusWords.MatchString(first.Source.Line(first.Pos.Line)) {
		first.Hint = plusPlus
	}
	return first
}

// infinite is where the first number of floating point stands that is too large for a double, which the parser has no place for; -1: there is none.
func infinite(text string) int {
	for _, m := range floatPattern.FindAllStringIndex(text, -1) {
		var wrong *strconv.NumError
		if _, err := strconv.ParseFloat(text[m[0]:m[1]], 64); errors.As(err, &wrong) && wrong.Err == strconv.ErrRange {
			return m[0]
		}
	}
	return -1
}

var floatPattern = text.NewPattern(`\b(0[xX][0-9a-fA-F.]+[pP][+-]?[0-9]+|[0-9][0-9.]*[eE][+-]?[0-9]+)`)

// severalCharacters says how a constant of several characters can be written: compilers take them for the digits of a number, from the
// highest one on. It is empty where one of them is not just itself.
func severalCharacters(line string, at int) string {
	m := plainCharacters.FindStringSubmatch(line[min(max(at, 0), len(line)):])
	if m == nil {
		return ""
	}
	return fmt.Sprintf("write %#x, which is what compilers make of it", m[1])
}

var plainCharacters = text.NewPattern(`^'([ -&(-\[\]-~]{2,4})'`)

// leadsOut is true of an #include, with its quotation marks, that says a whole name, goes up, or comes to a link, and so
// asked for what may not be read.
func (f *files) leadsOut(quoted string) bool {
	said := filepath.FromSlash(strings.Trim(quoted, "\"<>"))
	for name, link := range f.outside {
		if (link || !filepath.IsLocal(said)) && filepath.Base(name) == filepath.Base(said) {
			return true
		}
	}
	return false
}

// plusPlus is what is said of programs in another language.
const plusPlus = "this looks like C++, which is not read"

var plusPlusWords = text.NewPattern(`\b(class|namespace|template|using|public|private|nullptr|constexpr)\b|::`)

// identifiers are the words of a text but one.
func (f *files) identifiers(src *program.Source, but string) []string {
	var names []string
	for _, name := range wordPattern.FindAllString(src.Text, -1) {
		if name != but {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// translate says a message of the parser's in our words where it has a pattern.
func translate(msg string) string {
	for _, t := range [...]struct{ from, to string }{
		{`^unexpected '?eof'?.*`, "the text ends in the middle of a declaration"},
		{`^unexpected rune: '\\n'$`, "a name or a text that is not closed on its line"},
		{`^unexpected 'typeof', expected type specifier$`, "not modelled: typeof of a type that begins with const, volatile or _Atomic"},
		{`^unexpected 'enum', expected enum specifier$`, "not modelled: an attribute between enum and its name, which may stand behind its }"},
		{`^unexpected (\S+), expected (.+)$`, "unexpected $1: expected $2"},
		{`^undefined: (\S+)$`, "$1 is not declared"},
		{`^(".*)$`, "#error $1"},
		{`^strconv\.\w+: parsing "(.*)": .*$`, "$1 is no number"},
		{`^redeclaration of '(\w+)' at .*$`, "$1 is declared a second time"},
		{`^undefined type name: (\S+)$`, "there is no type $1"},
		{`^LHS must be unary-expression$`, "what is before this is a value, and no place in memory: it cannot be assigned to"},
	} {
		if re := regexp.MustCompile(t.from); re.MatchString(msg) {
			return re.ReplaceAllString(msg, t.to)
		}
	}
	return msg
}
