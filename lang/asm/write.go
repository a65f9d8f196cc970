package asm

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Write writes p in the format of [Parse]. The program that it stands for
// reaches the same control states, with the same registers and memory, under
// SC and TSO, and no thread of it gets stuck with the lock where p's would not;
// states that it adds stand between those of p.
//
// What the format has no words for is an error that names it: assertions,
// initial values other than 0, types that 32 bits cannot imitate, and an atomic
// block that a check in its middle disables, unless other edges of the state
// say what happens then. Properties other than goals become comments.
func Write(w io.Writer, p *program.Program) error {
	wr := &writer{p: p}
	if err := wr.program(); err != nil {
		return err
	}
	_, err := w.Write(wr.buf.Bytes())
	return err
}

type writer struct {
	p   *program.Program
	buf bytes.Buffer

	// Of the thread that is being written.
	t         *program.Thread
	states    []string // names, by state
	regs      []string // names, by register
	used      map[string]bool
	mentioned map[string]bool
	edge      *program.Edge
}

// refuse is an error about the command that is being written.
func (w *writer) refuse(format string, args ...any) error {
	pos := w.edge.Pos
	if !pos.IsValid() {
		pos = w.edge.Cmd.Pos
	}
	msg := fmt.Sprintf("thread %s, %s: ", w.t.Name, w.edge.Cmd.Format(w.p, w.t))
	return w.p.Diagnose(pos, msg+fmt.Sprintf(format, args...), "")
}

func (w *writer) program() error {
	if w.p.Wide() {
		return w.p.Diagnose(program.Position{}, "the automaton format has no access of several cells in one step", "")
	}
	if t, q := w.p.Special(); t >= 0 {
		st := w.p.Threads[t].States[q]
		return w.p.Diagnose(st.Pos, fmt.Sprintf("the automaton format has no state that is %s, as in thread %s", st.Kind, w.p.Threads[t].Name), "")
	}
	w.comment(w.p.Name)
	layout := false
	for _, c := range w.p.Memory {
		if c.Init != 0 {
			return w.p.Diagnose(program.Position{},
				fmt.Sprintf("cell %s starts at %d, but the automaton format starts all memory at 0", c.Name, c.Init), "")
		}
		if c.Name != "" {
			if !layout {
				w.comment("", "Memory layout:")
				layout = true
			}
			w.comment(fmt.Sprintf("%d - %s", c.Addr, c.Name))
		}
	}
	var threads []string
	for _, t := range w.p.Threads {
		threads = append(threads, t.Name)
	}
	threads, _ = rename(threads, "t", isWord)
	var states [][]string
	for i, t := range w.p.Threads {
		if err := w.thread(t, threads[i]); err != nil {
			return err
		}
		// A state that no line mentions is not reachable either.
		for q, name := range w.states {
			if !w.mentioned[name] {
				w.states[q] = ""
			}
		}
		states = append(states, w.states)
	}
	for i := range w.p.Properties {
		pr := &w.p.Properties[i]
		if i == 0 {
			w.buf.WriteByte('\n')
		}
		goals, err := w.goals(pr, threads, states)
		if err != nil {
			return err
		}
		if len(goals) == 0 {
			text := pr.Kind.String()
			if pr.Cond != nil {
				text += " " + pr.Cond.String()
			}
			w.comment("Not expressible here: " + text)
		}
		for _, g := range goals {
			fmt.Fprintf(&w.buf, "goal %s\n", g)
		}
	}
	return nil
}

func (w *writer) comment(texts ...string) {
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			w.buf.WriteString(strings.TrimRight("# "+line, " \r") + "\n")
		}
	}
}

func (w *writer) thread(t *program.Thread, name string) error {
	w.t = t
	var names []string
	for _, s := range t.States {
		names = append(names, s.Name)
	}
	w.states, w.used = rename(names, "q", isWord)
	names = nil
	for _, r := range t.Regs {
		if r.Init != 0 {
			return w.p.Diagnose(program.Position{}, fmt.Sprintf(
				"register %s of thread %s starts at %d, but the automaton format starts all registers at 0",
				r.Name, t.Name, r.Init), "")
		}
		names = append(names, r.Name)
	}
	w.regs, _ = rename(names, "r", func(s string) bool { return isWord(s) && isRegister(s) })

	initial := w.states[t.Initial]
	w.mentioned = map[string]bool{initial: true}
	fmt.Fprintf(&w.buf, "\nthread %s\ninitial %s\n", name, initial)
	out, held := t.Out(), mayHoldLock(t)
	done := make([]bool, len(t.Edges))
	for i := range t.Edges {
		w.edge = &t.Edges[i]
		if done[i] {
			continue
		}
		from, to := w.states[w.edge.From], w.states[w.edge.To]
		if w.edge.Cmd.Op != program.Atomic {
			if err := w.command(from, to, &w.edge.Cmd); err != nil {
				return err
			}
			continue
		}
		if held[w.edge.From] {
			return w.refuse("the format has no atomic within lock and unlock")
		}
		if err := w.atomic(i, out[w.edge.From], done); err != nil {
			return err
		}
	}
	w.buf.WriteString("end\n")
	return nil
}

