package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// writeC writes p as C for CBMC: a thread is a function whose control states are
// labels. A thread may stop for good at a state that the property names; the
// program is wrong where all threads of the property have stopped.
func writeC(w io.Writer, p *program.Program) error {
	c := &cWriter{p: p}
	c.printf("#include <assert.h>\n#include <pthread.h>\n\nint nondet_int(void);\n\n")
	c.printf("static void fence(void) { __CPROVER_fence(\"WWfence\", \"RRfence\", \"RWfence\", \"WRfence\"); }\n\n")
	for _, m := range p.Memory {
		c.printf("%s %s = %d;\n", cType(m.Type), cell(m), m.Init)
	}
	goals, err := goalsOf(p)
	if err != nil {
		return err
	}
	for i := range p.Threads {
		c.printf("int stopped%d = 0;\n", i)
	}
	for i, t := range p.Threads {
		if err := c.thread(i, t, goals[i]); err != nil {
			return err
		}
	}
	c.printf("\nint main(void)\n{\n")
	for i := range p.Threads {
		c.printf("\tpthread_t t%d;\n\tpthread_create(&t%d, 0, thread%d, 0);\n", i, i, i)
	}
	if len(goals) > 0 {
		for i := range p.Threads {
			if goals[i] != nil {
				c.printf("\t__CPROVER_assume(stopped%d);\n", i)
			}
		}
		for i := range p.Properties {
			cond, err := c.condition(p.Properties[i].Cond)
			if err != nil {
				return err
			}
			c.printf("\tassert(!%s);\n", cond)
		}
	}
	c.printf("\treturn 0;\n}\n")
	_, err = w.Write(c.b.Bytes())
	return err
}

type cWriter struct {
	p *program.Program
	b bytes.Buffer
}

func (c *cWriter) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// goalsOf is, by thread, the control states that properties name.
func goalsOf(p *program.Program) (map[int][]program.StateID, error) {
	goals := map[int][]program.StateID{}
	for i := range p.Properties {
		pr := &p.Properties[i]
		if pr.Kind != program.Forbid {
			return nil, fmt.Errorf("no C for the property %s", pr.Text)
		}
		program.Walk(pr.Cond, func(e program.Expr) {
			if a, ok := e.(program.At); ok {
				goals[a.Thread] = append(goals[a.Thread], a.States...)
			}
		})
	}
	return goals, nil
}

func cType(t program.Type) string {
	switch {
	case t.Bits <= 1:
		return "_Bool"
	case t.Bits <= 8:
		return "signed char"
	case t.Bits <= 16:
		return "short"
	case t.Bits <= 32:
		return "int"
	}
	return "long long"
}

func cell(m program.Cell) string { return fmt.Sprintf("m%d", m.Addr) }

func (c *cWriter) thread(n int, t *program.Thread, goals []program.StateID) error {
	c.printf("\nvoid *thread%d(void *arg)\n{\n", n)
	for i, r := range t.Regs {
		c.printf("\t%s r%d = %d;\n", cType(r.Type), i, r.Init)
	}
	c.printf("\tgoto s%d;\n", t.Initial)
	out := t.Out()
	for q := range t.States {
		c.printf("s%d:\n", q)
		for _, g := range goals {
			if g == program.StateID(q) {
				c.printf("\tif (nondet_int()) { stopped%d = %d; return 0; }\n", n, q+1)
				break
			}
		}
		if len(out[q]) == 0 {
			c.printf("\treturn 0;\n")
			continue
		}
		for k, e := range out[q] {
			last := k == len(out[q])-1
			if !last {
				c.printf("\tif (nondet_int()) {\n")
			}
			if err := c.command(&t.Edges[e].Cmd); err != nil {
				return err
			}
			c.printf("\tgoto s%d;\n", t.Edges[e].To)
			if !last {
				c.printf("\t}\n")
			}
		}
	}
	c.printf("}\n")
	return nil
}

func (c *cWriter) command(cmd *program.Command) error {
	switch cmd.Op {
	case program.Check:
		c.printf("\t__CPROVER_assume(%s);\n", expr(cmd.Value))
	case program.Assert:
		if cmd.Kind == program.Fault {
			c.printf("\t__CPROVER_assume(%s);\n", expr(cmd.Value))
		} else {
			c.printf("\tassert(%s);\n", expr(cmd.Value))
		}
	case program.Assign:
		c.printf("\tr%d = %s;\n", cmd.Reg, expr(cmd.Value))
	case program.Havoc:
		c.printf("\tr%d = nondet_int();\n\t__CPROVER_assume(r%d >= %d && r%d <= %d);\n", cmd.Reg, cmd.Reg, cmd.Lo, cmd.Reg, cmd.Hi)
	case program.Load:
		c.access(cmd, func(m string) string { return fmt.Sprintf("r%d = %s;", cmd.Reg, m) })
	case program.Store:
		c.access(cmd, func(m string) string { return fmt.Sprintf("%s = %s;", m, expr(cmd.Value)) })
	case program.Fence:
		c.printf("\tfence();\n")
	case program.Atomic:
		c.printf("\tfence();\n\t__CPROVER_atomic_begin();\n")
		for i := range cmd.Body {
			if err := c.command(&cmd.Body[i]); err != nil {
				return err
			}
		}
		c.printf("\t__CPROVER_atomic_end();\n\tfence();\n")
	default:
		return fmt.Errorf("no C for %s", cmd.Op)
	}
	return nil
}

// access chooses among the cells that the address may be of.
func (c *cWriter) access(cmd *program.Command, f func(cell string) string) {
	if k, ok := cmd.Addr.(program.Const); ok {
		c.printf("\t%s\n", f(cell(program.Cell{Addr: int64(k)})))
		return
	}
	c.printf("\tswitch (%s) {\n", expr(cmd.Addr))
	for _, m := range c.p.Memory {
		c.printf("\tcase %d: %s break;\n", m.Addr, f(cell(m)))
	}
	c.printf("\tdefault: __CPROVER_assume(0);\n\t}\n")
}

// expr is an expression over registers in C, whose operators these are.
func expr(e program.Expr) string {
	switch e := e.(type) {
	case program.Const:
		return fmt.Sprintf("%dLL", int64(e))
	case program.Reg:
		return fmt.Sprintf("r%d", int(e))
	case program.Unary:
		return "(" + e.Op.String() + expr(e.X) + ")"
	case program.Binary:
		return "(" + expr(e.X) + " " + e.Op.String() + " " + expr(e.Y) + ")"
	}
	return fmt.Sprint(e)
}

// condition is that of a property, once threads have stopped.
func (c *cWriter) condition(e program.Expr) (string, error) {
	switch e := e.(type) {
	case program.Const:
		return fmt.Sprintf("%dLL", int64(e)), nil
	case program.Mem:
		return cell(program.Cell{Addr: e.Addr}), nil
	case program.At:
		var parts []string
		for _, q := range e.States {
			parts = append(parts, fmt.Sprintf("stopped%d == %d", e.Thread, q+1))
		}
		return "(" + strings.Join(parts, " || ") + ")", nil
	case program.Unary:
		x, err := c.condition(e.X)
		return "(" + e.Op.String() + x + ")", err
	case program.Binary:
		x, err := c.condition(e.X)
		if err != nil {
			return "", err
		}
		y, err := c.condition(e.Y)
		return "(" + x + " " + e.Op.String() + " " + y + ")", err
	}
	return "", fmt.Errorf("no C for %s in a property", e)
}
