package randc

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// An asmOperand is an operand of an asm statement. Operands have names, so that their order does not matter.
type asmOperand struct {
	name, constraint, expr string
	bytes                  int
	memory, fixed          bool
}

// Assembly makes a program of a few statements of inline assembly of x86-64, of instructions that assemblers
// take, on values at the ends of the ranges. It needs [Types].
func Assembly(rng *rand.Rand, prefix string) Program {
	g := &gen{rng: rng, prefix: prefix}
	p := Program{Name: prefix + "run"}
	var body strings.Builder
	for i := range 1 + rng.IntN(3) {
		g.assembly(&p, &body, fmt.Sprintf("%s%d", prefix, i))
	}
	for _, r := range p.Results {
		p.Text += fmt.Sprintf("static u64 %s;\n", r)
	}
	p.Text += fmt.Sprintf("static void %s(void) {\n%s}\n", p.Name, body.String())
	return p
}

// asmTypes has no _Bool: what is neither 0 nor 1 in one is no value of C. Flags are written to those.
var asmTypes = map[int][]string{1: {"i8", "u8"}, 2: {"i16", "u16"}, 4: {"i32", "u32"}, 8: {"i64", "u64"}}

// boundary is a value at an end of a range of so many bytes, or near it.
func (g *gen) boundary(bytes int) string {
	all := []string{"0", "1", "2", "3", "5", "7", "-1", "-2"}
	for _, b := range []int{7, 8, 15, 16, 31, 32, 63} {
		if b < 8*bytes {
			all = append(all, fmt.Sprintf("(i64)(1UL << %d)", b), fmt.Sprintf("(i64)((1UL << %d) - 1)", b))
		}
	}
	return pick(g, all)
}

