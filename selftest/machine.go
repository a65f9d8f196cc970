package selftest

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
)

// A machine is an instruction set, as litmus tests write it.
type machine struct {
	title string
	regs  [registers]string
	// start is the initial value of a register that holds the address of a cell; "": there is none.
	start func(thread, cell int) string
	// emit gives the instructions of a statement that is no branch and no loop, and false where
	// there are none for it.
	emit func(m *machine, s *stmt, l *labels) ([]string, bool)
	// unless jumps to the label where register r is not the constant.
	unless func(r string, c int64, label string) []string
	jump   string // with %s for the label
	set    func(r string, v int64) string
	step   func(r string) string // adds 1
	nop    string
	count  string // the register that loops count in
	// spin waits for a cell to have a value.
	spin func(s *stmt, label string) []string
}

// litmus is t as a test for m.
func (t *tree) litmus(m *machine) (string, bool) {
	columns := make([][]string, len(t.threads))
	l := &labels{}
	for i, body := range t.threads {
		for r := range m.regs {
			columns[i] = append(columns[i], m.set(m.regs[r], 0))
		}
		code, ok := m.body(body, l)
		if !ok {
			return "", false
		}
		columns[i] = append(columns[i], code...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s T\n{ ", m.title)
	for i, v := range t.init {
		fmt.Fprintf(&b, "%s=%d; ", cellName(i), v)
	}
	for i := range t.threads {
		for c := range t.init {
			if m.start != nil {
				b.WriteString(m.start(i, c) + "; ")
			}
		}
	}
	b.WriteString("}\n")
	litmus.WriteColumns(&b, columns)
	fmt.Fprintf(&b, "exists (%s)\n", t.question(func(r int) string { return strings.TrimPrefix(m.shown(r), "%") }))
	return b.String(), true
}

// shown is how conditions call a register.
func (m *machine) shown(r int) string {
	name := m.regs[r]
	if m.title == "AArch64" {
		return "X" + name[1:]
	}
	return name
}

func (m *machine) body(body []stmt, l *labels) (code []string, ok bool) {
	for i := range body {
		s := &body[i]
		switch s.op {
		case branch:
			then, a := m.body(s.then, l)
			els, b := m.body(s.els, l)
			if !a || !b {
				return nil, false
			}
			other, end := l.next(), l.next()
			code = append(code, m.unless(m.regs[s.reg], s.expect, other)...)
			code = append(append(code, then...), fmt.Sprintf(m.jump, end), other+": "+m.nop)
			code = append(append(code, els...), end+": "+m.nop)
		case loop:
			again, top := l.next(), ""
			inner, a := m.body(s.then, l)
			if !a {
				return nil, false
			}
			top = again + ": " + m.nop
			code = append(code, m.set(m.count, 0), top)
			code = append(append(code, inner...), m.step(m.count))
			code = append(code, m.unless(m.count, 2, again)...)
		case await:
			if m.spin == nil {
				return nil, false
			}
			code = append(code, m.spin(s, l.next())...)
		default:
			some, a := m.emit(m, s, l)
			if !a {
				return nil, false
			}
			code = append(code, some...)
		}
	}
	return code, true
}

// loaded puts a value into a register by the three instructions that do it.
func loaded(v value, regs [registers]string, into, set, move, plus string) (code []string) {
	if v.reg < 0 {
		return []string{fmt.Sprintf(set, into, v.c)}
	}
	code = append(code, fmt.Sprintf(move, into, regs[v.reg]))
	if v.c != 0 {
		code = append(code, fmt.Sprintf(plus, into, v.c))
	}
	return code
}

var x86 = machine{
	title: "X86",
	emit:  emitX86,
	regs:  [registers]string{"EBX", "ECX", "EDX"},
	jump:  "JMP %s", nop: "NOP", count: "EDI",
	set:  func(r string, v int64) string { return fmt.Sprintf("MOV %s,$%d", r, v) },
	step: func(r string) string { return "ADD " + r + ",$1" },
	unless: func(r string, c int64, label string) []string {
		return []string{fmt.Sprintf("CMP %s,$%d", r, c), "JNE " + label}
	},
	spin: func(s *stmt, label string) []string {
		return []string{fmt.Sprintf("%s: MOV EAX,[%s]", label, cellName(s.cell)), fmt.Sprintf("CMP EAX,$%d", s.expect), "JNE " + label}
	},
}

func emitX86(m *machine, s *stmt, l *labels) (code []string, ok bool) {
	x, r := cellName(s.cell), m.regs[s.reg]
	into := func(reg string) []string {
		return loaded(s.value, m.regs, reg, "MOV %s,$%d", "MOV %s,%s", "ADD %s,$%d")
	}
	switch s.op {
	case store:
		if s.value.reg < 0 {
			code = []string{fmt.Sprintf("MOV [%s],$%d", x, s.value.c)}
		} else {
			code = append(into("ESI"), fmt.Sprintf("MOV [%s],ESI", x))
		}
		if s.order == seqCst {
			code = append(code, "MFENCE")
		}
	case load:
		code = []string{fmt.Sprintf("MOV %s,[%s]", r, x)}
	case fence:
		code = []string{"MFENCE"}
	case exchange:
		code = append(into("ESI"), fmt.Sprintf("XCHG [%s],ESI", x), "MOV "+r+",ESI")
	case add:
		code = append(into("ESI"), fmt.Sprintf("LOCK XADD [%s],ESI", x), "MOV "+r+",ESI")
	case cas:
		end := l.next()
		code = append(into("ESI"), fmt.Sprintf("MOV EAX,$%d", s.expect), fmt.Sprintf("LOCK CMPXCHG [%s],ESI", x),
			"MOV "+r+",$0", "JNE "+end, "MOV "+r+",$1", end+": NOP")
	case assign:
		code = append(into("ESI"), "MOV "+r+",ESI")
	}
	return code, true
}

var aarch64 = machine{
	title: "AArch64",
	emit:  emitAArch64,
	regs:  [registers]string{"W0", "W1", "W2"},
	start: func(i, c int) string { return fmt.Sprintf("%d:X%d=%s", i, 20+c, cellName(c)) },
	jump:  "B %s", nop: "NOP", count: "W9",
	set:  func(r string, v int64) string { return fmt.Sprintf("MOV %s,#%d", r, v) },
	step: func(r string) string { return fmt.Sprintf("ADD %s,%s,#1", r, r) },
	unless: func(r string, c int64, label string) []string {
		return []string{fmt.Sprintf("CMP %s,#%d", r, c), "B.NE " + label}
	},
}

func emitAArch64(m *machine, s *stmt, _ *labels) (code []string, ok bool) {
	at, r := fmt.Sprintf("[X%d]", 20+s.cell), m.regs[s.reg]
	into := func(reg string) []string {
		code := loaded(s.value, m.regs, reg, "MOV %s,#%d", "MOV %s,%s", "ADD %[1]s,%[1]s,#%[2]d")
		return code
	}
	suffix := [...]string{"", "AL", "AL"}[s.order]
	switch s.op {
	case store:
		code = append(into("W5"), fmt.Sprintf("%s W5,%s", [...]string{"STR", "STLR", "STLR"}[s.order], at))
	case load:
		code = []string{fmt.Sprintf("%s %s,%s", [...]string{"LDR", "LDAPR", "LDAR"}[s.order], r, at)}
	case fence:
		code = []string{"DMB SY"}
	case exchange:
		code = append(into("W5"), fmt.Sprintf("SWP%s W5,%s,%s", suffix, r, at))
	case add:
		code = append(into("W5"), fmt.Sprintf("LDADD%s W5,%s,%s", suffix, r, at))
	case cas:
		code = append(into("W5"), fmt.Sprintf("MOV W6,#%d", s.expect), fmt.Sprintf("CAS%s W6,W5,%s", suffix, at),
			fmt.Sprintf("CMP W6,#%d", s.expect), fmt.Sprintf("CSET %s,EQ", r))
	case assign:
		code = append(into("W5"), fmt.Sprintf("MOV %s,W5", r))
	}
	return code, true
}

var riscv = machine{
	title: "RISCV",
	emit:  emitRISCV,
	regs:  [registers]string{"x10", "x11", "x12"},
	start: func(i, c int) string { return fmt.Sprintf("%d:x%d=%s", i, 20+c, cellName(c)) },
	jump:  "j %s", nop: "nop", count: "x9",
	set:  func(r string, v int64) string { return fmt.Sprintf("li %s,%d", r, v) },
	step: func(r string) string { return fmt.Sprintf("addi %s,%s,1", r, r) },
	unless: func(r string, c int64, label string) []string {
		return []string{fmt.Sprintf("li x7,%d", c), fmt.Sprintf("bne %s,x7,%s", r, label)}
	},
}

func emitRISCV(m *machine, s *stmt, _ *labels) (code []string, ok bool) {
	at, r := fmt.Sprintf("x%d", 20+s.cell), m.regs[s.reg]
	into := func(reg string) []string {
		return loaded(s.value, m.regs, reg, "li %s,%d", "mv %s,%s", "addi %[1]s,%[1]s,%[2]d")
	}
	suffix := [...]string{"", ".aq.rl", ".aq.rl"}[s.order]
	switch s.op {
	case store:
		if s.order != relaxed {
			code = []string{"fence rw,w"}
		}
		code = append(append(into("x5"), code...), fmt.Sprintf("sw x5,0(%s)", at))
	case load:
		code = []string{fmt.Sprintf("lw %s,0(%s)", r, at)}
		if s.order != relaxed {
			code = append(code, "fence r,rw")
		}
	case fence:
		code = []string{"fence rw,rw"}
	case exchange:
		code = append(into("x5"), fmt.Sprintf("amoswap.w%s %s,x5,(%s)", suffix, r, at))
	case add:
		code = append(into("x5"), fmt.Sprintf("amoadd.w%s %s,x5,(%s)", suffix, r, at))
	case assign:
		code = append(into("x5"), fmt.Sprintf("mv %s,x5", r))
	default:
		return nil, false
	}
	return code, true
}

var power = machine{
	title: "PPC",
	emit:  emitPower,
	regs:  [registers]string{"r10", "r11", "r12"},
	start: func(i, c int) string { return fmt.Sprintf("%d:r%d=%s", i, 20+c, cellName(c)) },
	jump:  "b %s", nop: "mr r5,r5", count: "r9",
	set:  func(r string, v int64) string { return fmt.Sprintf("li %s,%d", r, v) },
	step: func(r string) string { return fmt.Sprintf("addi %s,%s,1", r, r) },
	unless: func(r string, c int64, label string) []string {
		return []string{fmt.Sprintf("cmpwi %s,%d", r, c), "bne " + label}
	},
}

func emitPower(m *machine, s *stmt, _ *labels) (code []string, ok bool) {
	at, r := fmt.Sprintf("0(r%d)", 20+s.cell), m.regs[s.reg]
	into := func(reg string) []string {
		return loaded(s.value, m.regs, reg, "li %s,%d", "mr %s,%s", "addi %[1]s,%[1]s,%[2]d")
	}
	switch s.op {
	case store:
		if s.order != relaxed {
			code = []string{"lwsync"}
		}
		code = append(append(into("r5"), code...), "stw r5,"+at)
	case load:
		code = []string{"lwz " + r + "," + at}
		if s.order != relaxed {
			code = append(code, "lwsync")
		}
	case fence:
		code = []string{"sync"}
	case assign:
		code = append(into("r5"), fmt.Sprintf("mr %s,r5", r))
	default:
		return nil, false
	}
	return code, true
}
