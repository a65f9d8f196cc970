package litmus

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A cTest reads and lowers tests in C: functions P0, P1, .. whose parameters are the
// variables of the test. What they call says whether it is C11 or the kernel's C.
type cTest struct {
	*parser
	functions []*cFunction
	in        *cFunction // the one that is being read
	depth     int
	// expects is true where a call takes the address of what it compares with.
	expects bool
	// kernel and c11 are what calls there are of each.
	kernel, c11 token
	// sites is the statements of blocks, and calls what is called, in the order of the text.
	sites []cSite
	calls []cCalled
}

func newC(p *parser) dialect { return &cTest{parser: p} }

// A cFunction is a thread.
type cFunction struct {
	at     program.Position
	end    int // in the text
	params []*cParam
	locals []*cLocal
	body   []cStmt
}

// A cParam is a variable of the test in a thread.
type cParam struct {
	name token
	typ  cType
}

// A cLocal is a register.
type cLocal struct {
	name string
	typ  cType
	// declared is true where the thread says so, and used where it is named there.
	declared, used bool
}

// A cType is a type as far as it matters.
type cType struct {
	name    string // of the type that is pointed to, for pointers
	typ     program.Type
	pointer int
}

// value is the type of a value of the type.
func (t cType) value() program.Type {
	if t.pointer > 0 {
		return program.Int64Type
	}
	return t.typ
}

// target is the type that a pointer points to.
func (t cType) target() cType {
	t.pointer--
	return t
}

// cSyntax is the tokens of C.
var cSyntax = text.Syntax{
	Lines: []string{"//", "#"}, Open: "/*", Close: "*/",
	Name: func(s string) int {
		if text.IsDigit(s[0]) {
			return 0
		}
		return text.Letters(s)
	},
	Numbers: true, Strings: true,
	Symbols: []string{
		"<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--", "+=", "-=", "&=", "|=", "^=", "->",
		"=", "<", ">", "!", "~", "(", ")", "[", "]", "{", "}", ";", ":", ",", "|", "*", "&", "^", "+", "-", "?", ".", "/", "%", "$",
	},
	Hint: func(rune) string { return "" },
}

func (c *cTest) find(thread int, name string) (register, bool) {
	if thread < 0 || thread >= maxThreads {
		return register{}, false
	}
	if thread >= len(c.functions) { // in the initial state
		c.functions = append(c.functions, make([]*cFunction, thread+1-len(c.functions))...)
	}
	if c.functions[thread] == nil {
		c.functions[thread] = &cFunction{}
	}
	f := c.functions[thread]
	i := slices.IndexFunc(f.locals, func(l *cLocal) bool { return l.name == name })
	if i < 0 {
		if len(c.threads) > 0 {
			return register{}, false
		}
		c.in = f
		c.local(name)
		i = len(f.locals) - 1
	}
	return register{base(i), all64}, true
}

func (c *cTest) spell(thread int, r register) string {
	if thread < 0 || thread >= len(c.functions) || c.functions[thread] == nil || int(r.base) >= len(c.functions[thread].locals) {
		return "r0"
	}
	return c.functions[thread].locals[r.base].name
}

func (c *cTest) count(thread int) int { return len(c.functions[thread].locals) }

func (c *cTest) hint(thread int, name string) string {
	var names []string
	if thread >= 0 && thread < len(c.functions) {
		for _, l := range c.functions[thread].locals {
			names = append(names, l.name)
		}
	}
	return suggest.OneOf(name, names, "local variables of the thread")
}

func (c *cTest) taken(string) bool { return false }

// again reads the next token once more, with the syntax.
func (c *cTest) again(s *text.Syntax) {
	c.lex.Back(c.tok)
	c.lex.Syntax = s
	c.tok = c.lex.Next()
}

// between skips comments of both kinds between functions and reads the next token.
func (c *cTest) between() {
	c.lex.Back(c.tok)
	for {
		c.lex.Syntax = &syntax
		for c.lex.Blank() {
		}
		if !strings.HasPrefix(c.lex.Rest(), "/*") {
			break
		}
		c.lex.Syntax = &cSyntax
		c.lex.Comment()
	}
	c.lex.Syntax = &syntax
	c.tok = c.lex.Next()
}

func (c *cTest) program() {
	const hint = "the program is functions for its threads: P0(int *x) { .. }"
	c.between()
	for c.tok.Kind != tokenEOF && !c.atFinal() {
		for c.tok.Kind == tokenName && (c.tok.Text == "static" || c.tok.Text == "void") {
			c.advance()
		}
		t := c.ident("the name of a thread, such as P0", hint)
		switch n := process(t); {
		case n < 0:
			c.fail(t.Pos, hint, "%q is not the name of a thread", t.Text)
		case n != len(c.threads):
			c.fail(t.Pos, "", "the threads are named P0, P1, .. in this order: expected P%d, found %s", len(c.threads), t.Text)
		case n >= maxThreads:
			c.fail(t.Pos, "", "a test has up to %d threads", maxThreads)
		}
		n := len(c.threads)
		if n == len(c.functions) {
			c.functions = append(c.functions, nil)
		}
		if c.functions[n] == nil {
			c.functions[n] = &cFunction{}
		}
		c.in = c.functions[n]
		c.in.at = t.Pos
		c.threads = append(c.threads, &thread{at: t.Pos})
		c.again(&cSyntax)
		c.parameters()
		if !c.tok.Is("{") {
			c.fail(c.tok.Pos, hint, "expected {, found %s", c.tok.Describe())
		}
		c.in.body = c.block()
		c.in.end = c.end
		c.between()
	}
	if len(c.threads) == 0 {
		c.fail(c.tok.Pos, hint, "the test has no threads")
	}
	if n := len(c.threads); n < len(c.functions) {
		c.functions = c.functions[:n] // which no thread is: refused where it is named
	}
	switch {
	case c.kernel.Text != "" && c.c11.Text != "":
		c.fail(c.kernel.Pos, "", "%s is of the kernel, but %s is of C11", c.kernel.Text, c.c11.Text)
	case c.kernel.Text != "":
		c.tags = program.LKMM
	}
}

