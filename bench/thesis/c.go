package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// writeC writes p, unrolled to a bound, as C for CBMC. The bound is that of
// package encode: so many back edges for each thread, of whatever loops, and a loop
// that only waits is not gone round at all. Under SC and under TSO, the C has a
// violation if and only if p has one up to the bound.
//
// A thread is a function with one loop, whose body is the automaton in reverse
// postorder: a back edge notes where it leads and goes on to the next round. So
// nothing is counted twice where loops are nested. A thread that is blocked returns,
// and so does one that may stop because a property looks at where it is. An
// assumption would not do in either place: it takes the whole execution away, with
// what the other threads have done wrong in it.
//
// What has no C is an error that says so.
func writeC(w io.Writer, p *program.Program, bound int) error {
	if t, q := p.Special(); t >= 0 {
		return fmt.Errorf("no C for a state that is %s", p.Threads[t].States[q].Kind)
	}
	r, err := program.Analyse(p)
	if err != nil {
		return err
	}
	c := &cWriter{p: p, ranges: r, threads: make([]stops, len(p.Threads))}
	for t := range c.threads {
		c.threads[t].named = make([]bool, len(p.Threads[t].States))
	}
	for i := range p.Properties {
		pr := &p.Properties[i]
		if pr.Kind == program.Deadlock {
			return fmt.Errorf("no C for %s", pr)
		}
		c.watch(pr)
	}
	c.printf("%s", prelude)
	for _, m := range r.Cells {
		c.printf("%s %s = %s;\n", cType(m.Type), cell(m.Addr), constant(m.Init))
	}
	for t, th := range p.Threads {
		c.printf("int at%d, end%d;\n", t, t)
		for _, k := range c.threads[t].regs {
			c.printf("%s left%dr%d;\n", cType(th.Regs[k].Type), t, k)
		}
	}
	for t, th := range p.Threads {
		if err := c.thread(t, bound); err != nil {
			return fmt.Errorf("thread %s: %w", th.Name, err)
		}
	}
	c.main()
	_, err = w.Write(c.b.Bytes())
	return err
}

// prelude has the operators that C leaves undefined somewhere.
const prelude = `_Bool nondet_bool(void);
long long nondet_longlong(void);

#define FENCE __CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence")

static long long quo(long long x, long long y) { return y == 0 ? 0 : y == -1 ? -x : x / y; }
static long long rem(long long x, long long y) { return y == 0 ? x : y == -1 ? 0 : x % y; }
static long long shl(long long x, unsigned long long n) { return n > 63 ? 0 : x << n; }
static long long shr(long long x, unsigned long long n) { return x >> (n > 63 ? 63 : n); }
static long long uquo(unsigned long long x, unsigned long long y) { return y == 0 ? 0 : x / y; }
static long long urem(unsigned long long x, unsigned long long y) { return y == 0 ? x : x % y; }
static long long ushr(unsigned long long x, unsigned long long n) { return n > 63 ? 0 : x >> n; }
static long long ult(unsigned long long x, unsigned long long y) { return x < y; }
static long long ule(unsigned long long x, unsigned long long y) { return x <= y; }
static long long cast(long long x, int bits, int sign) {
  unsigned long long y = (unsigned long long)x << (64 - bits);
  return sign ? (long long)y >> (64 - bits) : (long long)(y >> (64 - bits));
}

_Bool looked;
`

type cWriter struct {
	p       *program.Program
	ranges  *program.Ranges
	b       bytes.Buffer
	threads []stops
	// The cells that properties of all states, and those of final ones, look at.
	seen, last []int64
	finals     bool // there are properties of final states
	t          *program.Thread
}

// stops says where a thread may stop for good although it could go on, so that a
// property can be seen to be violated there.
type stops struct {
	named []bool // by control state
	all   bool   // in every state
	regs  []int  // the registers that properties ask for
}

func (c *cWriter) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// watch finds out what pr looks at.
func (c *cWriter) watch(pr *program.Property) {
	cells := &c.seen
	if pr.Final() {
		c.finals = true
		cells = &c.last
	}
	note := func(e program.Expr) {
		switch e := e.(type) {
		case program.ThreadReg:
			if s := &c.threads[e.Thread]; !slices.Contains(s.regs, e.Reg) {
				s.regs = append(s.regs, e.Reg)
			}
		case program.Mem:
			if !slices.Contains(*cells, e.Addr) {
				*cells = append(*cells, e.Addr)
			}
		case program.At:
			for _, q := range e.States {
				c.threads[e.Thread].named[q] = c.threads[e.Thread].named[q] || !pr.Final()
			}
		}
	}
	program.Walk(pr.Cond, note)
	if pr.Final() {
		program.Walk(c.p.Filter, note)
		return
	}
	for t, everywhere := range asked(pr.Cond) {
		c.threads[t].all = c.threads[t].all || everywhere
	}
}

