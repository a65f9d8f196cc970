package litmus

import (
	"math/bits"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

type operandKind uint8

const (
	regOperand operandKind = iota
	immOperand
	memOperand
)

// An operand of an instruction. An address is the sum of the variable's, imm,
// base, and index times scale.
type operand struct {
	at   program.Position
	kind operandKind
	reg  register // regOperand

	imm      int64
	variable string // immOperand, memOperand: the variable whose address is meant, or empty
	base     *register
	index    *register
	scale    int64

	size uint8  // memOperand: the bits that "dword ptr" asks for, or 0
	text string // as the source has it
}

// operands reads the operands of an instruction, in the order of the text.
func (p *parser) operands() []*operand {
	var ops []*operand
	for {
		start := p.tok.Off
		o := p.operand(0)
		if o.text = p.src.Text[start:p.end]; len(o.text) > text.MaxWord || strings.Contains(o.text, "\n") {
			o.text = "the operand"
		}
		ops = append(ops, o)
		if !p.accept(",") {
			return ops
		}
	}
}

// pointerSizes is the words before "ptr".
var pointerSizes = map[string]uint8{"byte": 8, "word": 16, "dword": 32, "qword": 64}

// operand reads one operand. Depth counts the prefixes before it.
func (p *parser) operand(depth int) *operand {
	o := &operand{at: p.tok.Pos}
	if depth > 2 {
		p.fail(o.at, "", "too many prefixes before an operand")
	}
	switch t := p.tok; {
	case t.Is("$"):
		p.advance()
		o.kind = immOperand
		if p.tok.Kind == tokenName {
			o.variable = p.variableName(p.advance())
		} else {
			o.imm = p.number("an immediate operand is a number or a variable, whose address it is")
		}
	case t.Is("%"):
		p.segmentOrRegister(o, depth)
	case t.Is("("):
		p.indirect(o)
	case t.Is("["):
		p.bracket(o)
	case t.Kind == tokenNumber || t.Is("-"):
		o.imm = p.number("")
		switch {
		case p.tok.Is("("):
			p.indirect(o)
		case p.tok.Is("["):
			p.bracket(o)
		default:
			o.kind = immOperand
		}
	case t.Kind == tokenName:
		p.advance()
		p.named(o, t, depth)
	default:
		p.fail(t.Pos, operandHint(p.arch), "expected an operand, found %s", t.Describe())
	}
	return o
}

func operandHint(arch string) string {
	if arch == x86 {
		return "operands are such as: EAX, 1, [x], [EAX+4]"
	}
	return "operands are such as: %rax, $1, (x), 8(%rax)"
}

// segmentOrRegister reads what begins with a percent sign.
func (p *parser) segmentOrRegister(o *operand, depth int) {
	p.advance()
	t := p.ident("a register", operandHint(p.arch))
	if p.tok.Is(":") {
		switch strings.ToLower(t.Text) {
		case "cs", "ds", "es", "ss":
			// These segments begin at 0.
			p.advance()
			at := o.at
			*o = *p.operand(depth + 1)
			if o.at = at; o.kind != memOperand {
				p.fail(at, "", "a segment goes before an operand in memory")
			}
			return
		case "fs", "gs":
			p.fail(o.at, "use a variable that no other thread names", "%s: storage of a thread is not modelled", t.Text)
		}
		p.fail(t.Pos, "", "%s is not a segment", t.Text)
	}
	o.kind, o.reg = regOperand, p.codeRegister(t)
}

// codeRegister is the register that a program may use by this name.
func (p *parser) codeRegister(t token) register {
	r, ok := findRegister(p.arch, t.Text)
	switch {
	case !ok:
		hint := p.registerHint(t.Text)
		if hint == "" {
			hint = "symbolic registers are not supported"
		}
		p.fail(t.Pos, hint, "%s is not a register of %s", t.Text, p.arch)
	case r.base < rax:
		p.fail(t.Pos, "", "%s: instructions cannot use this register", t.Text)
	}
	return r
}

// named reads what begins with a name: a register, a size as in "dword ptr [x]",
// or a variable as in x(%rip).
func (p *parser) named(o *operand, t token, depth int) {
	if bits, ok := pointerSizes[strings.ToLower(t.Text)]; ok && p.tok.Kind == tokenName && strings.EqualFold(p.tok.Text, "ptr") {
		p.advance()
		at := o.at
		*o = *p.operand(depth + 1)
		if o.at, o.size = at, bits; o.kind != memOperand {
			p.fail(at, "", "%s ptr goes before an operand in memory", t.Text)
		}
		return
	}
	if isRegister(t.Text) {
		o.kind, o.reg = regOperand, p.codeRegister(t)
		return
	}
	o.variable = t.Text
	for p.tok.Is("+") || p.tok.Is("-") {
		p.accept("+")
		o.imm += p.number("")
	}
	if !p.tok.Is("(") {
		hint := "the content of a variable is written (" + t.Text + "), its address $" + t.Text
		if p.arch == x86 {
			hint = "the content of a variable is written [" + t.Text + "]"
		}
		p.fail(t.Pos, hint, "%s is not an operand", t.Text)
	}
	p.indirect(o)
}

// indirect reads (x), (%rax), (%rax,%rbx,8), (%rip).
func (p *parser) indirect(o *operand) {
	o.kind, o.scale = memOperand, 1
	p.expect("(", "")
	if !p.tok.Is(",") {
		p.term(o)
		for p.tok.Is("+") || p.tok.Is("-") {
			p.sum(o)
		}
	}
	if p.accept(",") {
		r := p.addressRegister()
		if o.index != nil {
			p.fail(p.tok.Pos, "", "an address has one index")
		}
		o.index = &r
		if p.accept(",") {
			o.scale = p.number("the scale is 1, 2, 4 or 8")
		}
	}
	p.expect(")", operandHint(p.arch))
}

// bracket reads [x], [rax], [rax+rbx*8-16].
func (p *parser) bracket(o *operand) {
	o.kind, o.scale = memOperand, 1
	p.expect("[", "")
	p.term(o)
	for p.tok.Is("+") || p.tok.Is("-") {
		p.sum(o)
	}
	p.expect("]", operandHint(p.arch))
}

// sum reads a term with its sign.
func (p *parser) sum(o *operand) {
	if p.accept("+") {
		p.term(o)
		return
	}
	o.imm += p.number("only a number can be subtracted from an address")
}

// term reads one term of an address.
func (p *parser) term(o *operand) {
	t := p.tok
	switch {
	case t.Kind == tokenNumber || t.Is("-"):
		n := p.number("")
		if !p.accept("*") {
			o.imm += n
			return
		}
		r := p.addressRegister()
		p.addIndex(o, t, r, n)
	case t.Is("%") || t.Kind == tokenName && isRegister(t.Text):
		if p.accept("%"); o.variable != "" && strings.EqualFold(p.tok.Text, "rip") {
			// As in x(%rip): where the code is does not matter.
			p.advance()
			return
		}
		r := p.addressRegister()
		switch {
		case p.accept("*"):
			p.addIndex(o, t, r, p.number("the scale is 1, 2, 4 or 8"))
		case o.base == nil:
			o.base = &r
		default:
			p.addIndex(o, t, r, 1)
		}
	case t.Kind == tokenName:
		p.advance()
		if o.variable != "" {
			p.fail(t.Pos, "", "an address has one variable")
		}
		o.variable = t.Text
	default:
		p.fail(t.Pos, operandHint(p.arch), "expected an address, found %s", t.Describe())
	}
}

func (p *parser) addIndex(o *operand, t token, r register, scale int64) {
	if o.index != nil {
		p.fail(t.Pos, "", "an address has one base and one index")
	}
	o.index, o.scale = &r, scale
}

// addressRegister reads a register of an address.
func (p *parser) addressRegister() register {
	p.accept("%")
	t := p.ident("a register", operandHint(p.arch))
	r := p.codeRegister(t)
	if r.part < low32 {
		p.fail(t.Pos, "", "%s has %d bits: it cannot hold an address", t.Text, r.part.bits())
	}
	return r
}

// constantAddress is true of an operand without registers.
func (o *operand) constantAddress() bool { return o.base == nil && o.index == nil }

// checkScale refuses scales that the processor does not have.
func (p *parser) checkScale(o *operand) {
	if o.kind == memOperand && (o.scale < 1 || o.scale > 8 || bits.OnesCount64(uint64(o.scale)) != 1) {
		p.fail(o.at, "", "the scale of an index is 1, 2, 4 or 8")
	}
}
