package syntax

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Bounds on what the preprocessor and the parser may do.
const (
	maxExpansion  = 4 << 20          // tokens
	maxNesting    = 200              // of brackets
	parseTime     = 30 * time.Second // the parser may hang
	maxFile       = 4 << 20          // bytes of one file
	maxExpression = 32 << 10         // bytes without a comma or the end of a statement: they nest
)

// scanned keeps what the preprocessor has made of our headers, which nearly all programs include, and each is gone through twice.
var scanned = cc.SourceCache{MaxBytes: maxFile}

// parse is the tree of the program, which gets what is known of our headers (see mentioned.go). It fails with a [text.Failure].
func parse(src *program.Source, opts Options, defined string, known map[string]bool) (*cc.AST, *files) {
	if s := text.NewScanner(src); len(s.Text) > maxFile {
		s.FailAt(0, "too large: more than %d MiB", maxFile>>20)
	}
	f := &files{opts: opts, main: src, text: map[string]string{src.Name: src.Text}, outside: map[string]bool{}, once: map[string]int{}, known: known, about: -1}
	if d := balance(src); d != nil {
		panic(text.Failure{Diagnostic: d})
	}
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic(err)
	}
	dir := path.Dir(src.Name)
	cfg := &cc.Config{
		ABI:             abi,
		FS:              f,
		FSOnly:          true,
		IncludePaths:    append(append([]string{""}, opts.Include...), systemDir),
		SysIncludePaths: append(append([]string{systemDir}, opts.Include...), dir, path.Join(dir, "..")),
		ExpansionLimit:  maxExpansion,
		ABILayout:       true,
		SourceCache:     &scanned,
	}
	cfg.PragmaHandler = func(words []cc.Token) error {
		if len(words) == 0 {
			return nil
		}
		refuse := func(what, hint string) {
			if f.fail == nil {
				p := words[0].Position()
				f.fail = &program.Diagnostic{Source: f.at(p.Filename), Pos: program.Position{Line: p.Line, Col: p.Column}, Msg: "not modelled: " + what, Hint: hint}
			}
		}
		switch name := words[0].SrcStr(); name {
		case "omp":
			refuse("OpenMP", "write its threads with pthread_create")
		case "pack": // one that is not in a line of its own, or says what it does not have
			refuse("this pack", "write #pragma pack(push, N), #pragma pack(pop), #pragma pack(N) or #pragma pack(), with an N of 1, 2, 4, 8 or 16")
		case "scalar_storage_order", "ms_struct", "redefine_extname":
			refuse("the pragma "+name, "")
		}
		if len(words) == 2 && words[0].SrcStr() == "weak" {
			f.weak = append(f.weak, words[1].SrcStr())
		}
		return nil
	}
	sources := []cc.Source{
		{Name: "<predefined>", Value: predefined},
		{Name: "<defines>", Value: defined},
		{Name: src.Name, Value: f.packed(ownLabels(qualifiersLast(plainStrings(ended(rooted(src.Text))))))},
	}
	type result struct {
		ast   *cc.AST
		err   error
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if r.panic = recover(); r.panic != nil {
				f.about = whereabouts(cfg, sources, true)
			}
			done <- r
		}()
		// What the preprocessor makes of the text has to be balanced, too.
		var out capped
		if r.err = cc.Preprocess(cfg, sources, &out); r.err != nil {
			return
		}
		if d := balance(&program.Source{Name: src.Name, Text: out.String()}); d != nil && f.fail == nil {
			f.fail = &program.Diagnostic{Source: src, Msg: d.Msg + ", once it is preprocessed"}
			return
		}
		if open(out.String()) && f.fail == nil {
			f.fail = &program.Diagnostic{Source: src, Msg: "the text ends in the middle of a declaration",
				Pos: program.Position{Line: 1 + strings.Count(strings.TrimRight(src.Text, " \t\r\n"), "\n"), Col: 1}}
			return
		}
		if d := dangling(&program.Source{Name: src.Name, Text: out.String()}); d != nil && f.fail == nil {
			if f.fail = dangling(src); f.fail == nil { // it comes of a macro, or before a comment
				f.fail = &program.Diagnostic{Source: src, Msg: d.Msg + ", at the end of what is preprocessed"}
			}
			return
		}
		if d := contains(&program.Source{Name: src.Name, Text: out.String()}); d != nil && f.fail == nil {
			if f.fail = contains(src); f.fail == nil || f.fail.Msg != d.Msg { // it comes of a macro or of another file
				f.fail = &program.Diagnostic{Source: src, Msg: d.Msg}
			}
			return
		}
		if d := otherCharacters(&program.Source{Name: src.Name, Text: out.String()}); d != nil && f.fail == nil {
			if f.fail = otherCharacters(src); f.fail == nil {
				f.fail = &program.Diagnostic{Source: src, Msg: d.Msg}
			}
			return
		}
		r.ast, r.err = translateSingles(cfg, sources)
		if f.conflicting(r.ast, r.err) != "" {
			if ast := f.another(r.ast, r.err, func() (*cc.AST, error) { return translateSingles(cfg, sources) }); ast != nil {
				r.ast, r.err = ast, nil
			}
		}
		if r.err != nil && misjudged(src, r.err) {
			for _, assertion := range []string{assertionConstant, "#undef _Static_assert\n#define _Static_assert(...) struct __fp_nothing\n"} {
				sources[1].Value = defined + assertion
				if r.ast, r.err = cc.Translate(cfg, sources); r.err == nil {
					break
				}
			}
		}
		if r.err != nil && strings.Contains(out.String(), "typeof") {
			// The parser knows no typeof of a type in a declaration, but there it knows one of an expression.
			sources[1].Value = defined + typeofExpression
			if ast, err := cc.Translate(cfg, sources); err == nil {
				r.ast, r.err = ast, nil
			}
		}
		if r.err != nil && strings.Contains(r.err.Error(), "internal error") {
			if ast, err := cc.Parse(cfg, sources); err == nil && f.fail == nil {
				f.fail = f.noPlace(ast)
			}
		}
		if r.err != nil && strings.Contains(r.err.Error(), "TODO *cc.Label") {
			if ast, err := cc.Parse(cfg, sources); err == nil && f.fail == nil {
				f.fail = f.labelledTwice(ast)
			}
		}
		if r.err != nil && placeless(r.err) && f.fail == nil {
			f.about = whereabouts(cfg, sources, false)
		}
		if r.err == nil {
			if more := provided(r.ast, out.String()); more != "" {
				if ast, err := cc.Translate(cfg, append(sources, cc.Source{Name: "<library>", Value: more})); err == nil {
					r.ast = ast
				}
			}
		}
	}()
	var r result
	timer := time.NewTimer(parseTime)
	defer timer.Stop()
	select {
	case r = <-done:
	case <-timer.C:
		text.Fail(src, program.Position{}, "", "cannot be parsed within %v", parseTime)
	}
	switch {
	case f.fail != nil:
		panic(text.Failure{Diagnostic: f.fail})
	case r.panic != nil:
		if d := f.circle(); d != nil { // the preprocessor goes on where it should not
			panic(text.Failure{Diagnostic: d})
		}
		words(src.Text, func(from, to int) {
			if src.Text[from:to] == "''" {
				text.Fail(src, positionOf(src.Text, from), "", "a constant without a character")
			}
		})
		if at := leftOut(src.Text); at >= 0 {
			text.Fail(src, positionOf(src.Text, at), "write the constant once more between the two", "not modelled: ?: behind a constant")
		}
		var pos program.Position
		if f.about >= 0 {
			pos = positionOf(src.Text, f.about)
		}
		text.Fail(src, pos, "please report the program", "cannot be parsed (%.80s)", fmt.Sprint(r.panic))
	case r.err != nil:
		if d := f.circle(); d != nil && strings.Contains(r.err.Error(), "ExpansionLimit") {
			panic(text.Failure{Diagnostic: d})
		}
		panic(text.Failure{Diagnostic: f.explain(r.err)})
	}
	return r.ast, f
}