// asked is the threads that a condition asks for: true of those of which it has to
// be known where they are or what their registers hold, false of those that need
// only be at a certain state to make it hold.
func asked(e program.Expr) map[int]bool {
	threads := map[int]bool{}
	var visit func(e program.Expr, positive bool)
	visit = func(e program.Expr, positive bool) {
		switch e := e.(type) {
		case program.At:
			threads[e.Thread] = threads[e.Thread] || !positive
		case program.ThreadReg:
			threads[e.Thread] = true
		case program.Unary:
			visit(e.X, false)
		case program.Binary:
			monotone := positive && (e.Op == program.LogicalAnd || e.Op == program.LogicalOr)
			visit(e.X, monotone)
			visit(e.Y, monotone)
		}
	}
	visit(e, true)
	return threads
}

// main starts the threads, looks at memory in one moment, and some time later at
// where the threads have stopped and what they have left. The moment comes after
// they have stopped: see stop.
func (c *cWriter) main() {
	c.printf("\nint main(void)\n{\n")
	for t := range c.p.Threads {
		c.printf("__CPROVER_ASYNC_%d:\n\tthread%d();\n", t, t)
	}
	if len(c.seen) > 0 {
		c.printf("\t__CPROVER_atomic_begin();\n")
		for _, a := range c.seen {
			c.printf("\tlong long seen_%s = %s;\n", cell(a), cell(a))
		}
		c.printf("\tlooked = 1;\n\t__CPROVER_atomic_end();\n")
	}
	// Every one in a statement of its own: the reads of one expression have no order.
	for t := range c.p.Threads {
		c.printf("\tint my_at%d = at%d;\n\tint my_end%d = end%d;\n", t, t, t, t)
	}
	for t := range c.p.Threads {
		for _, k := range c.threads[t].regs {
			c.printf("\tlong long my_left%dr%d = left%dr%d;\n", t, k, t, k)
		}
	}
	for _, a := range c.last {
		c.printf("\tlong long last_%s = %s;\n", cell(a), cell(a))
	}
	for i := range c.p.Properties {
		pr := &c.p.Properties[i]
		var wrong []string
		if pr.Final() {
			for t := range c.p.Threads {
				wrong = append(wrong, fmt.Sprintf("my_end%d", t))
			}
			if c.p.Filter != nil {
				wrong = append(wrong, condition(c.p.Filter, "end", "last"))
			}
			cond := condition(pr.Cond, "end", "last")
			if pr.Kind == program.Forall {
				cond = "!" + cond
			}
			wrong = append(wrong, cond)
		} else {
			for t, everywhere := range asked(pr.Cond) {
				if everywhere {
					wrong = append(wrong, fmt.Sprintf("my_at%d", t))
				}
			}
			slices.Sort(wrong)
			wrong = append(wrong, condition(pr.Cond, "at", "seen"))
		}
		c.printf("\t__CPROVER_assert(!(%s), \"property %d\");\n", strings.Join(wrong, " && "), i)
	}
	c.printf("\treturn 0;\n}\n")
}

func cell(addr int64) string { return "m" + strings.Replace(fmt.Sprint(addr), "-", "_", 1) }

func constant(v int64) string {
	if v < 0 {
		return fmt.Sprintf("(-%dLL - 1)", -(v + 1))
	}
	return fmt.Sprintf("%dLL", v)
}

// cType holds all values of t.
func cType(t program.Type) string {
	switch {
	case t == program.BoolType:
		return "_Bool"
	case t.Bits <= 8 && t.Signed:
		return "signed char"
	case t.Bits <= 8:
		return "unsigned char"
	case t.Bits <= 16 && t.Signed:
		return "short"
	case t.Bits <= 16:
		return "unsigned short"
	case t.Bits <= 32 && t.Signed:
		return "int"
	case t.Bits <= 32:
		return "unsigned"
	}
	return "long long"
}

// wrapped is the value of e reduced to t where the C type of t would not do that.
func wrapped(e program.Expr, t program.Type) string {
	x := expr(e)
	switch t.Bits {
	case 8, 16, 32, 64:
		return x
	}
	if !t.Signed {
		return fmt.Sprintf("(%s & %s)", x, constant(t.Max()))
	}
	return fmt.Sprintf("(%s << %d >> %d)", x, 64-t.Bits, 64-t.Bits)
}

