package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Replay executes a schedule step by step, from the initial state, on the
// operational semantics: no reduction, no dead registers, buffers without bound.
// It gives the run, and the violation that the run is: an assertion that fails
// at the last step; else a Forbid condition in the last state, or, where that is
// final or stuck, a condition on final states or a deadlock. A schedule with a
// step that is not enabled, one that goes on after a failed assertion, and one
// that violates nothing are errors.
func Replay(p *program.Program, m memory.Model, schedule []abstract.Event) (*verdict.Run, *verdict.Violation, error) {
	r, err := newReplayer(p, m, nil)
	if err != nil {
		return nil, nil, err
	}
	return r.replay(schedule)
}

// replay is [Replay], for an abstraction as well.
func (r *replayer) replay(schedule []abstract.Event) (*verdict.Run, *verdict.Violation, error) {
	x, before, s := r.x, r.x.NewState(), r.s
	x.Initial(s)
	run := &verdict.Run{Cells: x.Ranges.Cells, Init: slices.Clone(s.Mem)}
	for i, ev := range schedule {
		before.Copy(s)
		out, err := step(x, s, ev)
		if err != nil {
			return nil, nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		run.Steps = append(run.Steps, describe(x, before, s, ev, out == abstract.Failed))
		if out == abstract.Failed {
			if i < len(schedule)-1 {
				return nil, nil, fmt.Errorf("step %d: the assertion fails, but the run goes on", i+1)
			}
			return run, assertion(x, ev, s.Failed), nil
		}
	}
	if pr := r.violated(s); pr != nil {
		return run, &verdict.Violation{Property: pr, Text: propertyText(pr), Pos: pr.Pos}, nil
	}
	return nil, nil, errors.New("the run violates nothing")
}

// A replayer executes schedules of one program.
type replayer struct {
	x      *abstract.System
	s, try *abstract.State
	conds  []abstract.Condition // by property; nil for Deadlock
	filter abstract.Condition   // of final states; may be nil
}

func newReplayer(p *program.Program, m memory.Model, b abstract.Buffer) (*replayer, error) {
	x, err := system(p, m, b, 0)
	if err != nil {
		return nil, err
	}
	r := &replayer{x: x, s: x.NewState(), try: x.NewState(), conds: make([]abstract.Condition, len(p.Properties))}
	for i := range p.Properties {
		if e := p.Properties[i].Cond; e != nil {
			r.conds[i] = x.Condition(e)
		}
	}
	if p.Filter != nil {
		r.filter = x.Condition(p.Filter)
	}
	return r, nil
}

// step performs ev, which may be anything.
func step(x *abstract.System, s *abstract.State, ev abstract.Event) (abstract.Outcome, error) {
	p := x.Program
	if ev.Thread < 0 || ev.Thread >= len(p.Threads) {
		return 0, fmt.Errorf("there is no thread %d", ev.Thread)
	}
	t := p.Threads[ev.Thread]
	if ev.Edge == abstract.Flush {
		if ev.Choice < 0 || ev.Choice >= int64(x.Flushes(s, ev.Thread)) {
			return 0, fmt.Errorf("thread %s cannot flush", t.Name)
		}
		return x.Step(s, ev), nil
	}
	if ev.Edge < 0 || ev.Edge >= len(t.Edges) {
		return 0, fmt.Errorf("thread %s has no edge %d", t.Name, ev.Edge)
	}
	e := &t.Edges[ev.Edge]
	if e.From != s.PC[ev.Thread] {
		return 0, fmt.Errorf("thread %s is at %s and cannot take edge %d (%s) from %s",
			t.Name, t.States[s.PC[ev.Thread]].Name, ev.Edge, e.Cmd.Format(p, t), t.States[e.From].Name)
	}
	if ev.Choice < 0 || ev.Choice >= x.Choices(ev.Thread, ev.Edge) {
		return 0, fmt.Errorf("edge %d of thread %s (%s) has no outcome %d", ev.Edge, t.Name, e.Cmd.Format(p, t), ev.Choice)
	}
	out := x.Step(s, ev)
	switch out {
	case abstract.Done, abstract.Failed:
		return out, nil
	case abstract.Stray:
		return 0, x.StrayError(ev)
	}
	return 0, fmt.Errorf("edge %d of thread %s (%s) is not enabled", ev.Edge, t.Name, e.Cmd.Format(p, t))
}

// violated is the property that is violated in s, or nil.
func (r *replayer) violated(s *abstract.State) *program.Property {
	final := r.x.Final(s)
	counts := final && (r.filter == nil || r.filter(s) != 0)
	for i := range r.conds {
		pr := &r.x.Program.Properties[i]
		bad := false
		switch {
		case pr.Kind == program.Deadlock:
			bad = !final && r.stuck(s)
		case pr.Kind == program.Forbid || counts:
			bad = pr.Violated(r.conds[i](s))
		}
		if bad {
			return pr
		}
	}
	return nil
}

// stuck is true where no event is enabled in s.
func (r *replayer) stuck(s *abstract.State) bool {
	r.try.Copy(s)
	for t := range s.PC {
		if r.x.Flushes(s, t) > 0 {
			return false
		}
		for _, e := range r.x.Out(t, s.PC[t]) {
			for c := range r.x.Choices(t, e) {
				if r.x.Step(r.try, abstract.Event{Thread: t, Edge: e, Choice: c}) != abstract.Disabled {
					return false
				}
			}
		}
	}
	return true
}

// shorten makes a schedule that ends in a violation shorter, without a claim to
// the shortest: it ends where a Forbid property is first violated, and leaves out
// the last events of a thread where the violation does not need them. (The
// reduction lets every thread run ahead as far as it can do so unseen.)
func (r *replayer) shorten(schedule []abstract.Event) []abstract.Event {
	first := -1
	for i := range schedule {
		if i > 0 {
			if r.x.Step(r.s, schedule[i-1]) == abstract.Failed {
				return schedule
			}
		} else {
			r.x.Initial(r.s)
		}
		for k, cond := range r.conds {
			if r.x.Program.Properties[k].Kind == program.Forbid && cond(r.s) != 0 {
				first = i
			}
		}
		if first >= 0 {
			schedule = schedule[:first]
			break
		}
	}
	want, pr := r.ending(schedule)
	if want == nil && pr == nil {
		return schedule
	}
	budget := 1 << 21 // steps
	for again := true; again; {
		again = false
		for t := range r.x.Program.Threads {
			for budget > 0 {
				last := -1
				for i, ev := range schedule {
					if ev.Thread == t {
						last = i
					}
				}
				if last < 0 {
					break
				}
				shorter := slices.Concat(schedule[:last], schedule[last+1:])
				budget -= len(shorter)
				if c, q := r.ending(shorter); c != want || q != pr {
					break
				}
				schedule, again = shorter, true
			}
		}
	}
	return schedule
}

// ending is the violation that a schedule ends in, an assertion or a property;
// both are nil where there is none or the schedule is impossible.
func (r *replayer) ending(schedule []abstract.Event) (*program.Command, *program.Property) {
	r.x.Initial(r.s)
	for i, ev := range schedule {
		switch out, err := step(r.x, r.s, ev); {
		case err != nil:
			return nil, nil
		case out == abstract.Failed && i == len(schedule)-1:
			return r.s.Failed, nil
		case out == abstract.Failed:
			return nil, nil
		}
	}
	return nil, r.violated(r.s)
}

func propertyText(pr *program.Property) string {
	if pr.Text != "" {
		return pr.Text
	}
	if pr.Cond == nil {
		return pr.Kind.String()
	}
	return pr.Kind.String() + " " + pr.Cond.String()
}

func assertion(x *abstract.System, ev abstract.Event, c *program.Command) *verdict.Violation {
	t := x.Program.Threads[ev.Thread]
	text, pos := c.Text, c.Pos
	if text == "" {
		text = c.Format(x.Program, t)
	}
	if !pos.IsValid() {
		pos = t.Edges[ev.Edge].Pos
	}
	return &verdict.Violation{Kind: c.Kind, Text: text, Pos: pos}
}

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
		p := x.Buffer.Flushed(&before.Buf[ev.Thread], int(ev.Choice))
		st.Text = fmt.Sprintf("flush %s := %d", cellName(x, p.Cell), p.Value)
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
	return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return n.regs[r] }})
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
	return i, cellName(n.x, i)
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
			text = fmt.Sprintf("read %s = %d", name, v)
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
		if i >= 0 {
			v = n.x.Ranges.Cells[i].Type.Wrap(v)
			n.mem[i] = v
		}
		text := fmt.Sprintf("%s := %d", name, v)
		if !n.inside && !n.x.Buffer.Immediate() {
			text += " (buffered)"
		}
		return text
	case program.Atomic:
		return n.atomic(c)
	}
	return c.Format(n.x.Program, n.t)
}

