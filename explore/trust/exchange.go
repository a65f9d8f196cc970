package trust

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// An exchange is that of two threads, a before b, with the cells that the one has where the other has others,
// and the number that each of them leaves in a lock.
type exchange struct {
	x      *explorer
	a, b   *program.Thread
	ia, ib int
	cells  map[int]int // those that are exchanged
	ids    [2]int64    // the numbers of the two
	named  bool        // they have such
	locks  map[int]bool
}

// exchangeable is "" where threads a < b may be exchanged in all that the program does: their automata
// differ in nothing but
//
//   - cells with the same type and initial value that no other thread accesses, but one that waits for each
//     of them in turn and does nothing in between, as who joins threads does;
//   - numbers of their own, which they leave in cells that nobody does more with than to look whether it
//     is a certain number, as the owner of a lock is.
//
// Else it says why not.
func (x *explorer) exchangeable(a, b int) string {
	e := &exchange{x: x, ia: a, ib: b, a: x.p.Threads[a], b: x.p.Threads[b], cells: map[int]int{}, locks: map[int]bool{}}
	why := e.automata()
	if why == "" {
		why = e.others()
	}
	if why == "" && e.named {
		why = e.owners()
	}
	if why == "" && e.asked() {
		why = "a condition is about a cell of its own"
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s is not like %s: %s", e.b.Name, e.a.Name, why)
}

const another = "its automaton is another"

func (e *exchange) automata() string {
	a, b := e.a, e.b
	if len(a.States) != len(b.States) || len(a.Edges) != len(b.Edges) || len(a.Regs) != len(b.Regs) || a.Initial != b.Initial {
		return another
	}
	for q := range a.States {
		if a.States[q].Kind != b.States[q].Kind || a.States[q].Kind == program.Unstarted {
			return another
		}
	}
	for r := range a.Regs {
		if a.Regs[r].Type != b.Regs[r].Type || a.Regs[r].Init != b.Regs[r].Init {
			return another
		}
	}
	for i := range a.Edges {
		ea, eb := &a.Edges[i], &b.Edges[i]
		if ea.From != eb.From || ea.To != eb.To {
			return another
		}
		if why := e.command(&ea.Cmd, &eb.Cmd); why != "" {
			return why
		}
	}
	for m, n := range e.cells {
		c, d := e.x.ranges.Cells[m], e.x.ranges.Cells[n]
		if c.Type != d.Type || c.Init != d.Init {
			return "a cell of its own is another"
		}
		if m != n && e.x.ranges.Cells[m].Name != "" && e.cells[n] != m {
			return "a cell of its own is another"
		}
	}
	return ""
}

func (e *exchange) command(ca, cb *program.Command) string {
	if ca.Op != cb.Op || ca.Reg != cb.Reg || ca.Lo != cb.Lo || ca.Hi != cb.Hi || ca.Kind != cb.Kind || ca.Tags != cb.Tags || ca.Part != cb.Part || len(ca.Body) != len(cb.Body) {
		return another
	}
	if !e.same(ca.Value, cb.Value) {
		return "it has other values"
	}
	if (ca.Addr == nil) != (cb.Addr == nil) {
		return another
	}
	if ca.Addr != nil {
		ka, constA := program.Fold(ca.Addr).(program.Const)
		kb, constB := program.Fold(cb.Addr).(program.Const)
		switch {
		case constA && constB:
			m, n := e.x.ranges.CellIndex(int64(ka)), e.x.ranges.CellIndex(int64(kb))
			if m < 0 || n < 0 {
				if ka != kb {
					return "it has another address"
				}
				break
			}
			if old, ok := e.cells[m]; ok && old != n {
				return "a cell of its own is not always in the same place"
			}
			if old, ok := e.cells[n]; ok && old != m {
				return "a cell of its own is not always in the same place"
			}
			e.cells[m], e.cells[n] = n, m
		case !reflect.DeepEqual(ca.Addr, cb.Addr):
			return "it has another address"
		}
	}
	for i := range ca.Body {
		if why := e.command(&ca.Body[i], &cb.Body[i]); why != "" {
			return why
		}
	}
	return ""
}

// same is true of the same expression over registers, but for the numbers of the threads.
func (e *exchange) same(a, b program.Expr) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case program.Unary:
		b, ok := b.(program.Unary)
		return ok && a.Op == b.Op && e.same(a.X, b.X)
	case program.Binary:
		b, ok := b.(program.Binary)
		return ok && a.Op == b.Op && e.same(a.X, b.X) && e.same(a.Y, b.Y)
	case program.Const:
		k, ok := b.(program.Const)
		if !ok || a == k {
			return ok
		}
		if !e.named {
			e.named, e.ids = true, [2]int64{int64(a), int64(k)}
		}
		return e.ids == [2]int64{int64(a), int64(k)}
	case program.Reg:
		return a == b
	}
	return false
}