// mayHoldLock is, by state, whether the thread can get there with the lock.
func mayHoldLock(t *program.Thread) []bool {
	held := make([]bool, len(t.States))
	for changed := true; changed; {
		changed = false
		for i := range t.Edges {
			e := &t.Edges[i]
			locks := e.Cmd.Op == program.Lock || held[e.From] && e.Cmd.Op != program.Unlock
			if locks && !held[e.To] {
				held[e.To] = true
				changed = true
			}
		}
	}
	return held
}

func (w *writer) transition(from, to, format string, args ...any) {
	w.mentioned[from], w.mentioned[to] = true, true
	fmt.Fprintf(&w.buf, "transition %s %s "+format+"\n", append([]any{from, to}, args...)...)
}

// fresh is a new state, named after an old one.
func (w *writer) fresh(after string) string {
	for i := 1; ; i++ {
		if name := fmt.Sprintf("%s_%d", after, i); !w.used[name] {
			w.used[name] = true
			return name
		}
	}
}

func (w *writer) command(from, to string, c *program.Command) error {
	for _, e := range []program.Expr{c.Addr, c.Value} {
		if op := unwritable(e); op != "" {
			return w.refuse("the format has no operator %s", op)
		}
	}
	switch c.Op {
	case program.Check:
		if c.Value == program.Const(1) {
			w.transition(from, to, "noop")
			return nil
		}
		w.transition(from, to, "check %s", w.expr(c.Value))
	case program.Assign:
		value, err := w.fit(c.Value, w.t.Regs[c.Reg].Type)
		if err != nil {
			return err
		}
		w.transition(from, to, "local %s %s", w.regs[c.Reg], w.expr(value))
	case program.Havoc:
		return w.havoc(from, to, c)
	case program.Load:
		typ := w.t.Regs[c.Reg].Type
		for _, cell := range w.cellTypes(c.Addr) {
			if cell.Min() < typ.Min() || cell.Max() > typ.Max() {
				return w.refuse("the format cannot load a cell of type %v into a register of type %v", cell, typ)
			}
		}
		w.transition(from, to, "read %s %s", w.regs[c.Reg], w.expr(c.Addr))
	case program.Store:
		var value program.Expr
		for i, typ := range w.cellTypes(c.Addr) {
			v, err := w.fit(c.Value, typ)
			if err != nil {
				return err
			}
			if i > 0 && !reflect.DeepEqual(v, value) {
				return w.refuse("the format cannot store into cells of different types")
			}
			value = v
		}
		w.transition(from, to, "write %s %s", w.expr(value), w.expr(c.Addr))
	case program.Fence:
		w.transition(from, to, "mfence")
	case program.Lock, program.Unlock:
		w.transition(from, to, "%v", c.Op)
	default:
		return w.refuse("the format has no %v", c.Op)
	}
	return nil
}

// maxHavoc bounds how many transitions one Havoc becomes.
const maxHavoc = 1 << 10

func (w *writer) havoc(from, to string, c *program.Command) error {
	if uint64(c.Hi-c.Lo) >= maxHavoc {
		return w.refuse("the format has no free choice, and the range is too wide to list its values")
	}
	typ := w.t.Regs[c.Reg].Type
	seen := map[int64]bool{}
	for v := c.Lo; ; v++ {
		value := typ.Wrap(v)
		if program.Int32Type.Wrap(value) != value {
			return w.refuse("the format has 32 bits, which %d exceeds", value)
		}
		if !seen[value] {
			seen[value] = true
			w.transition(from, to, "local %s %d", w.regs[c.Reg], value)
		}
		if v == c.Hi {
			return nil
		}
	}
}

