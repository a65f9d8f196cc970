package c

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/cc/v4"
	"modernc.org/token"

	"github.com/fencepost-verifier/fencepost/internal/include"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// headers are the headers of the standard library and of verification tools, as
// far as they are modelled.
//
//go:embed include
var headers embed.FS

// systemDir is where the headers are for the preprocessor.
const systemDir = "/include"

// predefined is what a compiler for x86-64 defines by itself.
const predefined = `
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __STDC_VERSION__ 201112L
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __LP64__ 1
#define _LP64 1
#define __linux__ 1
#define __linux 1
#define linux 1
#define __unix__ 1
#define unix 1
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 1
#define __FENCEPOST__ 1
#define __CPROVER_thread_local __thread
#define __CHAR_BIT__ 8
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __WCHAR_TYPE__ int
#define __INTPTR_TYPE__ long
#define __UINTPTR_TYPE__ unsigned long
#define __INT8_TYPE__ signed char
#define __INT16_TYPE__ short
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long
#define __UINT8_TYPE__ unsigned char
#define __UINT16_TYPE__ unsigned short
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ unsigned long
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __SIZE_MAX__ 18446744073709551615UL
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_PTRDIFF_T__ 8
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ 1234
#define __LITTLE_ENDIAN__ 1
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#include <gnu.h>
`

// Bounds on what the preprocessor and the parser may do.
const (
	maxExpansion  = 4 << 20          // tokens
	maxNesting    = 200              // of brackets
	parseTime     = 30 * time.Second // the parser may hang
	maxFile       = 4 << 20          // bytes of one file
	maxExpression = 32 << 10         // bytes without a comma or the end of a statement: they nest
)

// files are the texts that were read, by the name the preprocessor knows them by.
type files struct {
	opts *Options
	main *program.Source
	text map[string]string
	fail *program.Diagnostic
	// outside is what was asked for where headers may not be, and whether a link leads there.
	outside map[string]bool
	asked   bool           // it depends on files of the program
	once    map[string]int // the headers that are to be included once, by number
	weak    []string       // what #pragma weak says of
}

