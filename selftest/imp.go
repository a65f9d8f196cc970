package selftest

import (
	"fmt"
	"strings"
)

// imp is t as a program in IMP. A sequentially consistent store is one with a fence behind it, as
// on x86.
func (t *tree) imp() (string, bool) {
	var b strings.Builder
	b.WriteString("program T\nvariables ")
	for i, v := range t.init {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %d", cellName(i), v)
	}
	b.WriteString("\n")
	for i, body := range t.threads {
		fmt.Fprintf(&b, "process P%d\n  local r0, r1, r2, n\nbegin\n", i)
		impBody(&b, body, "  ")
		b.WriteString("end\n")
	}
	var terms []string
	for _, m := range t.cond {
		if m.thread < 0 {
			terms = append(terms, fmt.Sprintf("%s = %d", cellName(m.index), m.value))
		} else {
			terms = append(terms, fmt.Sprintf("P%d.r%d = %d", m.thread, m.index, m.value))
		}
	}
	fmt.Fprintf(&b, "exists %s\n", strings.Join(terms, " & "))
	return b.String(), true
}

// expr is the value as most languages write it.
func (v value) expr() string {
	switch {
	case v.reg < 0:
		return fmt.Sprint(v.c)
	case v.c == 0:
		return fmt.Sprintf("r%d", v.reg)
	}
	return fmt.Sprintf("r%d + %d", v.reg, v.c)
}

func impBody(b *strings.Builder, body []stmt, indent string) {
	for i := range body {
		s := &body[i]
		x, v := cellName(s.cell), s.value.expr()
		say := func(format string, args ...any) { fmt.Fprintf(b, indent+format+";\n", args...) }
		switch s.op {
		case store:
			say("%s := %s", x, v)
			if s.order == seqCst {
				say("fence")
			}
		case load:
			say("r%d := %s", s.reg, x)
		case fence:
			say("fence")
		case exchange:
			say("r%d := xchg(%s, %s)", s.reg, x, v)
		case add:
			say("r%d := fetch_add(%s, %s)", s.reg, x, v)
		case cas:
			say("r%d := cas(%s, %d, %s)", s.reg, x, s.expect, v)
		case assign:
			say("r%d := %s", s.reg, v)
		case await:
			say("await %s = %d", x, s.expect)
		case branch:
			fmt.Fprintf(b, "%sif r%d = %d then\n", indent, s.reg, s.expect)
			impBody(b, orSkip(s.then), indent+"  ")
			if len(s.els) > 0 {
				b.WriteString(indent + "else\n")
				impBody(b, s.els, indent+"  ")
			}
			say("fi")
		case loop:
			say("n := 0")
			b.WriteString(indent + "while n < 2 do\n")
			impBody(b, s.then, indent+"  ")
			say("  n := n + 1")
			say("od")
		}
	}
	if len(body) == 0 {
		b.WriteString(indent + "skip\n")
	}
}

// orSkip is a body with something in it.
func orSkip(body []stmt) []stmt {
	if len(body) == 0 {
		return []stmt{{op: assign, reg: 0, value: value{0, 0}}}
	}
	return body
}