// cellTypes is the types of the cells that addr may be the address of.
func (w *writer) cellTypes(addr program.Expr) []program.Type {
	if a, ok := addr.(program.Const); ok {
		if i := w.p.CellAt(int64(a)); i >= 0 {
			return []program.Type{w.p.Memory[i].Type}
		}
		return []program.Type{w.p.Default}
	}
	types := []program.Type{w.p.Default}
	for _, c := range w.p.Memory {
		if !slices.Contains(types, c.Type) {
			types = append(types, c.Type)
		}
	}
	return types
}

// fit is an expression that a register or cell of 32 bits takes to what typ
// makes of e.
func (w *writer) fit(e program.Expr, typ program.Type) (program.Expr, error) {
	lo, hi := w.bounds(e)
	switch {
	case typ == program.Int32Type, lo >= max(typ.Min(), math.MinInt32) && hi <= min(typ.Max(), math.MaxInt32):
		return e, nil
	case typ.Min() < math.MinInt32 || typ.Max() > math.MaxInt32:
		return nil, w.refuse("the format has 32 bits, not the type %v", typ)
	}
	mask := program.Const(1<<typ.Bits - 1)
	if !typ.Signed {
		return program.Binary{Op: program.BitAnd, X: e, Y: mask}, nil
	}
	half := program.Const(-typ.Min())
	e = program.Binary{Op: program.BitAnd, X: program.Binary{Op: program.Add, X: e, Y: half}, Y: mask}
	return program.Binary{Op: program.Sub, X: e, Y: half}, nil
}

// bounds is a range that the value of e is in.
func (w *writer) bounds(e program.Expr) (lo, hi int64) {
	switch e := e.(type) {
	case program.Const:
		return int64(e), int64(e)
	case program.Reg:
		typ := w.t.Regs[e].Type
		return typ.Min(), typ.Max()
	case program.Unary:
		if e.Op == program.LogicalNot {
			return 0, 1
		}
	case program.Binary:
		if e.Op.Bool() {
			return 0, 1
		}
		if mask, ok := e.Y.(program.Const); ok && e.Op == program.BitAnd && mask >= 0 {
			return 0, int64(mask)
		}
	}
	return math.MinInt64, math.MaxInt64
}

// atomic writes edge i, an atomic block, and marks it done. The block becomes
//
//	lock; body; unlock
//
// A check before anything else goes before the lock: it concerns registers
// only, so waiting there for it to hold is waiting at the edge. A check further
// on must not fail with the lock taken. It takes other edges of the same state,
// whose blocks begin alike and then go on in the other case, such as the other
// half of a compare-and-swap; they are written, and done, together with edge i.
func (w *writer) atomic(i int, siblings []int, done []bool) error {
	e := &w.t.Edges[i]
	base := w.states[e.From]
	checks, body := leadingChecks(e.Cmd.Body)
	var group []block
	for _, j := range siblings {
		s := &w.t.Edges[j]
		if done[j] || s.Cmd.Op != program.Atomic {
			continue
		}
		c, b := leadingChecks(s.Cmd.Body)
		if j == i || slices.EqualFunc(c, checks, sameCommand) && len(b) > 0 && len(body) > 0 && sameCommand(b[0], body[0]) {
			group = append(group, block{b, w.states[s.To]})
			done[j] = true
		}
	}
	at := base
	for k := range checks {
		next := w.fresh(base)
		if err := w.command(at, next, &checks[k]); err != nil {
			return err
		}
		at = next
	}
	next := w.fresh(base)
	w.transition(at, next, "lock")
	return w.locked(base, next, group)
}

func leadingChecks(body []program.Command) (checks, rest []program.Command) {
	n := 0
	for n < len(body) && body[n].Op == program.Check {
		n++
	}
	return body[:n], body[n:]
}

// A block is what is left of an atomic block, and the state that it leads to.
type block struct {
	body []program.Command
	to   string
}

// locked writes what follows the lock at state at: the blocks, of which one is
// executed, and the unlock. New states are named after the state base.
func (w *writer) locked(base, at string, blocks []block) error {
	if !exhaustive(blocks) {
		return w.refuse("where a check within an atomic block fails, the format keeps the lock")
	}
	for len(blocks) > 0 {
		if len(blocks[0].body) == 0 {
			w.transition(at, blocks[0].to, "unlock")
			blocks = blocks[1:]
			continue
		}
		first := blocks[0].body[0]
		var same, others []block
		for _, b := range blocks {
			if len(b.body) > 0 && sameCommand(b.body[0], first) {
				same = append(same, block{b.body[1:], b.to})
			} else {
				others = append(others, b)
			}
		}
		next := w.fresh(base)
		if err := w.command(at, next, &first); err != nil {
			return err
		}
		if err := w.locked(base, next, same); err != nil {
			return err
		}
		blocks = others
	}
	return nil
}

