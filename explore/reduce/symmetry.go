package reduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// Symmetry is the reduction by symmetries of the program: exchanges of two
// threads, together with cells that the one has where the other has others.
//
// An exchange of threads a and b maps a cell to another one, or to itself, and
// that back. It is a symmetry where
//
//   - the automata of a and b have the same states, registers and edges, which
//     differ at most in constant addresses, those of b being what the exchange
//     makes of those of a, and in values that say who they are, which it exchanges as well
//     (see [colours]). Computed addresses are those of cells that stay;
//   - cells that are exchanged have the same type and initial value, and no other
//     thread accesses them, but in steps that start threads or wait for them, all that are alike at the same
//     time (see [Gathering]): what the exchange makes of such a step does the same;
//   - the properties and the filter are the same afterwards, up to the order of
//     operands.
//
// So a run of the program stays a run when the threads and cells in it are
// exchanged, and a violation a violation. (What can be reached lies within the
// ranges of the one thread, then, and within those of the other, even where the
// analysis has found different ones. And the same registers of both are dead after an
// edge: the automata and the properties say which.) Of all states that exchanges make from
// each other the search stores one: the threads of a group, of which every two
// neighbours may be exchanged, are sorted by what is theirs (control state,
// registers, buffer, cells, the lock).
//
// # With reductions
//
// Let w lead from a state s to a violation. What an exchange makes of w leads from
// what it makes of s to one, and is as long. The arguments of allEvents and
// cartesian are inductions over the length of w only. That of persistentSets is
// over the length of chains of reduced steps, too. These have a bound that
// exchanges do not change, the rank and the number of buffered pairs, since
// threads that are exchanged have the same local and calm control states, which
// is tested. A favourite thread would have to be exchanged with the others; this
// is not done.
type Symmetry struct {
	groups [][]int     // by group, ascending: threads that may be exchanged
	with   []*exchange // by thread: with the one before it in its group, or nil
}

// An exchange is that of two threads.
type exchange struct {
	a, b  int
	cells []int    // by cell: its counterpart
	moved [][2]int // the cells that are not their own, first that of a
	colours
}

// NewSymmetry finds the symmetries of a search with that reduction. The result is nil
// where there are none; why says why they are not more.
func NewSymmetry(task *Task, red Reduction) (y *Symmetry, why string) {
	y = &Symmetry{with: make([]*exchange, task.System.Threads())}
	var reasons []string
	for b := range task.System.Program.Threads {
		joined, first := false, error(nil)
		for g := range y.groups {
			a := y.groups[g][len(y.groups[g])-1]
			x, err := newExchange(task, red, a, b)
			if err == nil {
				y.groups[g] = append(y.groups[g], b)
				y.with[b] = x
				joined = true
				break
			}
			if first == nil {
				first = err
			}
		}
		if !joined {
			y.groups = append(y.groups, []int{b})
			if first != nil {
				reasons = append(reasons, first.Error())
			}
		}
	}
	y.groups = slices.DeleteFunc(y.groups, func(g []int) bool { return len(g) == 1 })
	why = strings.Join(reasons, "; ")
	if len(y.groups) == 0 {
		if why == "" {
			why = "there is one thread"
		}
		return nil, why
	}
	return y, why
}

// Likes is how many threads of p may be alike at most, by the size of their automata.
func Likes(p *program.Program) int {
	size := map[[3]int]int{}
	most := 0
	for _, t := range p.Threads {
		k := [3]int{len(t.States), len(t.Edges), len(t.Regs)}
		size[k]++
		most = max(most, size[k])
	}
	return most
}

// Orders is how many orders of the threads there are for one that is stored.
func (y *Symmetry) Orders() int64 {
	n := int64(1)
	for _, g := range y.groups {
		for k := range g {
			n *= int64(k + 1)
		}
	}
	return n
}