func (c *cWriter) thread(n, bound int) error {
	c.t = c.p.Threads[n]
	loops := flow.FindLoops(c.t, flow.Live(c.p, n, false))
	c.printf("\nvoid thread%d(void)\n{\n", n)
	for k, r := range c.t.Regs {
		c.printf("\t%s r%d = %s;\n", cType(r.Type), k, constant(r.Init))
	}
	c.printf("\tint head = %d;\n\tfor (int round = 0; round <= %d; round++) {\n", c.t.Initial, bound)
	heads := map[program.StateID]bool{c.t.Initial: true}
	for e := range c.t.Edges {
		if q := c.t.Edges[e].To; loops.Back[e] && !loops.Wait[e] && !heads[q] {
			heads[q] = true
			c.printf("\tif (head == %d) goto s%d;\n", q, q)
		}
	}
	out := c.t.Out()
	for _, q := range loops.Order {
		c.printf("s%d:;\n", q)
		c.stop(n, q, len(out[q]) == 0)
		branch := len(out[q]) == 2 && flow.Opposite(&c.t.Edges[out[q][0]].Cmd, &c.t.Edges[out[q][1]].Cmd)
		for k, e := range out[q] {
			cmd, last := &c.t.Edges[e].Cmd, k == len(out[q])-1
			switch {
			case last:
			case branch:
				c.printf("\tif (%s) {\n", expr(cmd.Value))
			default:
				c.printf("\tif (nondet_bool()) {\n")
			}
			if !branch {
				if err := c.command(cmd); err != nil {
					return err
				}
			}
			switch to := c.t.Edges[e].To; {
			case loops.Wait[e]:
				c.printf("\treturn;\n")
			case loops.Back[e]:
				c.printf("\thead = %d;\n\tcontinue;\n", to)
			default:
				c.printf("\tgoto s%d;\n", to)
			}
			if !last {
				c.printf("\t}\n")
			}
		}
	}
	c.printf("\t}\n}\n")
	return nil
}

// stop lets thread n stop at q for good; at the end of the thread it has to. Where
// properties look at memory, the moment in which main does must be one in which the
// thread is there. It is from now on, though its stores may be in its buffer still.
func (c *cWriter) stop(n int, q program.StateID, end bool) {
	s := &c.threads[n]
	stops := s.all || s.named[q]
	switch {
	case end:
		c.printf("\t{\n")
	case stops:
		c.printf("\tif (nondet_bool()) {\n")
	default:
		return
	}
	if stops || c.finals {
		for _, k := range s.regs {
			c.printf("\tleft%dr%d = r%d;\n", n, k, k)
		}
	}
	if end && c.finals {
		c.printf("\tend%d = %d;\n", n, q+1)
	}
	if stops {
		if len(c.seen) > 0 {
			c.printf("\tif (looked) return;\n")
		}
		c.printf("\tat%d = %d;\n", n, q+1)
	}
	c.printf("\treturn;\n\t}\n")
}

// command writes a command; a thread that it blocks returns.
func (c *cWriter) command(cmd *program.Command) error {
	switch cmd.Op {
	case program.Assert:
		if cmd.Kind == program.Assertion {
			c.printf("\t__CPROVER_assert(%s, \"assertion\");\n", expr(cmd.Value))
		}
		c.printf("\tif (!%s) return;\n", expr(cmd.Value))
	case program.Check:
		if !cmd.IsSkip() {
			c.printf("\tif (!%s) return;\n", expr(cmd.Value))
		}
	case program.Fence:
		if cmd.FullFence() { // the others do nothing under TSO
			c.printf("\tFENCE;\n")
		}
	case program.Atomic:
		return c.atomic(cmd.Body)
	case program.Assign, program.Havoc, program.Load, program.Store:
		c.simple(cmd, "return;")
	default:
		return fmt.Errorf("no C for %s", cmd.Op)
	}
	return nil
}

// simple writes a command that nothing can block, but that its address is none; then
// stray is what to do.
func (c *cWriter) simple(cmd *program.Command, stray string) {
	var typ program.Type
	if cmd.Op != program.Store {
		typ = c.t.Regs[cmd.Reg].Type
	}
	switch cmd.Op {
	case program.Assign:
		c.printf("\tr%d = %s;\n", cmd.Reg, wrapped(cmd.Value, typ))
	case program.Havoc:
		lo, hi := constant(cmd.Lo), constant(cmd.Hi)
		c.printf("\t{ long long h = nondet_longlong(); if (h < %s || h > %s) h = %s; r%d = %s; }\n",
			lo, hi, lo, cmd.Reg, strings.ReplaceAll(wrapped(program.Reg(0), typ), "r0", "h"))
	case program.Load, program.Store:
		access := func(i int) {
			m := c.ranges.Cells[i]
			if cmd.Op == program.Store {
				c.printf("%s = %s;", cell(m.Addr), wrapped(cmd.Value, m.Type))
				return
			}
			// What a register of another type makes of it, it makes of a value.
			c.printf("{ long long v = %s; r%d = %s; }", cell(m.Addr), cmd.Reg, strings.ReplaceAll(wrapped(program.Reg(0), typ), "r0", "v"))
		}
		if k, ok := cmd.Addr.(program.Const); ok {
			if i := c.ranges.CellIndex(int64(k)); i >= 0 {
				c.printf("\t")
				access(i)
				c.printf("\n")
				return
			}
		}
		c.printf("\tswitch (%s) {\n", expr(cmd.Addr))
		for _, i := range c.ranges.Access[cmd] {
			c.printf("\tcase %s: ", constant(c.ranges.Cells[i].Addr))
			access(i)
			c.printf(" break;\n")
		}
		c.printf("\tdefault: %s\n\t}\n", stray)
	}
}