// assembly writes a statement, and what it has changed into results.
func (g *gen) assembly(p *Program, body *strings.Builder, name string) {
	bytes := pick(g, []int{1, 2, 4, 4, 4, 8, 8})
	suffix := map[int]string{1: "b", 2: "w", 4: "l", 8: "q"}[bytes]
	modifier := map[int]string{1: "b", 2: "w", 4: "k", 8: "q"}[bytes]
	fmt.Fprintf(body, "{\n")
	var vars []string
	variable := func(bytes int) string {
		v := fmt.Sprintf("%s_v%d", name, len(vars))
		t := pick(g, asmTypes[bytes])
		if g.p(30) {
			v = strings.ToUpper(v)
			p.Text += fmt.Sprintf("static %s %s;\n", t, v)
			fmt.Fprintf(body, "\t%s = %s;\n", v, g.boundary(bytes))
		} else {
			fmt.Fprintf(body, "\t%s %s = %s;\n", t, v, g.boundary(bytes))
		}
		vars = append(vars, v)
		return v
	}
	var outs, ins []*asmOperand
	var unset []*asmOperand // registers that nothing is put into
	var accumulator bool    // something is put into register a, which may change
	fixed := []string{"a", "b", "c", "d", "S", "D"}
	letter := func(out bool) string {
		if out && g.p(40) || !out && g.p(15) {
			i := g.rng.IntN(len(fixed))
			if g.p(50) {
				i = 0
			}
			if l := fixed[i]; bytes > 1 || !strings.Contains("SD", l) {
				fixed = slices.Delete(fixed, i, i+1)
				return l
			}
		}
		return pick(g, []string{"r", "q", "r"})
	}
	add := func(list *[]*asmOperand, o asmOperand) *asmOperand {
		o.name = fmt.Sprintf("x%d", len(outs)+len(ins))
		o.bytes = cmp.Or(o.bytes, bytes)
		*list = append(*list, &o)
		return &o
	}
	// A place in memory, now and then a wider one.
	m := &asmOperand{}
	if g.p(75) {
		wide := bytes
		if g.p(15) {
			wide = pick(g, []int{4, 8})
		}
		v := variable(max(bytes, wide))
		m = add(&outs, asmOperand{constraint: "+m", expr: v, memory: true})
	}
	for range g.rng.IntN(3) + 1 {
		size := bytes
		if g.p(7) {
			if size = pick(g, []int{1, 2, 4, 8}); size < bytes && g.p(70) {
				size = bytes // what is above in the register is nobody's
			}
		}
		c := pick(g, []string{"+", "+", "+", "+", "+", "+&", "+&", "=", "=&"})
		o := add(&outs, asmOperand{constraint: c + letter(true), expr: variable(size), bytes: size})
		accumulator = accumulator || strings.HasSuffix(o.constraint, "a") && size >= bytes
		if c[0] == '=' && (len(c) > 1 || g.p(5)) {
			unset = append(unset, o)
		} else if c == "=" {
			e := variable(bytes)
			if g.p(30) {
				e = vars[0]
			}
			back := "[" + o.name + "]"
			if l := o.constraint[1:]; !strings.Contains("rq", l) && g.p(50) {
				back = l
			}
			add(&ins, asmOperand{constraint: back, expr: "(" + pick(g, asmTypes[bytes]) + ")" + e})
		}
	}
	for range g.rng.IntN(3) {
		o := asmOperand{constraint: letter(false), expr: "(" + asmTypes[bytes][g.rng.IntN(2)] + ")" + variable(bytes)}
		switch {
		case g.p(20):
			o.constraint, o.expr, o.fixed = pick(g, []string{"i", "n", "ri"}), fmt.Sprintf("(%s)%s", asmTypes[bytes][g.rng.IntN(2)], pick(g, []string{"0", "1", "2", "3", "7", "100", "-1", "-128"})), true
		case g.p(10):
			o.constraint, o.expr, o.memory = "m", variable(bytes), true
		}
		add(&ins, o)
	}
	ref := func(o *asmOperand) string {
		if o.memory || o.fixed || o.bytes == bytes && g.p(60) {
			return "%[" + o.name + "]"
		}
		return "%" + modifier + "[" + o.name + "]"
	}
	all := append(slices.Clone(outs), ins...)
	filter := func(list []*asmOperand, ok func(o *asmOperand) bool) []*asmOperand {
		return slices.DeleteFunc(slices.Clone(list), func(o *asmOperand) bool { return !ok(o) })
	}
	registers := filter(all, func(o *asmOperand) bool { return !o.memory && !o.fixed })
	written := filter(outs, func(o *asmOperand) bool { return !o.memory })
	source := func(memory bool) string {
		if g.p(20) {
			return "$" + pick(g, []string{"0", "1", "2", "5", "0x7f", "-1"})
		}
		return ref(pick(g, filter(all, func(o *asmOperand) bool { return memory || !o.memory })))
	}
	flags := ""
	var text []string
	for _, o := range unset { // as compilers and people have it, almost always
		if g.p(98) {
			op := pick(g, []string{"mov", "mov", "xor"})
			from := pick(g, []string{"$0", "$1", "$2", "$5", "$0x7f", "$-1"})
			size := max(bytes, o.bytes)
			reg := fmt.Sprintf("%%%s[%s]", map[int]string{1: "b", 2: "w", 4: "k", 8: "q"}[size], o.name)
			if op == "xor" {
				from, flags = reg, "e z ne nz c nc s ns"
			}
			text = append(text, fmt.Sprintf("%s%s %s, %s", op, map[int]string{1: "b", 2: "w", 4: "l", 8: "q"}[size], from, reg))
		}
	}
	carry := func() string { // what inc and its kin leave as it was
		if strings.Contains(flags, "c") {
			return " c nc b nb ae"
		}
		return ""
	}
	for range 1 + g.rng.IntN(4) {
		if flags != "" && g.p(40) {
			cond := pick(g, strings.Fields(flags))
			o := pick(g, written)
			text = append(text, "set"+cond+" %b["+o.name+"]")
			continue
		}
		s := ""
		if g.p(85) {
			s = suffix
		}
		lock, to := "", ref(pick(g, written))
		memory := m.memory && g.p(55)
		if memory {
			to, s = ref(m), suffix
			if g.p(70) {
				lock = pick(g, []string{"lock; ", "lock "})
			}
		}
		switch k := g.rng.IntN(12); {
		case k < 4:
			op := pick(g, []string{"add", "sub", "and", "or", "xor"})
			text = append(text, fmt.Sprintf("%s%s%s %s, %s", lock, op, s, source(!memory), to))
			flags = "e z ne nz c b nc nb ae s ns"
		case k < 6:
			op := pick(g, []string{"inc", "dec", "neg", "not"})
			text = append(text, fmt.Sprintf("%s%s%s %s", lock, op, s, to))
			switch op {
			case "neg":
				flags = "e z ne nz s ns c nc"
			case "inc", "dec":
				flags = "e z ne nz s ns" + carry()
			}
		case k < 7:
			text = append(text, fmt.Sprintf("mov%s %s, %s", s, source(!memory), to))
		case k < 8 && bytes > 1:
			n := "$" + fmt.Sprint(g.rng.IntN(8*bytes))
			if !memory && len(registers) > 0 && g.p(50) {
				n = ref(pick(g, registers))
			}
			op := pick(g, []string{"bts", "btr", "btc", "bt"})
			if op == "bt" {
				lock = ""
			}
			text = append(text, fmt.Sprintf("%s%s%s %s, %s", lock, op, suffix, n, to))
			flags = "c b nc nb ae"
		case k < 9:
			if m.memory && memory {
				text = append(text, fmt.Sprintf("lock; xadd%s %s, %s", s, ref(pick(g, written)), to))
				flags = "e z ne nz c nc s ns"
			}
		case k < 10:
			from := ref(pick(g, written))
			if memory && g.p(40) {
				from, to = to, from
			}
			text = append(text, fmt.Sprintf("xchg%s %s, %s", s, from, to))
		case k < 11:
			if memory && len(registers) > 0 && (accumulator || g.p(3)) {
				text = append(text, fmt.Sprintf("lock cmpxchg%s %s, %s", s, ref(pick(g, registers)), to))
				flags = "e z ne nz"
			}
		default:
			text = append(text, pick(g, []string{"mfence", "pause", "nop", "rep; nop", "cmp" + suffix + " " + source(false) + ", " + to, "test" + suffix + " " + source(false) + ", " + to}))
			if last := text[len(text)-1]; strings.HasPrefix(last, "cmp") || strings.HasPrefix(last, "test") {
				flags = "e z ne nz c nc s ns"
			}
		}
	}
	if len(text) == 0 {
		text = append(text, "nop")
	}
	if flags != "" && g.p(40) {
		v := variable(1)
		if g.p(30) {
			v = fmt.Sprintf("%s_v%d", name, len(vars))
			vars = append(vars, v)
			fmt.Fprintf(body, "\t_Bool %s = %d;\n", v, g.rng.IntN(2))
		}
		add(&outs, asmOperand{constraint: "=@cc" + pick(g, strings.Fields(flags)), expr: v})
	}
	g.early(outs, ins, text)
	write := func(list []*asmOperand) string {
		var s []string
		for _, o := range list {
			s = append(s, fmt.Sprintf("[%s] \"%s\"(%s)", o.name, o.constraint, o.expr))
		}
		return strings.Join(s, ", ")
	}
	fmt.Fprintf(body, "\t__asm__ volatile(\"%s\"\n\t\t: %s\n\t\t: %s\n\t\t: \"memory\", \"cc\");\n", strings.Join(text, pick(g, []string{"; ", "\\n\\t"})), write(outs), write(ins))
	for i, v := range vars {
		r := fmt.Sprintf("%s_r%d", name, i)
		p.Results = append(p.Results, r)
		fmt.Fprintf(body, "\t%s = %s;\n", r, v)
	}
	fmt.Fprintf(body, "}\n")
}

// early says of the outputs that are written before an input is read that they are, but for a few: the compiler
// may take the register of the input for them else.
func (g *gen) early(outs, ins []*asmOperand, text []string) {
	last := func(o *asmOperand) int { // the instruction that names it last, in whatever width
		for i := len(text) - 1; i >= 0; i-- {
			if strings.Contains(text[i], "["+o.name+"]") {
				return i
			}
		}
		return -1
	}
	reads := -1
	for _, in := range ins {
		if !in.fixed && !strings.HasPrefix(in.constraint, "[") {
			reads = max(reads, last(in))
		}
	}
	for _, out := range outs {
		if strings.ContainsAny(out.constraint, "&m@") {
			continue
		}
		for _, one := range text[:max(reads, 0)] {
			if strings.Contains(one, "["+out.name+"]") && g.p(97) {
				letter := out.constraint[1:]
				out.constraint = out.constraint[:1] + "&" + letter
				for _, in := range ins { // its own input may say so by its number only
					if in.constraint == letter && !strings.Contains("rq", letter) {
						in.constraint = "[" + out.name + "]"
					}
				}
				break
			}
		}
	}
}