// newExchange is the exchange of threads a < b, if it is a symmetry.
func newExchange(task *Task, red Reduction, a, b int) (*exchange, error) {
	sys := task.System
	p, r := sys.Program, sys.Ranges
	ta, tb := p.Threads[a], p.Threads[b]
	no := func(pos program.Position, format string, args ...any) error {
		text := fmt.Sprintf("%s is not like %s: ", tb.Name, ta.Name) + fmt.Sprintf(format, args...)
		if pos.IsValid() {
			text += fmt.Sprintf(" (%s)", pos.Where())
		}
		return fmt.Errorf("%s", text)
	}
	x := &exchange{a: a, b: b, cells: make([]int, len(r.Cells))}
	if len(ta.States) != len(tb.States) || len(ta.Edges) != len(tb.Edges) || len(ta.Regs) != len(tb.Regs) || ta.Initial != tb.Initial {
		return nil, no(program.Position{}, "its automaton is another")
	}
	for q := range ta.States {
		if ta.States[q].Kind != tb.States[q].Kind {
			return nil, no(program.Position{}, "its automaton is another")
		}
	}
	var differs error // where the values of the one are not those of the other
	differ := func(pos program.Position, format string, args ...any) {
		if differs == nil {
			differs = no(pos, format, args...)
		}
	}
	for i := range ta.Regs {
		if ta.Regs[i].Type != tb.Regs[i].Type {
			return nil, no(program.Position{}, "register %s is another", tb.Regs[i].Name)
		}
		if ta.Regs[i].Init != tb.Regs[i].Init {
			differ(program.Position{}, "register %s is another", tb.Regs[i].Name)
		}
	}

	// Where the one has a constant address, the other has the counterpart.
	for c := range x.cells {
		x.cells[c] = -1
	}
	var computed []*program.Command
	command := func(ca, cb *program.Command, pos program.Position) error {
		if cb.Pos.IsValid() {
			pos = cb.Pos
		}
		if ca.Op != cb.Op || ca.Reg != cb.Reg || ca.Lo != cb.Lo || ca.Hi != cb.Hi || ca.Kind != cb.Kind || ca.Tags != cb.Tags || ca.Wide != cb.Wide || len(ca.Body) != len(cb.Body) {
			return no(pos, "its automaton is another")
		}
		if !sameExpr(ca.Value, cb.Value) {
			differ(pos, "it has %s where that has %s", program.FormatExpr(cb.Value, tb), program.FormatExpr(ca.Value, ta))
		}
		if ca.Addr == nil || cb.Addr == nil {
			return nil
		}
		ka, constA := program.Fold(ca.Addr).(program.Const)
		kb, constB := program.Fold(cb.Addr).(program.Const)
		switch {
		case constA && constB:
			m, n := r.CellIndex(int64(ka)), r.CellIndex(int64(kb))
			if m < 0 || n < 0 { // in code that cannot be reached
				if ka != kb {
					return no(pos, "it has address %d where that has %d", kb, ka)
				}
				return nil
			}
			if x.cells[m] >= 0 && x.cells[m] != n || x.cells[n] >= 0 && x.cells[n] != m {
				return no(pos, "%s is not always where that has %s", sys.CellName(n), sys.CellName(m))
			}
			if x.cells[m] < 0 && m != n {
				x.moved = append(x.moved, [2]int{m, n})
			}
			x.cells[m], x.cells[n] = n, m
		case sameExpr(ca.Addr, cb.Addr):
			computed = append(computed, ca, cb)
		default:
			return no(pos, "it has address %s where that has %s", program.FormatExpr(cb.Addr, tb), program.FormatExpr(ca.Addr, ta))
		}
		return nil
	}
	for i := range ta.Edges {
		ea, eb := &ta.Edges[i], &tb.Edges[i]
		if ea.From != eb.From || ea.To != eb.To {
			return nil, no(eb.Cmd.Pos, "its automaton is another")
		}
		if err := command(&ea.Cmd, &eb.Cmd, eb.Pos); err != nil {
			return nil, err
		}
		for j := range ea.Cmd.Body {
			if err := command(&ea.Cmd.Body[j], &eb.Cmd.Body[j], eb.Pos); err != nil {
				return nil, err
			}
		}
	}
	for c := range x.cells {
		if x.cells[c] < 0 {
			x.cells[c] = c
		}
	}
	if differs != nil {
		c, ok := paint(p, r, task.Props, a, b)
		if !ok {
			return nil, differs
		}
		x.colours = *c
	}
	for c, d := range x.cells {
		if r.Cells[c].Type != r.Cells[d].Type || x.inCell(c, r.Cells[c].Init) != r.Cells[d].Init {
			return nil, no(program.Position{}, "%s is not like %s", sys.CellName(max(c, d)), sys.CellName(min(c, d)))
		}
	}
	stays := func(c *program.Command) bool {
		return !slices.ContainsFunc(r.Access[c], func(i int) bool { return x.cells[i] != i })
	}
	for _, c := range computed {
		if !stays(c) {
			return nil, no(c.Pos, "a cell of its own has a computed address")
		}
	}
	for t, th := range p.Threads {
		if t == a || t == b {
			continue
		}
		for i := range th.Edges {
			c := &th.Edges[i].Cmd
			if !stays(c) || slices.ContainsFunc(bodies(c), func(c *program.Command) bool { return !stays(c) }) && !x.keeps(r, c) {
				return nil, no(c.Pos, "%s has to do with a cell of its own", th.Name)
			}
		}
	}

	if pos, ok := x.invariant(sys, task.Props, p.Filter); !ok {
		return nil, no(pos, "a property tells them apart")
	}
	if !red.Alike(a, b) {
		return nil, no(program.Position{}, "the analyses tell them apart")
	}
	return x, nil
}

