package promela

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// An atomic block is a d_step. It happens only where all its checks hold, and
// they are about what the block has computed until then; what a d_step waits for
// is its first statement. So that is the checks as an expression over the state
// before the block: every register stands for the expression that was assigned to
// it, every load for what it finds among the stores of the block and in memory.
// The statements that follow need no checks any more.

// atomics writes the options of e, an atomic block: one for each combination of
// the values of its free choices.
func (w *writer) atomics(t *thread, e *program.Edge) error {
	var chosen []int
	n := int64(1)
	for i := range e.Cmd.Body {
		if c := &e.Cmd.Body[i]; c.Op == program.Havoc {
			k := uint64(c.Hi) - uint64(c.Lo)
			if k >= maxChoices {
				n = maxChoices + 1
				break
			}
			chosen = append(chosen, i)
			if n *= int64(k) + 1; n > maxChoices {
				break
			}
		}
	}
	if n > maxChoices {
		return fmt.Errorf("choices among more than %d values are too much for options", maxChoices)
	}
	for k := range n {
		values := map[int]int64{}
		for _, i := range chosen {
			c := &e.Cmd.Body[i]
			radix := c.Hi - c.Lo + 1
			values[i] = t.prog.Regs[c.Reg].Type.Wrap(c.Lo + k%radix)
			k /= radix
		}
		if err := w.atomic(t, e, values); err != nil {
			return err
		}
	}
	return nil
}

// A written is a store of an atomic block.
type written struct {
	addr  address
	value term // wrapped
}

// atomic writes the option of e in which the free choices have these values, by
// their index in the body.
func (w *writer) atomic(t *thread, e *program.Edge, choices map[int]int64) error {
	s := &step{}
	s.wait(t.empty(e.From), w.lockNotOthers(t))
	ok, err := w.checks(t, e, choices, s)
	if err != nil || !ok {
		return err
	}
	cells := map[int]bool{}
	asserted := false
	for i := range e.Cmd.Body {
		c := &e.Cmd.Body[i]
		var v, addr term
		if c.Value != nil {
			if v, err = w.value(t, c.Value); err != nil {
				return err
			}
		}
		if c.Addr != nil {
			if addr, err = w.value(t, c.Addr); err != nil {
				return err
			}
		}
		a := w.address(c, addr, asserted)
		switch c.Op {
		case program.Assign:
			err = w.assign(t, s, c.Reg, v)
		case program.Havoc:
			err = w.assign(t, s, c.Reg, constant(choices[i]))
		case program.Load:
			if v, err = w.fromMemory(a); err == nil {
				err = w.assign(t, s, c.Reg, v)
			}
		case program.Store:
			var do []string
			do, err = w.toMemory(a, v)
			s.do = append(s.do, do...)
			for _, c := range a.cells {
				cells[c] = true
			}
		case program.Assert:
			asserted = true
			if v, err = truth(v); err == nil && !v.is(1) {
				s.do = append(s.do, "assert("+strip(v.text)+")")
			}
		}
		if err != nil {
			return err
		}
	}
	w.arrive(t, e, s, func(c int) bool { return cells[c] })
	return nil
}

// checks adds the checks of the block to the guards of s. It tells whether they
// can hold.
func (w *writer) checks(t *thread, e *program.Edge, choices map[int]int64, s *step) (bool, error) {
	last := -1
	for i := range e.Cmd.Body {
		if e.Cmd.Body[i].Op == program.Check {
			last = i
		}
	}
	regs := map[int]term{}
	var stores []written
	asserted := false
	leaf := func(e program.Expr) (term, error) {
		r := int(e.(program.Reg))
		if v, ok := regs[r]; ok {
			return v, nil
		}
		return t.register(r), nil
	}
	set := func(reg int, v term) (err error) {
		regs[reg], err = wrap(t.prog.Regs[reg].Type, v)
		return err
	}
	for i := range last + 1 {
		c := &e.Cmd.Body[i]
		var v, addr term
		var err error
		if c.Value != nil && c.Op != program.Assert {
			if v, err = expr(c.Value, leaf); err != nil {
				return false, err
			}
		}
		if c.Addr != nil {
			if addr, err = expr(c.Addr, leaf); err != nil {
				return false, err
			}
		}
		a := w.address(c, addr, asserted)
		switch c.Op {
		case program.Check:
			if v, err = truth(v); err != nil {
				return false, err
			}
			if k, ok := v.known(); !ok {
				s.wait(v.text)
			} else if k == 0 {
				return false, nil
			}
		case program.Assign:
			err = set(c.Reg, v)
		case program.Havoc:
			regs[c.Reg] = constant(choices[i])
		case program.Load:
			if v, err = w.after(stores, a); err == nil {
				err = set(c.Reg, v)
			}
		case program.Store:
			if v, err = w.wrapTo(a, v); err == nil {
				stores = append(stores, written{a, v})
			}
		case program.Assert:
			asserted = true
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// after is what a load from a finds after the stores.
func (w *writer) after(stores []written, a address) (term, error) {
	v, err := w.fromMemory(a)
	if err != nil {
		return v, err
	}
	for _, st := range stores {
		same, err := binary(program.Eq, a.term, st.addr.term)
		if err != nil {
			return v, err
		}
		if v, err = conditional(same, st.value, v); err != nil {
			return v, err
		}
	}
	if !a.stray {
		return v, nil
	}
	// Astray, a load gives 0 and a store is none.
	return w.byPlace(a, func(*place, []int) (term, error) { return v, nil })
}
