// Package program is the program model that every front end produces and every
// engine reads (thesis 2.1 and 2.3).
//
// A [Program] is a finite sequence of threads over shared memory. A [Thread] is
// an automaton: control states, and edges labelled with one [Command] each. A
// choice is several edges that leave one state; a branch is two edges whose
// checks exclude each other; a loop is a cycle. Registers belong to a thread,
// memory cells to all.
//
// Dekker's entry protocol, simplified,
//
//	flag0 := 1; while flag1 = 1 do skip od; cs: skip
//
// is the thread
//
//	q0  store flag0 <- 1    -> q1
//	q1  load r0 <- flag1    -> q2
//	q2  check r0 == 1       -> q1
//	q2  check r0 != 1       -> q3
//	q3  skip                -> q4        (label cs)
//
// Every read of a shared variable is a Load of its own, and expressions read
// registers only. Values are 64-bit integers; a register or a cell has a [Type]
// and what is written to it is wrapped around to that type.
//
// What a program must not do is in its properties and its Assert commands. How
// it runs, and what the store buffers do, is in package abstract.
//
// Beside the model, the package has value ranges and address resolution ([Analyse]);
// a printer; and [Sanity], which tests what every engine relies on. What the automata
// say about runs is in package program/flow.
package program

import (
	"sort"
	"strconv"
)

// A Program is what is verified.
type Program struct {
	Name       string
	Source     *Source
	Arch       Arch // what the commands and their tags are
	Threads    []*Thread
	Memory     []Cell // declared cells, by ascending address
	Properties []Property
	// NoHang is true of a program that must not hang for ever, either: come to a state in which
	// nothing will ever change, although some thread waits. It is none of the Properties, which
	// single states violate.
	NoHang bool
	// SafetyOnly is true of a program that was read without what only deadlocks and hangs tell
	// of: neither may be asked for.
	SafetyOnly bool
	// Ordered is true of a program that was read for models which keep stores in the order of the program, SC and TSO:
	// it may not be asked about under others.
	Ordered bool
	// Sampled is true of a program some of whose free choices, of values that decide of little, are of fewer than there are: what
	// can be in memory in the end is not all there.
	Sampled bool
	// Outside is what may come from outside of the program and end a wait that nobody else ends; empty: nothing. Of deadlocks and hangs it is not known then
	// whether they last.
	Outside string
	// Given is what the program was read with that is not so wherever it runs, such as the arguments of main: a proof says it.
	Given   []string
	Observe []Expr // what a list of final states shows: ThreadReg and Mem; empty: all registers and cells
	Filter  Expr   // final states in which it is 0 do not count; may be nil
	// Default is the type of cells that are not declared: automata address
	// any cell they can compute.
	Default Type
}

// A Thread is an automaton whose edges are labelled with commands.
type Thread struct {
	Name    string
	Regs    []Register
	States  []State
	Initial StateID
	Edges   []Edge
}

// StateID is a control state: an index into [Thread.States].
type StateID int32

// A State is a control state.
type State struct {
	Name   string   // for printing; unique in its thread
	Labels []string // the labels of the source that stand here
	Kind   StateKind
	Pos    Position
}

// A StateKind says what it means that a thread stays at a control state for ever.
type StateKind uint8

const (
	// Plain: without edges, the thread has come to its end; else it waits.
	Plain StateKind = iota
	// Unstarted: another thread has to start this one. The only edge is an Atomic
	// that loads from a constant address and checks that what it got is not 0. A
	// thread that stays here has come to its end.
	Unstarted
	// GivenUp: an assumption has failed. There are no edges. A run with a thread
	// that has come here is not to be judged by how it ends: its last state is
	// neither final nor a deadlock.
	GivenUp
)

func (k StateKind) String() string { return [...]string{"", "unstarted", "given up"}[k] }

// Start is the command on the edge of an [Unstarted] state: it waits for the cell at
// addr not to be 0, into which whoever starts the thread stores. reg receives what is
// loaded.
func Start(reg int, addr int64, tags Tags) Command {
	return Command{Op: Atomic, Text: "start", Body: []Command{
		{Op: Load, Reg: reg, Addr: Const(addr), Tags: tags},
		{Op: Check, Value: Binary{Ne, Reg(reg), Const(0)}},
	}}
}