// exhaustive is true where one of the blocks can go on whatever the registers
// hold.
func exhaustive(blocks []block) bool {
	for _, a := range blocks {
		if len(a.body) == 0 || a.body[0].Op != program.Check || a.body[0].IsSkip() {
			return true
		}
		for _, b := range blocks {
			if len(b.body) > 0 && b.body[0].Op == program.Check && b.body[0].Value == program.NotExpr(a.body[0].Value) {
				return true
			}
		}
	}
	return false
}

// sameCommand compares two commands of a body, wherever they stand.
func sameCommand(a, b program.Command) bool {
	a.Pos, b.Pos = program.Position{}, program.Position{}
	return reflect.DeepEqual(a, b)
}

// unwritable is an operator in e that the format does not have, or "".
func unwritable(e program.Expr) (op string) {
	program.Walk(e, func(x program.Expr) {
		switch x := x.(type) {
		case program.Unary:
			if _, cast := x.Op.Cast(); cast {
				op = x.Op.String()
			}
		case program.Binary:
			switch x.Op {
			case program.UDiv, program.URem, program.UShr, program.ULt, program.ULe:
				op = x.Op.String()
			}
		}
	})
	return op
}

// expr is e in prefix notation.
func (w *writer) expr(e program.Expr) string {
	switch e := e.(type) {
	case program.Reg:
		return w.regs[e]
	case program.Unary:
		if e.Op == program.Neg {
			return "- 0 " + w.expr(e.X)
		}
		return e.Op.String() + " " + w.expr(e.X)
	case program.Binary:
		return e.Op.String() + " " + w.expr(e.X) + " " + w.expr(e.Y)
	}
	return e.String()
}

// maxGoals bounds how many lines one property becomes.
const maxGoals = 1 << 12

// goals is the goal lines that together say what pr says, or none.
func (w *writer) goals(pr *program.Property, threads []string, states [][]string) ([]string, error) {
	if pr.Kind != program.Forbid {
		return nil, nil
	}
	ats, ok := conjunction(pr.Cond, nil)
	if !ok {
		return nil, nil
	}
	// A thread that is named twice is at the states common to both.
	var merged []program.At
next:
	for _, a := range ats {
		for i := range merged {
			if m := &merged[i]; m.Thread == a.Thread {
				m.States = slices.DeleteFunc(slices.Clone(m.States), func(q program.StateID) bool {
					return !slices.Contains(a.States, q)
				})
				continue next
			}
		}
		merged = append(merged, a)
	}
	lines := []string{""}
	for _, a := range merged {
		var longer []string
		for _, l := range lines {
			for _, q := range a.States {
				if name := states[a.Thread][q]; name != "" {
					longer = append(longer, strings.TrimLeft(l+" "+threads[a.Thread]+" "+name, " "))
				}
			}
		}
		if lines = longer; len(lines) > maxGoals {
			return nil, w.p.Diagnose(pr.Pos, "the property has too many combinations of states to list them as goals", "")
		}
	}
	return lines, nil
}

// conjunction appends the control states that e asks for, if that is all that
// it asks for.
func conjunction(e program.Expr, ats []program.At) ([]program.At, bool) {
	switch e := e.(type) {
	case program.At:
		return append(ats, e), true
	case program.Binary:
		if e.Op == program.LogicalAnd {
			ats, ok := conjunction(e.X, ats)
			if !ok {
				return nil, false
			}
			return conjunction(e.Y, ats)
		}
	}
	return nil, false
}

// isWord is true of what Parse takes for one word.
func isWord(s string) bool {
	return s != "" && s[0] != '#' && !strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || unprintable(r) })
}

// rename makes names that are valid and differ from each other, of names that
// may not be; those that are both stay. prefix begins a name that would be
// invalid without.
func rename(names []string, prefix string, valid func(string) bool) (renamed []string, used map[string]bool) {
	used = map[string]bool{}
	for _, n := range names {
		if valid(n) {
			used[n] = true
		}
	}
	taken := map[string]bool{}
	for _, n := range names {
		if valid(n) && !taken[n] {
			taken[n] = true
			renamed = append(renamed, n)
			continue
		}
		n = strings.Map(func(r rune) rune {
			if r == ' ' || unprintable(r) {
				return '_'
			}
			return r
		}, n)
		if !valid(n) {
			n = prefix + n
		}
		name := n
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s_%d", n, i)
		}
		used[name] = true
		renamed = append(renamed, name)
	}
	return renamed, used
}