// positionOf is the position of a byte of a text.
func positionOf(text string, at int) program.Position {
	return program.Position{Line: 1 + strings.Count(text[:at], "\n"), Col: at - strings.LastIndexByte(text[:at], '\n')}
}

// leftOut is where nothing stands between ? and :, which the parser cannot evaluate where what is before it is a constant: behind a number if there is such a place; -1
// where there is none.
func leftOut(text string) int {
	found, question, number, before := -1, -1, false, byte(0)
	words(text, func(from, to int) {
		switch w := text[from:to]; {
		case w == ":" && question >= 0 && !number:
			number = '0' <= before && before <= '9'
			if found < 0 || number {
				found = question
			}
		case w == "?":
			question = from
			return
		default:
			before = text[to-1]
		}
		question = -1
	})
	return found
}

// Asserted begins the names of constants that static assertions have become, which say whether they hold.
const Asserted = "__fp_asserted_"

// assertionConstant makes a constant of each static assertion, in a structure, as that may stand among members, where it is none.
const assertionConstant = `
#define __fp_join(a, b) a##b
#define __fp_assertion(n, e) struct __fp_join(` + Asserted + `, n) { enum { __fp_join(` + Asserted + `, n) = !!(e) } holds; }
#define __fp_numbered(n, e) __fp_assertion(n, e)
#undef _Static_assert
#define _Static_assert(e, ...) __fp_numbered(__COUNTER__, e)
`

// typeofExpression makes every typeof one of an expression.
const typeofExpression = `
#define typeof(...) typeof(*(typeof(__VA_ARGS__) *)0)
#define __typeof(...) __typeof(*(__typeof(__VA_ARGS__) *)0)
#define __typeof__(...) __typeof__(*(__typeof__(__VA_ARGS__) *)0)
`

// A capped is a text that does not grow without end.
type capped struct{ strings.Builder }

func (c *capped) Write(b []byte) (int, error) {
	if c.Len()+len(b) > 4*maxFile {
		return 0, errors.New("too large once it is preprocessed")
	}
	return c.Builder.Write(b)
}

// open is true of a preprocessed text that does not end with a declaration or a definition. The
// parser may wait for the rest for ever.
func open(text string) bool {
	for {
		text = strings.TrimRight(text, " \t\r\n")
		last := text[strings.LastIndexByte(text, '\n')+1:]
		if !strings.HasPrefix(strings.TrimLeft(last, " \t"), "#") {
			break
		}
		text = text[:len(text)-len(last)]
	}
	return text != "" && text[len(text)-1] != ';' && text[len(text)-1] != '}'
}

// bitField matches a member with a width, and no branch of a conditional expression or label.
var bitField = text.NewPattern(`\b(?:int|unsigned|signed|long|short|char|_Bool|bool|enum\s+\w+|\w+_t|[us](?:8|16|32|64))\s+\w+\s*:\s*\w+\s*[;,]`)

// misjudged is true where the parser, which does not pack structures, lays out bit-fields and compares types in its own way,
// finds nothing wrong but static assertions.
func misjudged(src *program.Source, err error) bool {
	for line := range strings.Lines(err.Error()) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "assertion failed") {
			return false
		}
	}
	return strings.Contains(src.Text, "pack") || strings.Contains(src.Text, "types_compatible") || bitField.MatchString(src.Text)
}