// assigned is "r <- source = v", without "= v" where the source says so.
func (n *narrator) assigned(c *program.Command, source string, v int64) string {
	text := n.t.Regs[c.Reg].Name + " <- " + source
	if val := fmt.Sprint(v); val != source {
		text += " = " + val
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
	var old, stored int64
	loads, stores := 0, 0
	for i := range c.Body {
		b := &c.Body[i]
		switch b.Op {
		case program.Load:
			loads++
			_, where = n.cell(b)
			parts = append(parts, n.text(b))
			old = n.regs[b.Reg]
		case program.Store:
			stores++
			cell, name := n.cell(b)
			if name != where {
				loads = 0 // not a read-modify-write
			}
			parts = append(parts, n.text(b))
			if cell >= 0 {
				stored = n.mem[cell]
			}
		default:
			parts = append(parts, n.text(b))
		}
	}
	switch {
	case c.Text == "" || loads != 1 || stores > 1:
		return "atomic { " + strings.Join(parts, "; ") + " }"
	case stores == 0 && c.Text == "cas":
		return fmt.Sprintf("cas %s: %d, failed", where, old)
	case stores == 0:
		return fmt.Sprintf("%s %s: %d", c.Text, where, old)
	case c.Text == "cas":
		return fmt.Sprintf("cas %s: %d -> %d, succeeded", where, old, stored)
	}
	return fmt.Sprintf("%s %s: %d -> %d", c.Text, where, old, stored)
}

func cellName(x *abstract.System, i int) string {
	if c := &x.Ranges.Cells[i]; c.Name != "" {
		return c.Name
	} else {
		return fmt.Sprintf("[%d]", c.Addr)
	}
}
