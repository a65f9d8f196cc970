package litmus

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A ctype is the declared type of a variable or a register.
type ctype struct {
	name    string // such as uint64_t; empty where a test does not say
	typ     program.Type
	pointer bool
	// unsigned is true of a type of 64 bits whose values print unsigned.
	unsigned bool
}

// defaultType is the type of what is not declared, as in herd7.
var defaultType = ctype{typ: program.Int32Type}

// ctypes is the types that a test can name. A long has the size that herd7
// gives it.
var ctypes = map[string]program.Type{
	"int": program.Int32Type, "long": program.Int32Type, "atomic_t": program.Int32Type,
	"char": program.Int8Type, "short": program.Int16Type,
	"int8_t": program.Int8Type, "uint8_t": word(8),
	"int16_t": program.Int16Type, "uint16_t": word(16),
	"int32_t": program.Int32Type, "uint32_t": word(32),
	"int64_t": program.Int64Type, "uint64_t": word(64),
	"intptr_t": program.Int64Type, "uintptr_t": word(64),
	"atomic_int": program.Int32Type, "atomic_uint": word(32), "atomic_long": program.Int64Type, "atomic_long_t": program.Int64Type, "atomic64_t": program.Int64Type,
	"spinlock_t": program.Int32Type, "atomic_bool": program.BoolType, "bool": program.BoolType,
}

// A decl is an item of the initial state: a variable or, where reg is set, a
// register of a thread.
type decl struct {
	at     program.Position
	name   string
	thread int
	reg    *register
	typ    ctype // its name is empty where none is given
	array  int   // number of elements; 0 where the variable is no array
	init   []constant
}

// A constant is a number, the address of a variable, or that of an element of
// an array.
type constant struct {
	at    program.Position
	num   int64
	name  string // of the variable; empty for a number
	index int
	code  *codeAddress // in place of a name, or nil
}

const declHint = "items are such as: x=1; uint64_t y; int a[2]={1,2}; 0:rax=x"

// initialState reads what stands between the braces before the program.
func (p *parser) initialState() {
	p.tok = p.lex.Next()
	for !p.accept("}") {
		if p.accept(";") {
			continue
		}
		p.decls = append(p.decls, p.decl())
		if !p.tok.Is("}") {
			p.expect(";", declHint)
		}
	}
}

// decl reads one item.
func (p *parser) decl() *decl {
	d := &decl{at: p.tok.Pos}
	for p.tok.Kind == tokenName && (p.tok.Text == "_Atomic" || p.tok.Text == "volatile") {
		p.advance()
	}
	// A name that another location follows is a type.
	if p.tok.Kind == tokenName && process(p.tok) < 0 {
		first := p.advance()
		switch {
		case p.tok.Is("=") || p.tok.Is(";") || p.tok.Is("}"):
			d.name = p.variableName(first)
			p.initializer(d)
			return d
		case p.tok.Is("["):
			p.bracketAfter(d, first)
			if d.array == 0 {
				p.initializer(d)
			}
			return d
		case p.tok.Is(":"):
			p.fail(first.Pos, declHint, "tags are not supported")
		}
		p.setType(d, first)
	} else if p.tok.Is("*") {
		d.typ.name = "int"
		d.typ.typ = program.Int32Type
	}
	if p.accept("*") {
		d.typ.name += " *"
		d.typ.pointer = true
		d.typ.typ = word(p.wordBits)
		d.typ.unsigned = true
	}
	p.location(d)
	p.initializer(d)
	return d
}

func (p *parser) setType(d *decl, t token) {
	typ, ok := ctypes[t.Text]
	if !ok {
		p.fail(t.Pos, text.DidYouMean(t.Text, slices.Collect(maps.Keys(ctypes))), "the type %s is not supported", t.Text)
	}
	d.typ = ctype{name: t.Text, typ: typ, unsigned: typ.Bits == 64 && t.Text[0] == 'u'}
	if p.arch == x86 && (t.Text == "intptr_t" || t.Text == "uintptr_t") {
		d.typ.typ, d.typ.unsigned = program.Type{Bits: 32, Signed: t.Text[0] == 'i'}, false
	}
}

// bracketAfter reads what follows a name and an opening bracket: the name is
// either the type of a variable in brackets, as in "int [x]", or it is an
// array without a type.
func (p *parser) bracketAfter(d *decl, first token) {
	p.advance()
	if p.tok.Kind == tokenNumber {
		p.fail(first.Pos, "an array is declared with its type and all its elements: int a[2]={1,2}",
			"%s[..] cannot stand by itself", first.Text)
	}
	p.setType(d, first)
	t := p.ident("a variable", declHint)
	d.at, d.name = t.Pos, p.variableName(t)
	p.expect("]", "")
}

// location reads a variable, an array with its size, or a register.
func (p *parser) location(d *decl) {
	d.at = p.tok.Pos
	switch {
	case p.tok.Kind == tokenNumber || process(p.tok) >= 0:
		d.thread, _ = p.processNumber()
		r := p.register(d.thread)
		d.reg = &r
	case p.accept("["):
		t := p.ident("a variable", declHint)
		d.name = p.variableName(t)
		p.expect("]", "")
	default:
		p.variable(d, p.ident("a variable or a register", declHint))
	}
}

func (p *parser) variable(d *decl, t token) {
	d.name = p.variableName(t)
	if !p.accept("[") {
		return
	}
	at := p.tok.Pos
	n := p.number("the size of an array is a number")
	if n < 1 || n > maxElements {
		p.fail(at, "", "an array has 1 to %d elements", maxElements)
	}
	if d.typ.pointer {
		p.fail(d.at, "declare it with an integer type of the size of an address", "arrays of pointers are not supported")
	}
	p.expect("]", "")
	d.array = int(n)
}

// initializer reads the value, if there is one.
func (p *parser) initializer(d *decl) {
	if !p.accept("=") {
		return
	}
	if d.array == 0 {
		d.init = []constant{p.constant()}
		return
	}
	at := p.expect("{", "an array is initialized by the list of its elements: int a[2]={1,2}").Pos
	for {
		d.init = append(d.init, p.constant())
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "")
	if len(d.init) != d.array {
		p.fail(at, "", "%s has %d elements, not %d", d.name, d.array, len(d.init))
	}
}

// constant reads a value: a number, a variable for its address, &x, a[1].
func (p *parser) constant() constant {
	c := constant{at: p.tok.Pos}
	if p.tok.Is("&") || p.tok.Kind == tokenName && p.tok.Text != "ATOMIC_INIT" {
		p.accept("&")
		t := p.ident("a variable", "")
		if n := process(t); p.tok.Is(":") && (n >= 0 || t.Text == "label") {
			c.code = p.codeAddress(t, n)
			return c
		}
		c.name = p.variableName(t)
		if p.accept("[") {
			c.index = int(max(-1, min(p.number(""), maxElements)))
			p.expect("]", "")
		}
		return c
	}
	if p.tok.Kind == tokenName && p.tok.Text == "ATOMIC_INIT" {
		p.advance()
		p.expect("(", "")
		c = p.constant()
		p.expect(")", "")
		return c
	}
	c.num = p.number("a value is a number or the name of a variable, whose address it is")
	if p.tok.Is(":") {
		p.fail(c.at, "", "addresses of instructions are not supported")
	}
	return c
}