// Special is a control state that is not Plain, and its thread; -1 where there is
// none. Who cannot say what that means refuses the program.
func (p *Program) Special() (thread int, q StateID) {
	for ti, t := range p.Threads {
		for q := range t.States {
			if t.States[q].Kind != Plain {
				return ti, StateID(q)
			}
		}
	}
	return -1, 0
}

// StartCell is the address of the cell that a thread at the [Unstarted] state q waits
// for.
func (t *Thread) StartCell(q StateID) int64 {
	for i := range t.Edges {
		if e := &t.Edges[i]; e.From == q {
			return int64(e.Cmd.Body[0].Addr.(Const))
		}
	}
	panic("program: an unstarted thread that cannot be started")
}

// An Edge leads from one control state to another by a command.
type Edge struct {
	From, To StateID
	Cmd      Command
	Pos      Position
}

// A Register is a thread's own variable.
type Register struct {
	Name string
	Type Type
	Init int64
	// Temp is true of a register that the front end invented: reports of
	// final states leave it out.
	Temp bool
	// Mark is that of the cells which are loaded into it, or 0.
	Mark int64
}

// Format is a value of the register as reports have it.
func (r *Register) Format(v int64) string { return r.Type.marked(v, r.Mark) }

// A Cell is one word of shared memory.
type Cell struct {
	Addr int64
	Name string // such as x or a[3]; may be empty
	Type Type
	Init int64
	// Mark is a value that stands for none: that nothing has been written yet. It is none of those that the
	// language has for what the cell is of, and whoever loads it chooses one of these. 0: there is no such value.
	Mark int64
	// Members are those of the structure that the cell is; nil where it is none.
	Members *Members
}

// Format is a value of the cell as reports have it.
func (c *Cell) Format(v int64) string {
	if c.Members != nil && (c.Mark == 0 || v != c.Mark) {
		return c.Members.Format(v)
	}
	return c.Type.marked(v, c.Mark)
}

// Unwritten is what reports have in the place of a mark.
const Unwritten = "not written"

// marked is v in decimal, unless it is the mark, if there is one.
func (t Type) marked(v, mark int64) string {
	if mark != 0 && v == mark {
		return Unwritten
	}
	return t.Format(v)
}

// A Type is the width of a register or a cell.
type Type struct {
	Bits   uint8 // 1..64
	Signed bool  // two's complement; otherwise 0 .. 2^Bits-1
}

// The types of the languages.
var (
	BoolType  = Type{1, false}
	Int8Type  = Type{8, true}
	Int16Type = Type{16, true}
	Int32Type = Type{32, true}
	Int64Type = Type{64, true}
	// Uint64Type is unsigned: its values of 2^63 and more are kept as what they
	// are in two's complement, that is less 2^64, and the operators that begin
	// with U, [Type.Format] and the like read them as what they are.
	Uint64Type = Type{64, false}
)