// asked is true where a property is about a cell that is exchanged, or has the number of a thread.
func (e *exchange) asked() bool {
	found := false
	for i := range e.x.p.Properties {
		program.Walk(e.x.p.Properties[i].Cond, func(x program.Expr) {
			if m, ok := x.(program.Mem); ok {
				c := e.x.ranges.CellIndex(m.Addr)
				found = found || e.moved(c) || e.locks[c]
			}
		})
	}
	return found
}

func (e *exchange) moved(c int) bool {
	to, ok := e.cells[c]
	return ok && to != c
}

// touches is true of a command that may access a cell for which is is true.
func (e *exchange) touches(cmd *program.Command, is func(int) bool) bool {
	found := false
	cmd.Accesses(func(c *program.Command) {
		found = found || slices.ContainsFunc(e.x.ranges.Access[c], is)
	})
	return found
}

// others is "" where nobody else has to do with the cells that are exchanged, but by waiting for both,
// and computed addresses are none of them.
func (e *exchange) others() string {
	for ti, t := range e.x.p.Threads {
		var waits []int
		for i := range t.Edges {
			cmd := &t.Edges[i].Cmd
			if ti == e.ia || ti == e.ib {
				computed := false
				cmd.Accesses(func(c *program.Command) {
					_, constant := program.Fold(c.Addr).(program.Const)
					computed = computed || !constant && slices.ContainsFunc(e.x.ranges.Access[c], e.moved)
				})
				if computed {
					return "a cell of its own has a computed address"
				}
				continue
			}
			if e.touches(cmd, e.moved) {
				waits = append(waits, i)
			}
		}
		if len(waits) > 0 && !e.waitsFor(t, waits) {
			return t.Name + " has to do with a cell of its own"
		}
	}
	return ""
}

// waitsFor is true where these edges of t wait for one cell and then for its counterpart, with nothing but
// such waits in between.
func (e *exchange) waitsFor(t *program.Thread, waits []int) bool {
	if len(waits) != 2 {
		return false
	}
	out, into := t.Out(), make([]int, len(t.States))
	for i := range t.Edges {
		into[t.Edges[i].To]++
	}
	into[t.Initial]++
	wait := func(i int) (cell int, is program.Binary, ok bool) {
		cmd := &t.Edges[i].Cmd
		if cmd.Op != program.Atomic || len(cmd.Body) != 2 || cmd.Body[0].Op != program.Load || cmd.Body[1].Op != program.Check || !e.only(t, cmd.Body[0].Reg) {
			return 0, is, false
		}
		k, constant := program.Fold(cmd.Body[0].Addr).(program.Const)
		cell = e.x.ranges.CellIndex(int64(k))
		is, ok = cmd.Body[1].Value.(program.Binary)
		if ok = ok && is.X == program.Reg(cmd.Body[0].Reg); ok {
			_, ok = is.Y.(program.Const)
		}
		is.X = nil
		return cell, is, ok && constant && cell >= 0
	}
	first, last := waits[0], waits[1]
	for range 2 {
		i := first
		m, is, ok := wait(first)
		for ok && i != last {
			q := t.Edges[i].To
			if len(out[q]) != 1 || into[q] != 1 || len(out[t.Edges[i].From]) != 1 {
				break
			}
			i = out[q][0]
			_, _, ok = wait(i)
		}
		if n, other, fine := wait(last); ok && fine && i == last {
			return len(out[t.Edges[last].From]) == 1 && e.cells[m] == n && m != n && reflect.DeepEqual(is, other) &&
				t.Edges[first].Cmd.Body[0].Tags == t.Edges[last].Cmd.Body[0].Tags
		}
		first, last = last, first
	}
	return false
}