// mention is true where the text of the program, or of a header of its own, has a word in it.
func (f *files) mention(word string) bool {
	if strings.Contains(f.main.Text, word) {
		return true
	}
	for _, t := range f.text {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// bare are headers that many programs include, and with nothing in them of their own that is modelled.
var bare = map[string]string{
	"malloc.h": "#include <stdlib.h>\n", "alloca.h": "#include <stdlib.h>\n", "features.h": "",
	"sys/cdefs.h": "#define __BEGIN_DECLS\n#define __END_DECLS\n",
	"immintrin.h": "", "emmintrin.h": "", "xmmintrin.h": "", "x86intrin.h": "", "iso646.h": "",
	"arpa/inet.h": "", "err.h": "", "locale.h": localeHeader, "netdb.h": "", "netinet/in.h": "", "syslog.h": "",
	"sys/epoll.h": "", "sys/file.h": "", "sys/ioctl.h": "", "sys/ipc.h": "", "sys/param.h": "", "sys/prctl.h": "",
	"sys/select.h": "", "sys/shm.h": "", "sys/socket.h": "", "sys/sysinfo.h": "", "sys/times.h": "", "sys/uio.h": "",
	"values.h": "#include <limits.h>\n", "wchar.h": "#include <stddef.h>\n",
}

const localeHeader = "enum { LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL };\nchar *setlocale(int, const char *);\n"

// Open implements [fs.FS] for the preprocessor.
func (f *files) Open(name string) (fs.File, error) {
	if rest, ok := strings.CutPrefix(name, systemDir+"/"); ok {
		if text, ok := bare[rest]; ok {
			return &file{Reader: strings.NewReader(text), name: name, size: int64(len(text))}, nil
		}
		if f.brings(rest) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return headers.Open("include/" + rest)
	}
	if f.opts.ReadFile == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	shown := name
	name = unrooted(name)
	if !f.within(name) {
		f.outside[name] = false
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f.asked = true
	b, err := f.opts.ReadFile(name)
	if err != nil {
		if errors.Is(err, include.ErrOutside) {
			f.outside[name] = true
		}
		return nil, err
	}
	if len(b) > maxFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("too large")}
	}
	if d := balance(&program.Source{Name: name, Text: string(b)}); d != nil && f.fail == nil {
		f.fail = d
		b = nil
	}
	text := f.guard(shown, name, string(b))
	if text == "" {
		f.text[shown], text = string(b), plainStrings(ended(rooted(string(b))))
	}
	return &file{Reader: strings.NewReader(text), name: shown, size: int64(len(text))}, nil
}

// brings is true of a header of the kernel that the program has one of its own for: what is around it is made for that one.
func (f *files) brings(header string) bool {
	if f.opts.ReadFile == nil || !strings.HasPrefix(header, "linux/") && !strings.HasPrefix(header, "asm/") && header != "lkmm.h" {
		return false
	}
	f.asked = true
	dir := path.Dir(f.main.Name)
	for _, d := range append(slices.Clone(f.opts.Include), dir, path.Join(dir, "..")) {
		if name := path.Join(d, header); f.within(name) {
			if _, err := f.opts.ReadFile(name); err == nil {
				return true
			}
		}
	}
	return false
}

// root stands for the / that the name of a file begins with, as the preprocessor puts a folder before every name.
const root = "\x01"

var wholeName = text.NewPattern(`(?m)^([ \t]*#[ \t]*include[ \t]*["<])/`)

// rooted is a text in which names of files from the root on begin with that mark.
func rooted(text string) string { return wholeName.ReplaceAllString(text, "${1}"+root) }

// unrooted is the file that the preprocessor means by a name.
func unrooted(name string) string {
	name = strings.Replace(name, onceOnly, "", 1)
	if _, rest, is := strings.Cut(name, root); is {
		return "/" + rest
	}
	return name
}

// ended is a text with an end to the line that a \ at its end says goes on: the preprocessor
// looks for that of an #include for ever.
func ended(text string) string {
	if strings.HasSuffix(strings.TrimRight(text, "\r\n"), `\`) {
		return text + "\n\n"
	}
	return text
}

// within is whether a header is where headers may be: below the folder of the program, or one
// that was named for them, or beside the folder of the program, where the tests of other
// tools have them.
func (f *files) within(name string) bool {
	dir := path.Dir(f.main.Name)
	return slices.ContainsFunc(append([]string{dir, path.Join(dir, "..")}, f.opts.Include...), func(dir string) bool {
		rel, err := filepath.Rel(dir, name)
		return err == nil && filepath.IsLocal(rel)
	})
}

type file struct {
	*strings.Reader
	name string
	size int64
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return path.Base(f.name) }
func (f *file) Size() int64                { return f.size }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }

var _ io.Reader = (*file)(nil)

// parse is the tree of the program. It fails with a [text.Failure].
func parse(src *program.Source, opts *Options) (*cc.AST, *files) {
	if s := text.NewScanner(src); len(s.Text) > maxFile {
		s.FailAt(0, "too large: more than %d MiB", maxFile>>20)
	}
	f := &files{opts: opts, main: src, text: map[string]string{src.Name: src.Text}, outside: map[string]bool{}, once: map[string]int{}}
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
	}
	cfg.PragmaHandler = func(words []cc.Token) error {
		if len(words) > 0 && words[0].SrcStr() == "omp" && f.fail == nil {
			p := words[0].Position()
			f.fail = &program.Diagnostic{Source: f.at(p.Filename), Pos: program.Position{Line: p.Line, Col: p.Column},
				Msg: "not modelled: OpenMP", Hint: "write its threads with pthread_create"}
		}
		if len(words) == 2 && words[0].SrcStr() == "weak" {
			f.weak = append(f.weak, words[1].SrcStr())
		}
		return nil
	}
	sources := []cc.Source{
		{Name: "<predefined>", Value: predefined},
		{Name: "<defines>", Value: defines(src, opts)},
		{Name: src.Name, Value: plainStrings(ended(rooted(src.Text)))},
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
			r.panic = recover()
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
			if f.fail = contains(src); f.fail == nil { // it comes of a macro or of another file
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
		if r.ast, r.err = cc.Translate(cfg, sources); r.err != nil && misjudged(src, r.err) {
			sources[1].Value = defines(src, opts) + "#define _Static_assert(...) struct __fp_nothing\n"
			r.ast, r.err = cc.Translate(cfg, sources)
		}
		if r.err != nil && strings.Contains(out.String(), "typeof") {
			// The parser knows no typeof of a type in a declaration, but there it knows one of an expression.
			sources[1].Value = defines(src, opts) + typeofExpression
			if ast, err := cc.Translate(cfg, sources); err == nil {
				r.ast, r.err = ast, nil
			}
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
		text.Fail(src, program.Position{}, "please report the program", "cannot be parsed (%.80s)", fmt.Sprint(r.panic))
	case r.err != nil:
		if d := f.circle(); d != nil && strings.Contains(r.err.Error(), "ExpansionLimit") {
			panic(text.Failure{Diagnostic: d})
		}
		panic(text.Failure{Diagnostic: f.explain(r.err)})
	}
	return r.ast, f
}

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

// misjudged is true where the parser, which does not pack structures and compares types in its own way,
// finds nothing wrong but static assertions.
func misjudged(src *program.Source, err error) bool {
	for line := range strings.Lines(err.Error()) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "assertion failed") {
			return false
		}
	}
	return strings.Contains(src.Text, "packed") || strings.Contains(src.Text, "types_compatible")
}

// defines is the definitions of the user as a text.
func defines(src *program.Source, opts *Options) string {
	var b strings.Builder
	for _, d := range opts.Defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok {
			value = "1"
		}
		if !regexp.MustCompile(`^[A-Za-z_]\w*(\([\w, ]*\))?$`).MatchString(name) || strings.ContainsAny(value, "\n\\") {
			text.Fail(src, program.Position{}, "give it as NAME or NAME=VALUE", "cannot define %q", d)
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	sized := map[string]bool{}
	for _, m := range sizedOperation.FindAllStringSubmatch(src.Text, -1) {
		if sized[m[0]] {
			continue
		}
		sized[m[0]] = true
		base := m[1]
		switch base {
		case "__atomic_load", "__atomic_store", "__atomic_exchange", "__atomic_compare_exchange":
			base += "_n"
		}
		if result := sizedResult[m[2]]; !strings.Contains(base, "_bool_") && !strings.Contains(base, "_release") && !strings.Contains(base, "_store") && !strings.Contains(base, "_compare_exchange") {
			fmt.Fprintf(&b, "#define %s(...) ((%s)%s(__VA_ARGS__))\n", m[0], result, base)
			continue
		}
		fmt.Fprintf(&b, "#define %s %s\n", m[0], base)
	}
	return b.String()
}

// sizedOperation is an atomic operation of GCC with its number of bytes in its name, such as
// __sync_fetch_and_add_4. The pointer that it is given says as much, but the value that it gives is unsigned.
var sizedOperation = text.NewPattern(`\b(__(?:sync|atomic)_[a-z_]+)_([1248])\b`)

var sizedResult = map[string]string{"1": "unsigned char", "2": "unsigned short", "4": "unsigned int", "8": "unsigned long"}

var (
	errorPos      = text.NewPattern(`^(.+?):(\d+):(\d+): `)
	undefinedName = text.NewPattern(`^undefined(?: type name)?: (\w+)$`)
	wordPattern   = text.NewPattern(`[A-Za-z_]\w*`)
	pointerName   = text.NewPattern(`\*[\s*]*[A-Za-z_]\w*\s*$`)
	errorTail     = text.NewPattern(` ?\([a-z0-9_]+\.go:\d+:[^)]*\)`)
)

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
			d.Msg = "this is not C as it is understood here"
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
		d.Msg = translate(line)
		if m := undefinedName.FindStringSubmatch(line); m != nil {
			d.Hint = suggest(m[1], f.identifiers(d.Source, m[1]))
		}
		if strings.HasPrefix(line, "unexpected identifier") || strings.HasPrefix(line, "unexpected '*'") {
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
		if first == nil || first.Msg == "this is not C as it is understood here" {
			first = d
		}
	}
	if first == nil {
		first = &program.Diagnostic{Source: f.main, Msg: "cannot be parsed"}
	}
	if first.Hint == "" && plusPlusWords.MatchString(first.Source.Line(first.Pos.Line)) {
		first.Hint = plusPlus
	}
	return first
}

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
	} {
		if re := regexp.MustCompile(t.from); re.MatchString(msg) {
			return re.ReplaceAllString(msg, t.to)
		}
	}
	return msg
}

// of is the source that the position is in.
func (f *files) of(main *program.Source, p program.Position) *program.Source {
	if p.File == "" {
		return main
	}
	return f.at(p.File)
}

// whole is the source of the program, with the headers of its own.
func (f *files) whole() *program.Source {
	if len(f.text) == 1 {
		return f.main
	}
	src := &program.Source{Name: f.main.Name, Text: f.main.Text}
	for _, name := range slices.Sorted(maps.Keys(f.text)) {
		if name != f.main.Name {
			src.Included = append(src.Included, &program.Source{Name: unrooted(name), Text: f.text[name]})
		}
	}
	return src
}

// at is the source of the name.
func (f *files) at(name string) *program.Source {
	if name == f.main.Name {
		return f.main
	}
	if t, ok := f.text[name]; ok {
		return &program.Source{Name: unrooted(name), Text: t}
	}
	if rest, ok := strings.CutPrefix(name, systemDir+"/"); ok {
		if b, err := headers.ReadFile("include/" + rest); err == nil {
			return &program.Source{Name: "<" + rest + ">", Text: string(b)}
		}
	}
	return &program.Source{Name: name}
}

// locate is the position of a token, in the file that it stands in. What stands in our own headers
// has none.
func (u *unit) locate(p token.Position) program.Position {
	if p.Filename == u.src.Name {
		return program.Position{Line: p.Line, Col: p.Column}
	}
	if _, ok := u.files.text[p.Filename]; ok {
		return program.Position{Line: p.Line, Col: p.Column, File: unrooted(p.Filename)}
	}
	return program.Position{}
}

// balance finds brackets that do not match: the parser may not come to an end
// where one is not closed.
func balance(src *program.Source) *program.Diagnostic {
	type open struct {
		c    byte
		at   int
		line int
	}
	var stack []open
	s := src.Text
	fail := func(at int, msg string) *program.Diagnostic {
		bol := strings.LastIndexByte(s[:at], '\n') + 1
		return &program.Diagnostic{Source: src, Msg: msg,
			Pos: program.Position{Line: 1 + strings.Count(s[:at], "\n"), Col: at - bol + 1}}
	}
	statement := 0   // where the last statement began
	conditional := 0 // open #if: branches of it may hold brackets that do not match
	bol := true
	line := 1
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ';' || c == '{' || c == '}' || c == ',' {
			statement = i
		}
		if i-statement > maxExpression {
			return fail(statement, fmt.Sprintf("an expression of more than %d KiB", maxExpression>>10))
		}
		switch {
		case c == '\n':
			bol = true
			line++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case c == '#' && bol:
			end := i + 1
			for end < len(s) && s[end] != '\n' {
				if s[end] == '\\' && end+1 < len(s) {
					end++
				}
				if strings.HasPrefix(s[end:], "/*") {
					n := strings.Index(s[end+2:], "*/")
					if n < 0 {
						return fail(end, "a comment that does not end")
					}
					end += n + 3
				}
				end++
			}
			end = min(end, len(s))
			if strings.HasPrefix(strings.TrimLeft(s[i+1:end], " \t"), "if") {
				conditional++
			}
			line += strings.Count(s[i:end], "\n")
			statement += end - i
			i = end - 1
			continue
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return fail(i, "a comment that does not end")
			}
			line += strings.Count(s[i:i+n+4], "\n")
			statement += n + 3
			i += n + 3
			continue
		case strings.HasPrefix(s[i:], "//"):
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				i = len(s)
			} else {
				statement += n - 1
				i += n - 1
			}
			continue
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(s) && s[end] != c && s[end] != '\n' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) || s[end] != c {
				if conditional > 0 {
					return nil
				}
				return fail(i, fmt.Sprintf("a %c that is not closed on its line", c))
			}
			i = end
		case c == '(' || c == '[' || c == '{':
			stack = append(stack, open{c, i, line})
			if len(stack) > maxNesting {
				return fail(i, fmt.Sprintf("brackets nested deeper than %d", maxNesting))
			}
		case c == ')' || c == ']' || c == '}':
			want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
			if len(stack) == 0 || stack[len(stack)-1].c != want {
				if conditional > 0 {
					return nil
				}
				if len(stack) == 0 {
					return fail(i, fmt.Sprintf("%c closes nothing", c))
				}
				o := stack[len(stack)-1]
				return fail(i, fmt.Sprintf("%c does not close the %c of line %d", c, o.c, o.line))
			}
			stack = stack[:len(stack)-1]
		}
		bol = false
	}
	if len(stack) > 0 && conditional == 0 {
		o := stack[len(stack)-1]
		return fail(o.at, fmt.Sprintf("%c is not closed", o.c))
	}
	return nil
}