// parameters reads (int *x, atomic_int *y).
func (c *cTest) parameters() {
	c.expect("(", "")
	if c.tok.Kind == tokenName && c.tok.Text == "void" {
		c.advance()
	}
	for !c.accept(")") {
		typ := c.typeName("the type of a parameter")
		if typ.pointer == 0 {
			c.fail(c.tok.Pos, "parameters are such as: int *x", "a parameter is a pointer to a variable of the test")
		}
		t := c.ident("the name of a variable", "parameters are such as: int *x")
		if slices.ContainsFunc(c.in.params, func(p *cParam) bool { return p.name.Text == t.Text }) {
			c.fail(t.Pos, "", "%s is a parameter already", t.Text)
		}
		c.in.params = append(c.in.params, &cParam{t, typ.target()})
		if !c.tok.Is(")") {
			c.expect(",", "")
		}
	}
}

// cTypes is the types of values by name.
var cTypes = map[string]program.Type{
	"int": program.Int32Type, "char": program.Int8Type, "short": program.Int16Type, "long": program.Int64Type, "void": program.Int64Type,
	"signed": program.Int32Type, "unsigned": word(32), "bool": program.BoolType, "_Bool": program.BoolType, "size_t": program.Int64Type,
	"atomic_t": program.Int32Type, "atomic_int": program.Int32Type, "atomic_long": program.Int64Type, "atomic_long_t": program.Int64Type, "atomic64_t": program.Int64Type,
	"atomic_bool": program.BoolType, "atomic_uint": word(32), "atomic_intptr_t": program.Int64Type, "atomic_uintptr_t": program.Int64Type,
	"spinlock_t": program.Int32Type, "struct": program.Int64Type, "u8": word(8), "u16": word(16), "u32": word(32), "u64": program.Int64Type,
}

func init() {
	for n, t := range ctypes {
		if _, ok := cTypes[n]; !ok {
			cTypes[n] = t
		}
	}
}

// qualifiers are words of types that change nothing here.
var qualifiers = []string{"volatile", "const", "_Atomic", "__unused", "static", "register"}

// atType is true where a type stands.
func (c *cTest) atType() bool {
	if c.tok.Kind != tokenName {
		return false
	}
	_, ok := cTypes[c.tok.Text]
	return ok || slices.Contains(qualifiers, c.tok.Text)
}

// typeName reads a type with its stars.
func (c *cTest) typeName(what string) cType {
	var t cType
	begun := false
	c.refuseType()
	for c.atType() {
		w := c.advance()
		switch {
		case slices.Contains(qualifiers, w.Text):
			if w.Text == "_Atomic" && c.accept("(") {
				t = c.typeName(what)
				c.expect(")", "")
				begun = true
			}
		case w.Text == "struct":
			t.name, t.typ = "struct "+c.ident("the name of a structure", "").Text, program.Int64Type
			begun = true
		case begun && w.Text == "int": // as in long int
		case begun && (w.Text == "long" || w.Text == "short" || w.Text == "char"):
			signed := t.typ.Signed
			if t.typ = cTypes[w.Text]; !signed && t.typ.Bits < 64 {
				t.typ = word(t.typ.Bits)
			}
		default:
			t.name, t.typ, begun = w.Text, cTypes[w.Text], true
		}
	}
	if !begun {
		c.fail(c.tok.Pos, text.DidYouMean(c.tok.Text, slices.Collect(maps.Keys(cTypes))), "expected %s, found %s", what, c.tok.Describe())
	}
	for c.accept("*") || c.tok.Kind == tokenName && slices.Contains(qualifiers, c.tok.Text) && c.advance().Text != "" {
		if c.src.Text[c.end-1] == '*' {
			t.pointer++
		}
	}
	return t
}

// local is the local variable of the name.
func (c *cTest) local(name string) *cLocal {
	for _, l := range c.in.locals {
		if l.name == name {
			return l
		}
	}
	l := &cLocal{name: name, typ: cType{typ: program.Int64Type}}
	if len(c.in.locals) == maxVariables {
		c.fail(c.tok.Pos, "", "a thread has up to %d local variables", maxVariables)
	}
	c.in.locals = append(c.in.locals, l)
	return l
}

func (c *cTest) names(b *builder) {
	for _, f := range c.functions {
		for _, p := range f.params {
			v := b.mention(p.name.Text, p.name.Pos)
			v.taken = true
			if !v.declared && (len(v.init) == 0 || v.init[0].name == "") && p.typ.name != "" {
				v.typ = ctype{name: p.typ.name, typ: p.typ.value(), pointer: p.typ.pointer > 0}
				v.declared = true
			}
		}
	}
}

func (c *cTest) use(b *builder) {
	for t, f := range c.functions {
		for i, l := range f.locals {
			r := &b.regs[t][i]
			r.used, r.written, r.held = true, all64, l.typ.value()
			if l.typ.pointer == 0 && l.typ.name != "" {
				r.typ = &ctype{name: l.typ.name, typ: l.typ.typ}
			} else {
				r.typ = &ctype{typ: program.Int64Type}
			}
		}
	}
}

// accesses are of whole variables.
func (c *cTest) accesses(*builder) []access { return nil }
