package program

import "fmt"

// Sanity tests the invariants that the engines rely on. A front end that hands
// out a program for which it returns an error has a bug.
func Sanity(p *Program) error {
	if len(p.Threads) == 0 {
		return fmt.Errorf("program %q has no threads", p.Name)
	}
	if err := checkType(p.Default); err != nil {
		return fmt.Errorf("default cell type: %w", err)
	}
	for i, c := range p.Memory {
		if i > 0 && p.Memory[i-1].Addr >= c.Addr {
			return fmt.Errorf("memory is not sorted by address at cell %q", c.Name)
		}
		if err := checkType(c.Type); err != nil {
			return fmt.Errorf("cell %q: %w", c.Name, err)
		}
		if c.Type.Wrap(c.Init) != c.Init {
			return fmt.Errorf("cell %q: initial value %d does not fit its type", c.Name, c.Init)
		}
	}
	for _, t := range p.Threads {
		if err := checkThread(t); err != nil {
			return fmt.Errorf("thread %q: %w", t.Name, err)
		}
	}
	for i := range p.Properties {
		if err := checkProperty(p, &p.Properties[i]); err != nil {
			return fmt.Errorf("property %d: %w", i, err)
		}
	}
	return nil
}

func checkType(t Type) error {
	if t.Bits < 1 || t.Bits > 64 {
		return fmt.Errorf("bad type %+v", t)
	}
	return nil
}

func checkThread(t *Thread) error {
	valid := func(q StateID) bool { return q >= 0 && int(q) < len(t.States) }
	if !valid(t.Initial) {
		return fmt.Errorf("initial state %d does not exist", t.Initial)
	}
	for _, r := range t.Regs {
		if err := checkType(r.Type); err != nil {
			return fmt.Errorf("register %q: %w", r.Name, err)
		}
		if r.Type.Wrap(r.Init) != r.Init {
			return fmt.Errorf("register %q: initial value %d does not fit its type", r.Name, r.Init)
		}
	}
	for i := range t.Edges {
		e := &t.Edges[i]
		if !valid(e.From) || !valid(e.To) {
			return fmt.Errorf("edge %d: no such state", i)
		}
		if err := checkCommand(t, &e.Cmd, false); err != nil {
			return fmt.Errorf("edge %d (%s): %w", i, e.Cmd.Op, err)
		}
	}
	for q, out := range t.Out() {
		switch k := t.States[q].Kind; {
		case k > GivenUp:
			return fmt.Errorf("state %d: unknown kind %d", q, k)
		case k == GivenUp && len(out) > 0:
			return fmt.Errorf("state %d: a thread that has given up goes on", q)
		case k == Unstarted && (len(out) != 1 || !isStart(&t.Edges[out[0]].Cmd)):
			return fmt.Errorf("state %d: it takes a start, and nothing else, to leave it", q)
		}
	}
	return nil
}

// isStart is true of what [Start] makes.
func isStart(c *Command) bool {
	if c.Op != Atomic || len(c.Body) != 2 || c.Body[0].Op != Load || c.Body[1].Op != Check {
		return false
	}
	_, constant := c.Body[0].Addr.(Const)
	return constant && c.Body[1].Value == Binary{Ne, Reg(c.Body[0].Reg), Const(0)}
}

func checkCommand(t *Thread, c *Command, inBody bool) error {
	var needAddr, needValue, needReg bool
	switch c.Op {
	case Check, Assert:
		needValue = true
	case Assign:
		needReg, needValue = true, true
	case Havoc:
		needReg = true
		if c.Lo > c.Hi {
			return fmt.Errorf("empty range %d..%d", c.Lo, c.Hi)
		}
	case Load:
		needReg, needAddr = true, true
	case Store:
		needAddr, needValue = true, true
	case Fence, Lock, Unlock, Atomic:
		if inBody {
			return fmt.Errorf("%s inside atomic", c.Op)
		}
	default:
		return fmt.Errorf("unknown command %d", c.Op)
	}
	if c.Tags != (Tags{}) && c.Op != Load && c.Op != Store && c.Op != Fence {
		return fmt.Errorf("tags on what is neither an access nor a fence")
	}
	if needReg && (c.Reg < 0 || c.Reg >= len(t.Regs)) {
		return fmt.Errorf("register %d does not exist", c.Reg)
	}
	if needAddr != (c.Addr != nil) || needValue != (c.Value != nil) {
		return fmt.Errorf("wrong operands")
	}
	var err error
	for _, e := range []Expr{c.Addr, c.Value} {
		Walk(e, func(x Expr) {
			switch x := x.(type) {
			case Reg:
				if int(x) < 0 || int(x) >= len(t.Regs) {
					err = fmt.Errorf("register %d does not exist", x)
				}
			case Mem, ThreadReg, At:
				err = fmt.Errorf("%T in a command", x)
			}
		})
	}
	if err != nil {
		return err
	}
	if (c.Op == Atomic) != (len(c.Body) > 0) {
		return fmt.Errorf("wrong body")
	}
	if c.Wide && !wideBody(c) {
		return fmt.Errorf("a wide access of more than loads, or more than stores")
	}
	for i := range c.Body {
		if err := checkCommand(t, &c.Body[i], true); err != nil {
			return fmt.Errorf("body %d (%s): %w", i, c.Body[i].Op, err)
		}
	}
	return nil
}

// wideBody is true of an Atomic with loads only, or stores only, but for assignments.
func wideBody(c *Command) bool {
	ops := map[Op]bool{}
	for i := range c.Body {
		if b := &c.Body[i]; b.Op != Assign {
			ops[b.Op] = true
		}
	}
	return c.Op == Atomic && len(ops) == 1 && (ops[Load] || ops[Store])
}

func checkProperty(p *Program, pr *Property) error {
	if (pr.Kind == Deadlock) != (pr.Cond == nil) {
		return fmt.Errorf("wrong condition")
	}
	var err error
	Walk(pr.Cond, func(x Expr) {
		switch x := x.(type) {
		case Reg:
			err = fmt.Errorf("a thread's register without its thread")
		case ThreadReg:
			if x.Thread < 0 || x.Thread >= len(p.Threads) || x.Reg < 0 || x.Reg >= len(p.Threads[x.Thread].Regs) {
				err = fmt.Errorf("register %v does not exist", x)
			}
		case At:
			if x.Thread < 0 || x.Thread >= len(p.Threads) {
				err = fmt.Errorf("thread %d does not exist", x.Thread)
				return
			}
			for _, q := range x.States {
				if q < 0 || int(q) >= len(p.Threads[x.Thread].States) {
					err = fmt.Errorf("state %d of thread %d does not exist", q, x.Thread)
				}
			}
		}
	})
	return err
}