// only is true of a register that thread t uses nowhere but in the bodies that load it first.
func (e *exchange) only(t *program.Thread, reg int) bool {
	fine := true
	uses := func(x program.Expr) {
		program.Walk(x, func(x program.Expr) { fine = fine && x != program.Reg(reg) })
	}
	for i := range t.Edges {
		cmd := &t.Edges[i].Cmd
		if cmd.Op == program.Atomic && len(cmd.Body) > 0 && cmd.Body[0].Op == program.Load && cmd.Body[0].Reg == reg {
			uses(cmd.Body[0].Addr)
			continue
		}
		for _, c := range append([]program.Command{*cmd}, cmd.Body...) {
			uses(c.Addr)
			uses(c.Value)
		}
	}
	return fine && t.Regs[reg].Temp
}

// owners is "" where the numbers of the threads are found only in cells with which nobody does more than
// to store constants, and to look whether there is a certain one.
func (e *exchange) owners() string {
	const why = "it has other values"
	// Where a number stands, the body is about one cell, or more.
	mentions := func(x program.Expr) (found bool) {
		program.Walk(x, func(x program.Expr) {
			k, ok := x.(program.Const)
			found = found || ok && (int64(k) == e.ids[0] || int64(k) == e.ids[1])
		})
		return found
	}
	for _, pair := range [2]*program.Thread{e.a, e.b} {
		for i := range pair.Edges {
			ca, cb := &e.a.Edges[i].Cmd, &e.b.Edges[i].Cmd
			if reflect.DeepEqual(values(ca), values(cb)) {
				continue
			}
			if ca.Op != program.Atomic {
				return why
			}
			ca.Accesses(func(c *program.Command) {
				for _, cell := range e.x.ranges.Access[c] {
					e.locks[cell] = true
				}
			})
		}
	}
	if len(e.locks) == 0 {
		return why
	}
	for cell := range e.locks {
		init := e.x.ranges.Cells[cell].Init
		if e.moved(cell) || init == e.ids[0] || init == e.ids[1] {
			return why
		}
	}
	for ti, t := range e.x.p.Threads {
		for i := range t.Edges {
			cmd := &t.Edges[i].Cmd
			if !e.touches(cmd, func(c int) bool { return e.locks[c] }) {
				continue
			}
			if cmd.Op != program.Atomic || !e.looks(t, cmd) {
				return why
			}
			own := ti == e.ia || ti == e.ib
			for _, c := range cmd.Body {
				if !own && mentions(c.Value) {
					return why
				}
				if own && e.alien(ti, c.Value) {
					return why
				}
			}
		}
	}
	return ""
}

// alien is true of an expression with the number of the other thread.
func (e *exchange) alien(ti int, x program.Expr) (found bool) {
	other := e.ids[1]
	if ti == e.ib {
		other = e.ids[0]
	}
	program.Walk(x, func(x program.Expr) { found = found || x == program.Const(other) })
	return found
}

// values is all expressions of a command.
func values(c *program.Command) (all []program.Expr) {
	all = append(all, c.Value)
	for i := range c.Body {
		all = append(all, c.Body[i].Value)
	}
	return all
}

// looks is true of a body that loads one cell into a register of its own, first, compares that with
// constants, and stores constants to the cell.
func (e *exchange) looks(t *program.Thread, cmd *program.Command) bool {
	if len(cmd.Body) == 0 || cmd.Body[0].Op != program.Load || !e.only(t, cmd.Body[0].Reg) {
		return false
	}
	for _, c := range cmd.Body[1:] {
		switch c.Op {
		case program.Check, program.Assert:
			v, ok := c.Value.(program.Binary)
			if _, constant := v.Y.(program.Const); !ok || v.Op != program.Eq && v.Op != program.Ne || v.X != program.Reg(cmd.Body[0].Reg) || !constant {
				return false
			}
		case program.Store:
			if _, constant := c.Value.(program.Const); !constant || !reflect.DeepEqual(c.Addr, cmd.Body[0].Addr) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
