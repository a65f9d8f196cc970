package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// describe is the step ev from before to s.
func describe(x *abstract.System, before, s *abstract.State, ev abstract.Event, failed bool) verdict.Step {
	st := verdict.Step{
		Thread:  ev.Thread,
		Edge:    ev.Edge,
		Choice:  ev.Choice,
		Memory:  slices.Clone(s.Mem),
		Buffers: make([][]verdict.Pair, len(s.Buf)),
		Regs:    make([][]int64, len(s.Regs)),
		PC:      slices.Clone(s.PC),
	}
	for t := range s.PC {
		for _, p := range s.Buf[t].Pairs {
			if p.Cell != abstract.Barrier {
				st.Buffers[t] = append(st.Buffers[t], verdict.Pair{Cell: p.Cell, Value: p.Value})
			}
		}
		st.Regs[t] = slices.Clone(s.Regs[t])
	}
	if ev.Edge == abstract.Flush {
		var stored []string
		for _, p := range x.Group(before, ev.Thread, int(ev.Choice)) {
			stored = append(stored, fmt.Sprintf("%s := %s", x.CellName(p.Cell), x.Ranges.Cells[p.Cell].Format(p.Value)))
		}
		st.Text = "flush " + strings.Join(stored, " & ")
		return st
	}
	e := &x.Program.Threads[ev.Thread].Edges[ev.Edge]
	st.Pos = e.Pos
	if !st.Pos.IsValid() {
		st.Pos = e.Cmd.Pos
	}
	n := narrator{x: x, t: x.Program.Threads[ev.Thread], thread: ev.Thread, choice: ev.Choice}
	n.regs = slices.Clone(before.Regs[ev.Thread])
	n.mem = slices.Clone(before.Mem)
	n.buf = &before.Buf[ev.Thread]
	st.Text = n.text(&e.Cmd)
	if failed {
		st.Text += " fails"
	}
	return st
}

// A narrator says what a command does, with the values that it does it with. It
// follows the commands in the body of an Atomic on registers and a memory of its
// own.
type narrator struct {
	x      *abstract.System
	t      *program.Thread
	thread int
	choice int64
	regs   []int64
	mem    []int64
	buf    *abstract.Contents
	inside bool // an Atomic, where stores are to memory
}

func (n *narrator) eval(e program.Expr) int64 {
	return program.EvalRegs(e, n.regs)
}

func (n *narrator) set(r int, v int64) int64 {
	n.regs[r] = n.t.Regs[r].Type.Wrap(v)
	return n.regs[r]
}

// cell is the cell that an access accesses and its name. It is -1 only after a
// failed assertion in the body of an Atomic.
func (n *narrator) cell(c *program.Command) (int, string) {
	i := n.x.Ranges.CellIndex(n.eval(c.Addr))
	if i < 0 {
		return i, fmt.Sprintf("[%d]", n.eval(c.Addr))
	}
	return i, n.x.CellName(i)
}

func (n *narrator) text(c *program.Command) string {
	switch c.Op {
	case program.Assign:
		v := n.eval(c.Value)
		return n.assigned(c, program.FormatExpr(c.Value, n.t), n.set(c.Reg, v))
	case program.Havoc:
		radix := c.Hi - c.Lo + 1
		v := n.set(c.Reg, c.Lo+n.choice%radix)
		n.choice /= radix
		return n.assigned(c, fmt.Sprintf("any %d..%d", c.Lo, c.Hi), v)
	case program.Load:
		i, name := n.cell(c)
		v, buffered := int64(0), false
		if i >= 0 {
			if v, buffered = n.x.Buffer.Last(n.buf, i); !buffered {
				v = n.mem[i]
			}
		}
		var text string
		if v = n.set(c.Reg, v); n.t.Regs[c.Reg].Temp {
			text = fmt.Sprintf("read %s = %s", name, n.t.Regs[c.Reg].Format(v))
		} else {
			text = n.assigned(c, name, v)
		}
		if buffered {
			text += " (from buffer)"
		}
		return text
	case program.Store:
		i, name := n.cell(c)
		v := n.eval(c.Value)
		to := program.Cell{Type: program.Int64Type}
		if i >= 0 {
			to = n.x.Ranges.Cells[i]
			v = to.Type.Wrap(v)
			n.mem[i] = v
		}
		text := fmt.Sprintf("%s := %s", name, to.Format(v))
		if !n.inside && !n.x.Buffer.Immediate() {
			text += " (buffered)"
		}
		return text
	case program.Assert, program.Check:
		if c.Says != "" {
			return c.Says
		}
	case program.Atomic:
		if c.Wide {
			return n.wide(c)
		}
		return n.atomic(c)
	}
	return c.Format(n.x.Program, n.t)
}

// assigned is "r <- source = v", without "= v" where the source says so.
func (n *narrator) assigned(c *program.Command, source string, v int64) string {
	text := n.t.Regs[c.Reg].Name + " <- " + source
	if val := n.t.Regs[c.Reg].Format(v); val != source {
		text += " = " + val
	}
	return text
}

// wide is what happens at once in an access of several cells.
func (n *narrator) wide(c *program.Command) string {
	n.inside = true // said once
	var parts []string
	for i := range c.Body {
		parts = append(parts, n.text(&c.Body[i]))
	}
	text := strings.Join(parts, " & ")
	if c.Stores() && !n.x.Buffer.Immediate() {
		text += " (buffered)"
	}
	return text
}

// atomic prints the read-modify-write commands as such: "cas x: 0 -> 1,
// succeeded", "cas x: 1, failed", "xchg x: 0 -> 1"; and other blocks command by
// command.
func (n *narrator) atomic(c *program.Command) string {
	n.inside = true
	var parts []string
	var where string
	var old, stored string
	loads, stores := 0, 0
	for i := range c.Body {
		b := &c.Body[i]
		switch b.Op {
		case program.Load:
			loads++
			_, where = n.cell(b)
			parts = append(parts, n.text(b))
			old = n.t.Regs[b.Reg].Format(n.regs[b.Reg])
		case program.Store:
			stores++
			cell, name := n.cell(b)
			if name != where {
				loads = 0 // not a read-modify-write
			}
			parts = append(parts, n.text(b))
			if cell >= 0 {
				stored = n.x.Ranges.Cells[cell].Format(n.mem[cell])
			}
		default:
			parts = append(parts, n.text(b))
		}
	}
	switch {
	case c.Text == "" || loads != 1 || stores > 1:
		return "atomic { " + strings.Join(parts, "; ") + " }"
	case stores == 0 && c.Text == "cas":
		return fmt.Sprintf("cas %s: %s, failed", where, old)
	case stores == 0:
		return fmt.Sprintf("%s %s: %s", c.Text, where, old)
	case c.Text == "cas":
		return fmt.Sprintf("cas %s: %s -> %s, succeeded", where, old, stored)
	}
	return fmt.Sprintf("%s %s: %s -> %s", c.Text, where, old, stored)
}
