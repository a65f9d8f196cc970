package c

import (
	"regexp"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

var blanks = regexp.MustCompile(`\s+`)

// assembly is an asm statement: a fence, a pause, or an idiom that is known.
func (l *lowerer) assembly(n *cc.AsmStatement) {
	list := n.Asm.AsmArgList
	text := strings.TrimRight(asmText(n), "\x00")
	text = strings.TrimSpace(blanks.ReplaceAllString(strings.NewReplacer(";", " ; ", "\\n", " ; ", "\n", " ; ", "\\t", " ").Replace(text), " "))
	text = strings.Trim(text, "; ")
	switch text {
	case "", "nop", "pause", "rep ; nop", "rep nop", "yield", "isync", "isb", "hlt":
		return
	case "mfence", "sync", "dmb sy", "dmb ish", "dmb", "hwsync", "fence rw,rw", "fence rw, rw",
		"lock ; addl $0,0(%%rsp)", "lock ; addl $0, 0(%%rsp)", "lock ; addl $0,0(%%esp)", "lock ; orl $0,0(%%rsp)",
		"lock ; orl $0, (%%rsp)", "lock ; orq $0, (%%rsp)", "lock addl $0,0(%%rsp)", "lock orl $0,(%%rsp)", "lock ; orl $0x0,(%%rsp)",
		"dmb st", "dmb ishst", "dmb ishld", "dmb ld", "DMB", "MCR":
		l.fence(seqCst)
		return
	case "lwsync", "eieio":
		// Not of this processor. The tests that have them were made for others, and
		// fence for fence they are full ones here.
		l.fence(seqCst)
		return
	case "lfence":
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(orderTag[acquire], program.TagLFence)})
		return
	case "sfence":
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(orderTag[release], program.TagSFence)})
		return
	}
	if l.idiom(n, text, operandsOf(list)) {
		return
	}
	l.u.refuse(n, "the assembly \""+text+"\"")
}

// asmText is the instructions of an asm statement.
func asmText(n *cc.AsmStatement) string {
	var b strings.Builder
	for _, t := range cc.NodeTokens(n.Asm) {
		if s := t.SrcStr(); strings.HasPrefix(s, "\"") {
			b.WriteString(strings.Trim(s, "\""))
		} else if s == ":" {
			break
		}
	}
	return b.String()
}

// An asmOperand is an operand of an asm statement.
type asmOperand struct {
	constraint string
	e          cc.ExpressionNode
}

// operandsOf lists the operands, outputs first.
func operandsOf(n *cc.AsmArgList) []asmOperand {
	var ops []asmOperand
	for i := 0; n != nil && i < 2; n, i = n.AsmArgList, i+1 {
		for e := n.AsmExpressionList; e != nil; e = e.AsmExpressionList {
			op := asmOperand{}
			// "constraint" (expression) parses as a call of a string.
			if call, ok := e.AssignmentExpression.(*cc.PostfixExpression); ok && call.Case == cc.PostfixExpressionCall && call.ArgumentExpressionList != nil {
				s, _ := stringOf(call.PostfixExpression)
				op.constraint = strings.TrimRight(s, "\x00")
				op.e = call.ArgumentExpressionList.AssignmentExpression
			}
			ops = append(ops, op)
		}
	}
	return ops
}

// idiom lowers the locked instructions of x86 as spinlocks have them.
func (l *lowerer) idiom(n *cc.AsmStatement, text string, ops []asmOperand) bool {
	for _, op := range ops {
		if op.e == nil {
			return false
		}
	}
	f := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	if len(f) > 0 && f[0] == "lock" {
		f = f[1:]
	} else if len(f) == 0 || !strings.HasPrefix(f[0], "xchg") {
		return false
	}
	if len(f) != 3 || len(ops) < 2 {
		return false
	}
	operand := func(s string) (asmOperand, bool) {
		if len(s) == 2 && s[0] == '%' && s[1] >= '0' && int(s[1]-'0') < len(ops) {
			return ops[s[1]-'0'], true
		}
		return asmOperand{}, false
	}
	a, ok1 := operand(f[1])
	b, ok2 := operand(f[2])
	if !ok1 || !ok2 {
		return false
	}
	memory := func(o asmOperand) bool { return strings.Contains(o.constraint, "m") }
	switch op := strings.TrimRight(f[0], "lqwb"); op {
	case "xchg":
		if memory(a) {
			a, b = b, a
		}
		if !memory(b) || memory(a) {
			return false
		}
		// The register is read and written; where it is an operand of its own the
		// first one matches it.
		p, r := l.lvalue(b.e), l.lvalue(a.e)
		v := l.coerce(n, l.input(a, ops), p.t)
		l.store(r, l.convert(l.exchange(p, v, seqCst), r.t.plain()))
		return true
	case "xadd":
		if !memory(b) || memory(a) {
			return false
		}
		p, r := l.lvalue(b.e), l.lvalue(a.e)
		t := p.t.plain()
		v := l.coerce(n, l.input(a, ops), t)
		old := l.temp(t)
		l.rmw("xadd", p, old, wrap(bin(program.Add, program.Reg(old), v.e), t), seqCst)
		l.store(r, l.convert(value{t: t, e: program.Reg(old)}, r.t.plain()))
		return true
	}
	return false
}

// input is the value of an operand that is read and written: its own where the
// constraint has a +, else that of the input with the same number.
func (l *lowerer) input(o asmOperand, ops []asmOperand) value {
	for i, out := range ops {
		if out.e == o.e {
			for _, in := range ops[i+1:] {
				if len(in.constraint) == 1 && int(in.constraint[0]-'0') == i {
					return l.expr(in.e)
				}
			}
		}
	}
	return l.expr(o.e)
}
