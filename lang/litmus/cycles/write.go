package cycles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A dialect writes the accesses of a thread.
type dialect interface {
	// load and swap are the number of the register that has what was read.
	load(t *thread, x placed, m mode, d *dependency) int
	store(t *thread, x placed, m mode, d *dependency)
	swap(t *thread, x, y placed, read, write mode, d *dependency) int
	// branch is a jump that depends on a register.
	branch(t *thread, d *dependency)
	// register is how the condition names one.
	register(n int) string
	// address is what the initial state says of where a thread has the address of a
	// location; "": nothing.
	address(thread, loc int) string
	// table is how threads stand in the text: a column each, or a function each.
	table() bool
}

// A dependency is on what the access before read.
type dependency struct {
	kind string
	reg  int
	val  int
}

// A thread is being written.
type thread struct {
	lines []string
	regs  int
	depth int // of branches that are open (C)
	uses  []int
	jumps int
	index int
}

func (t *thread) line(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *thread) fresh() int {
	t.regs++
	return t.regs - 1
}

// A Text is a test as text.
type Text struct {
	Name  string
	Cycle string
	// Body is all but the condition, and Condition what it is a conjunction of.
	Body      string
	Condition []string
}

// String is the whole test.
func (t *Text) String() string { return t.With(t.Condition) }

// With is the test with another condition.
func (t *Text) With(condition []string) string {
	return t.Body + "exists (" + strings.Join(condition, ` /\ `) + ")\n"
}

// Text writes the test of the cycle. Its condition is that the cycle is there: each read
// reads as the cycle has it, and the last write to each location that has several is the last
// along it.
func (c *Cycle) Text() *Text {
	c, _ = c.family()
	as, n, _ := c.place()
	threads := make([]*thread, n)
	for i := range threads {
		threads[i] = &thread{index: i}
	}
	d := c.arch.dialect
	x := &Text{Name: c.Name(), Cycle: c.String()}
	var before *deco // of the edge to the access
	var dep *dependency
	got := 0 // the register that was read last
	for i := 0; i < len(as); i++ {
		a := as[i]
		t := threads[a.thread]
		if !slices.Contains(t.uses, a.loc) {
			t.uses = append(t.uses, a.loc)
		}
		if before != nil {
			if dep != nil && dep.kind == "ctrl" {
				d.branch(t, dep)
				dep = nil
			}
			if before.fence != "" {
				t.line("%s", before.fence)
			}
		}
		next := c.arch.decoAt(a.node)
		if next.before != "" {
			t.line("%s", next.before)
		}
		switch {
		case a.kind == amo:
			w := as[i+1]
			got = d.swap(t, a, w, c.arch.mode(a.node), c.arch.mode(w.node), dep)
			x.Condition = append(x.Condition, fmt.Sprintf("%d:%s=%d", a.thread, d.register(got), a.val))
			i++
			a = w
			if next = c.arch.decoAt(a.node); next.before != "" {
				t.lines = slices.Insert(t.lines, len(t.lines)-1, next.before)
			}
		case a.write:
			d.store(t, a, c.arch.mode(a.node), dep)
		default:
			got = d.load(t, a, c.arch.mode(a.node), dep)
			x.Condition = append(x.Condition, fmt.Sprintf("%d:%s=%d", a.thread, d.register(got), a.val))
		}
		if before != nil && before.after != "" {
			t.line("%s", before.after)
		}
		before, dep = nil, nil
		if !a.kind.external() {
			before = next
			if next.dep != "" {
				dep = &dependency{next.dep, got, a.val}
			}
		}
	}
	x.Condition = append(x.Condition, lastWrites(as)...)
	x.Body = c.body(x, threads)
	return x
}

func (a *Arch) decoAt(n node) *deco { return &a.decos[n.deco] }

// lastWrites says which write is the last one, where there are several.
func lastWrites(as []placed) (cond []string) {
	count, most := map[int]int{}, map[int]int{}
	top := 0
	for _, a := range as {
		if a.write {
			count[a.loc]++
			most[a.loc] = max(most[a.loc], a.val)
		}
		top = max(top, a.loc)
	}
	for l := range top + 1 {
		if count[l] > 1 {
			cond = append(cond, fmt.Sprintf("[%s]=%d", location(l), most[l]))
		}
	}
	return cond
}

// body is the test up to its condition.
func (c *Cycle) body(x *Text, threads []*thread) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\"%s\"\n{", c.arch.header, x.Name, x.Cycle)
	d := c.arch.dialect
	for i, t := range threads {
		sep := "\n"
		for _, l := range slices.Sorted(slices.Values(t.uses)) {
			if s := d.address(i, l); s != "" {
				b.WriteString(sep + s + ";")
				sep = " "
			}
		}
	}
	b.WriteString("\n}\n")
	if !d.table() {
		for i, t := range threads {
			functionText(&b, i, t, d.address(-1, 0))
		}
		return b.String()
	}
	height := 0
	widths := make([]int, len(threads))
	for i, t := range threads {
		height = max(height, len(t.lines))
		widths[i] = len("P0")
		for _, l := range t.lines {
			widths[i] = max(widths[i], len(l))
		}
	}
	for r := -1; r < height; r++ {
		for i, t := range threads {
			s := ""
			switch {
			case r < 0:
				s = "P" + strconv.Itoa(i)
			case r < len(t.lines):
				s = t.lines[r]
			}
			fmt.Fprintf(&b, " %-*s ", widths[i], s)
			b.WriteString(map[bool]string{true: "|", false: ";\n"}[i < len(threads)-1])
		}
	}
	return b.String()
}

// functionText writes a thread in C, whose parameters have the type.
func functionText(b *strings.Builder, i int, t *thread, typ string) {
	var params, regs []string
	for _, l := range slices.Sorted(slices.Values(t.uses)) {
		params = append(params, typ+" *"+location(l))
	}
	for r := range t.regs {
		regs = append(regs, fmt.Sprintf("  int r%d = 0;\n", r))
	}
	fmt.Fprintf(b, "P%d(%s) {\n%s", i, strings.Join(params, ", "), strings.Join(regs, ""))
	indent := "  "
	for _, l := range t.lines {
		b.WriteString(indent + l + "\n")
		if strings.HasSuffix(l, "{") {
			indent += "  "
		}
	}
	for range t.depth {
		indent = indent[2:]
		b.WriteString(indent + "}\n")
	}
	b.WriteString("}\n")
}