// keeps is whether c is a step that starts several threads, or waits for several, as a [Gathering] has it, and what the exchange
// makes of it starts or awaits the same.
func (x *exchange) keeps(r *program.Ranges, c *program.Command) bool {
	cell := func(c *program.Command) int {
		if addr, ok := c.Addr.(program.Const); ok {
			return r.CellIndex(int64(addr))
		}
		return -1
	}
	var was, is []int
	body := c.Body
	first := body[0]
	switch first.Op {
	case program.Store:
		for i := range body {
			if body[i].Op != program.Store || !sameExpr(body[i].Value, first.Value) || body[i].Tags != first.Tags {
				return false
			}
			was = append(was, cell(&body[i]))
		}
	case program.Load: // each is checked, and in the end nobody knows what it was
		last := &body[len(body)-1]
		if _, ok := last.Value.(program.Const); !ok || last.Op != program.Assign || last.Reg != first.Reg {
			return false
		}
		for i := 0; i < len(body)-1; i += 2 {
			load, check := &body[i], &body[i+1]
			if load.Op != program.Load || load.Reg != first.Reg || load.Tags != first.Tags || check.Op != program.Check || !sameExpr(check.Value, body[1].Value) {
				return false
			}
			was = append(was, cell(load))
		}
	default:
		return false
	}
	if slices.Contains(was, -1) {
		return false
	}
	for _, i := range was {
		is = append(is, x.cells[i])
	}
	slices.Sort(was)
	slices.Sort(is)
	return slices.Equal(was, is)
}

// sameExpr is true where a and b are the same expression over registers.
func sameExpr(a, b program.Expr) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case program.Unary:
		b, ok := b.(program.Unary)
		return ok && a.Op == b.Op && sameExpr(a.X, b.X)
	case program.Binary:
		b, ok := b.(program.Binary)
		return ok && a.Op == b.Op && sameExpr(a.X, b.X) && sameExpr(a.Y, b.Y)
	case program.Const, program.Reg:
		return a == b
	}
	return false
}

// invariant is true where the set of properties of each kind, and the filter, are
// what the exchange makes of them. Else pos is that of a property.
func (x *exchange) invariant(sys *abstract.System, props []program.Property, filter program.Expr) (pos program.Position, ok bool) {
	id := &exchange{a: -1, b: -1}
	var was []string
	for i := range props {
		was = append(was, props[i].Kind.String()+" "+id.canonical(sys, props[i].Cond))
	}
	for i := range props {
		if !slices.Contains(was, props[i].Kind.String()+" "+x.canonical(sys, props[i].Cond)) {
			return props[i].Pos, false
		}
	}
	return pos, filter == nil || id.canonical(sys, filter) == x.canonical(sys, filter)
}

// canonical prints what the exchange makes of a condition.
func (x *exchange) canonical(sys *abstract.System, e program.Expr) string {
	cell := func(addr int64) int {
		c := sys.Ranges.CellIndex(addr)
		if x.cells != nil {
			c = x.cells[c]
		}
		return c
	}
	return program.Canonical(e, cell, x.thread)
}

func (x *exchange) thread(t int) int {
	switch t {
	case x.a:
		return x.b
	case x.b:
		return x.a
	}
	return t
}