// atomic writes a block, which is all or nothing: where a check fails, the thread
// has done nothing, and an assertion counts only where the block comes to its end.
// Nothing is taken back that was stored, so a check after a store is refused. CBMC
// wants every way into the section to lead out of it at its end; and variables have
// to be in a block of their own, or a goto to a label after them leads to their
// declaration, in the middle of the section, first.
func (c *cWriter) atomic(body []program.Command) error {
	var asserts []string
	stored := false
	c.printf("\t{\n\tFENCE;\n\t__CPROVER_atomic_begin();\n\t_Bool on = 1;\n")
	for i := range body {
		switch cmd := &body[i]; {
		case cmd.Op == program.Assert && cmd.Kind == program.Assertion:
			asserts = append(asserts, fmt.Sprintf("a%d", i))
			c.printf("\t_Bool a%d = %s;\n", i, expr(cmd.Value))
		case cmd.Op == program.Check || cmd.Op == program.Assert:
			if stored {
				return fmt.Errorf("no C for an atomic block with a check after a store")
			}
			c.printf("\tif (on) on = %s;\n", expr(cmd.Value))
		default:
			stored = stored || cmd.Op == program.Store
			c.printf("\tif (on) {\n")
			c.simple(cmd, "on = 0;")
			c.printf("\t}\n")
		}
	}
	c.printf("\t__CPROVER_atomic_end();\n\tFENCE;\n\tif (!on) return;\n")
	for _, a := range asserts {
		c.printf("\t__CPROVER_assert(%s, \"assertion\");\n\tif (!%s) return;\n", a, a)
	}
	c.printf("\t}\n")
	return nil
}

// operators are those of C that mean something else in it.
var operators = map[program.BinaryOp]string{program.Div: "quo", program.Rem: "rem", program.Shl: "shl", program.Shr: "shr",
	program.UDiv: "uquo", program.URem: "urem", program.UShr: "ushr", program.ULt: "ult", program.ULe: "ule"}

func unary(op program.UnaryOp, x string) string {
	if t, ok := op.Cast(); ok {
		return fmt.Sprintf("cast(%s, %d, %d)", x, t.Bits, program.Bool(t.Signed))
	}
	return "(" + op.String() + x + ")"
}

func binary(op program.BinaryOp, x, y string) string {
	if f := operators[op]; f != "" {
		return f + "(" + x + ", " + y + ")"
	}
	return "(" + x + " " + op.String() + " " + y + ")"
}

// expr is an expression over registers, as a long long.
func expr(e program.Expr) string {
	switch e := e.(type) {
	case program.Const:
		return constant(int64(e))
	case program.Reg:
		return fmt.Sprintf("(long long)r%d", int(e))
	case program.Unary:
		return unary(e.Op, expr(e.X))
	case program.Binary:
		return binary(e.Op, expr(e.X), expr(e.Y))
	}
	panic(fmt.Sprintf("%T in a command", e))
}

// condition is that of a property, where main knows of the threads where they are by
// one name and what is in memory by another.
func condition(e program.Expr, at, memory string) string {
	switch e := e.(type) {
	case program.Const:
		return constant(int64(e))
	case program.Mem:
		return memory + "_" + cell(e.Addr)
	case program.ThreadReg:
		return fmt.Sprintf("my_left%dr%d", e.Thread, e.Reg)
	case program.At:
		parts := []string{"0"}
		for _, q := range e.States {
			parts = append(parts, fmt.Sprintf("my_%s%d == %d", at, e.Thread, q+1))
		}
		return "(" + strings.Join(parts, " || ") + ")"
	case program.Unary:
		return unary(e.Op, condition(e.X, at, memory))
	case program.Binary:
		return binary(e.Op, condition(e.X, at, memory), condition(e.Y, at, memory))
	}
	panic(fmt.Sprintf("%T in a property", e))
}