// Format is a value of the type in decimal.
func (t Type) Format(v int64) string {
	if t == Uint64Type {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// Wrap is v reduced to the type, modulo 2^Bits.
func (t Type) Wrap(v int64) int64 {
	s := 64 - uint(t.Bits)
	if t.Signed {
		return v << s >> s
	}
	return int64(uint64(v) << s >> s)
}

// Min is the smallest value of the type as an int64.
func (t Type) Min() int64 {
	if t.Signed || t.Bits == 64 {
		return -1 << (t.Bits - 1)
	}
	return 0
}

// Max is the largest value of the type as an int64.
func (t Type) Max() int64 {
	if t.Signed || t.Bits == 64 {
		return 1<<(min(t.Bits, 64)-1) - 1
	}
	return 1<<t.Bits - 1
}

// Fits is true where every value of t is one of u.
func (t Type) Fits(u Type) bool {
	switch {
	case t == u:
		return true
	case t.Signed == u.Signed:
		return t.Bits <= u.Bits
	case u.Signed:
		return t.Bits < u.Bits
	}
	return false
}

// A PropertyKind says when a condition counts.
type PropertyKind uint8

const (
	// Forbid: violated by a reachable state in which Cond is not 0.
	Forbid PropertyKind = iota
	// Exists: asks whether a final state in which Cond is not 0 can be
	// reached, as litmus tests do; such a state is what makes the program
	// UNSAFE.
	Exists
	// Forall: violated by a reachable final state in which Cond is 0.
	Forall
	// Deadlock: violated by a reachable state from which no step leads, neither of a
	// thread nor a flush, which is not final, and in which no thread has given up. It
	// has no condition.
	Deadlock
)

func (k PropertyKind) String() string {
	return [...]string{"forbid", "exists", "forall", "forbid deadlock"}[k]
}

// A Property is what must hold beside the assertions in the threads. A state is
// final when every thread has come to its end (see [StateKind]) and every store
// buffer is empty.
type Property struct {
	Kind PropertyKind
	Cond Expr
	Text string // as the source has it
	Pos  Position
}

// String is the property as the source has it, where that is known.
func (p *Property) String() string {
	switch {
	case p.Text != "":
		return p.Text
	case p.Cond == nil:
		return p.Kind.String()
	}
	return p.Kind.String() + " " + p.Cond.String()
}

// Final is true of a property of final states.
func (p *Property) Final() bool { return p.Kind == Exists || p.Kind == Forall }

// Violated turns the value of Cond into whether the property is violated in a
// state of its kind.
func (p *Property) Violated(cond int64) bool { return (cond != 0) != (p.Kind == Forall) }

// CellAt is the index in Memory of the declared cell with address addr, or -1.
func (p *Program) CellAt(addr int64) int {
	i := sort.Search(len(p.Memory), func(i int) bool { return p.Memory[i].Addr >= addr })
	if i < len(p.Memory) && p.Memory[i].Addr == addr {
		return i
	}
	return -1
}

// Diagnose is an error at a place of the program's source.
func (p *Program) Diagnose(pos Position, msg, hint string) *Diagnostic {
	src := p.Source.File(pos)
	if src == nil {
		src = p.Source // it does not have the text
	}
	if src == nil {
		src = &Source{Name: p.Name}
	}
	return &Diagnostic{Source: src, Pos: pos, Msg: msg, Hint: hint}
}

// TooManyOutcomes is an error with the cause [ErrOutcomes].
func (p *Program) TooManyOutcomes(pos Position) *Diagnostic {
	d := p.Diagnose(pos, "the command has "+ErrOutcomes.Error(), "narrow the ranges of its free choices")
	d.Cause = ErrOutcomes
	return d
}

// Forks is whether the edges out of a state lead to several states.
func (t *Thread) Forks(q StateID) bool {
	to := StateID(-1)
	for i := range t.Edges {
		if e := &t.Edges[i]; e.From == q {
			if to >= 0 && e.To != to {
				return true
			}
			to = e.To
		}
	}
	return false
}

// Out is, for every control state, the indices of the edges that leave it, in
// the order of Edges.
func (t *Thread) Out() [][]int {
	out := make([][]int, len(t.States))
	memory := make([]int, len(t.States)+1+len(t.Edges))
	first, all := memory[:len(t.States)+1], memory[len(t.States)+1:] // of each state in one piece
	for i := range t.Edges {
		first[t.Edges[i].From+1]++
	}
	for q := range out {
		first[q+1] += first[q]
	}
	for q := range out {
		out[q] = all[first[q]:first[q]:first[q+1]]
	}
	for i := range t.Edges {
		q := t.Edges[i].From
		out[q] = append(out[q], i)
	}
	return out
}

// At lists the control states that bear the label, in order.
func (t *Thread) At(label string) []StateID {
	var qs []StateID
	for q := range t.States {
		for _, l := range t.States[q].Labels {
			if l == label {
				qs = append(qs, StateID(q))
			}
		}
	}
	return qs
}

// HasAssertions is true where some thread has an Assert of kind Assertion.
func (p *Program) HasAssertions() bool {
	found := false
	p.eachCommand(func(_ *Thread, c *Command) {
		found = found || c.Op == Assert && c.Kind == Assertion
	})
	return found
}

// eachCommand calls f for every command and every command in a body.
func (p *Program) eachCommand(f func(*Thread, *Command)) {
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			f(t, c)
			for j := range c.Body {
				f(t, &c.Body[j])
			}
		}
	}
}