// bodies is the commands of the body of c.
func bodies(c *program.Command) []*program.Command {
	var all []*program.Command
	for i := range c.Body {
		all = append(all, &c.Body[i])
	}
	return all
}

// Note says what there is of symmetry, and what not.
func (y *Symmetry) Note(p *program.Program, why string) string {
	if y == nil {
		return "no symmetry: " + why
	}
	text := "symmetry of " + program.Together(p, y.groups)
	if why != "" {
		text += "; " + why
	}
	return text
}

// Canonical sorts the threads of s within their groups. It puts into perm, by
// thread, which it was before, and tells whether any has moved.
func (y *Symmetry) Canonical(s *abstract.State, perm []int) (moved bool) {
	for t := range perm {
		perm[t] = t
	}
	for _, g := range y.groups {
		for i := 1; i < len(g); i++ {
			for j := i; j > 0; j-- {
				x := y.with[g[j]]
				if x.compare(s) <= 0 {
					break
				}
				x.apply(s)
				perm[x.a], perm[x.b] = perm[x.b], perm[x.a]
				moved = true
			}
		}
	}
	return moved
}

// compare is positive where thread a of s belongs behind thread b.
func (x *exchange) compare(s *abstract.State) int {
	a, b := x.a, x.b
	if d := cmp.Compare(s.PC[a], s.PC[b]); d != 0 {
		return d
	}
	if d := x.compareRegs(s); d != 0 {
		return d
	}
	for _, m := range x.moved {
		if d := cmp.Compare(s.Mem[m[0]], x.inCell(m[1], s.Mem[m[1]])); d != 0 {
			return d
		}
	}
	for _, c := range x.colours.cells {
		if v := s.Mem[c]; x.cells[c] == c && v != x.of(v) {
			return cmp.Compare(v, x.of(v))
		}
	}
	if s.Lock == a || s.Lock == b {
		return cmp.Compare(s.Lock, a)*2 - 1
	}
	return slices.CompareFunc(s.Buf[a].Pairs, s.Buf[b].Pairs, func(p, q abstract.Pair) int {
		return cmp.Or(cmp.Compare(x.cells[p.Cell], q.Cell), cmp.Compare(x.inCell(p.Cell, p.Value), q.Value), cmp.Compare(program.Bool(p.Part), program.Bool(q.Part)))
	})
}

// compareRegs compares the registers of the two, as the one would have those of the other.
func (x *exchange) compareRegs(s *abstract.State) int {
	a, b := s.Regs[x.a], s.Regs[x.b]
	if x.regs == nil {
		return slices.Compare(a, b)
	}
	coloured := x.regs[x.a]
	for r := range a {
		v := b[r]
		if len(coloured) > 0 && coloured[0] == r {
			v, coloured = x.of(v), coloured[1:]
		}
		if d := cmp.Compare(a[r], v); d != 0 {
			return d
		}
	}
	return 0
}

// apply makes s what the exchange makes of it.
func (x *exchange) apply(s *abstract.State) {
	a, b := x.a, x.b
	s.PC[a], s.PC[b] = s.PC[b], s.PC[a]
	for r := range s.Regs[a] {
		s.Regs[a][r], s.Regs[b][r] = s.Regs[b][r], s.Regs[a][r]
	}
	s.Buf[a], s.Buf[b] = s.Buf[b], s.Buf[a]
	for _, t := range [2]int{a, b} {
		for i := range s.Buf[t].Pairs {
			p := &s.Buf[t].Pairs[i]
			p.Cell = x.cells[p.Cell]
		}
	}
	for _, m := range x.moved {
		s.Mem[m[0]], s.Mem[m[1]] = s.Mem[m[1]], s.Mem[m[0]]
	}
	s.Lock = x.thread(s.Lock)
	x.recolour(s)
}

// recolour exchanges the values in all places that are coloured.
func (x *exchange) recolour(s *abstract.State) {
	if len(x.values) == 0 {
		return
	}
	for _, c := range x.colours.cells {
		s.Mem[c] = x.of(s.Mem[c])
	}
	for t, regs := range x.regs {
		for _, r := range regs {
			s.Regs[t][r] = x.of(s.Regs[t][r])
		}
		for i := range s.Buf[t].Pairs {
			p := &s.Buf[t].Pairs[i]
			p.Value = x.inCell(p.Cell, p.Value)
		}
	}
}
