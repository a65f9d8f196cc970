package program

import (
	"fmt"
	"slices"
	"strings"
)

// Op is what a [Command] does.
type Op uint8

// The commands (thesis 2.3 and appendix C). What each means for the store
// buffers is said in package abstract.
const (
	Check  Op = iota // enabled where Value is not 0
	Assign           // Reg <- Value
	Havoc            // Reg <- any value in Lo..Hi
	Load             // Reg <- [Addr]
	Store            // [Addr] <- Value
	Fence            // of the kind that Tags say; a full one is enabled where the thread's buffer is empty
	Assert           // a violation where Value is 0
	Lock             // take the one global lock; acts as a fence
	Unlock           // give it back; acts as a fence
	Atomic           // Body in one step, all of it or nothing; acts as a fence where the Arch is X86
)

var opText = [...]string{
	Check: "check", Assign: "assign", Havoc: "havoc", Load: "load", Store: "store",
	Fence: "fence", Assert: "assert", Lock: "lock", Unlock: "unlock", Atomic: "atomic",
}

func (op Op) String() string { return opText[op] }

// AssertKind tells a property of the user's from a mistake in the program.
type AssertKind uint8

const (
	// Assertion is a property: where it fails, the program is unsafe.
	Assertion AssertKind = iota
	// Fault is a precondition of the language, such as an index within its
	// array: where it fails the program has no meaning, which is an error in
	// the input and not a verdict.
	Fault
	// Bound is where what is modelled of the program ends: where it fails nothing
	// is known of what comes next, which is neither an error nor a verdict.
	Bound
)

// A Command labels an [Edge]. Which fields count depends on Op.
type Command struct {
	Op    Op
	Reg   int       // Assign, Havoc, Load: the register written
	Addr  Expr      // Load, Store
	Value Expr      // Check, Assert: the condition; Assign, Store: the value
	Lo    int64     // Havoc: the smallest value
	Hi    int64     // Havoc: the largest value
	Body  []Command // Atomic: straight-line Check, Assign, Havoc, Load, Store and Assert commands
	Kind  AssertKind
	Tags  Tags // Load, Store, Fence: of the vocabulary of the program's Arch; Assert: of front ends (see [Ranges.At])
	// Part is true of a Load or Store of the same instruction as the access before it in
	// the thread: of another cell that a wide access reaches, or of the other register
	// of a pair. Execution graphs have no program order between the two. An Assign with
	// it notes how that access went, and so depends on it.
	Part bool
	// Wide is true of an Atomic that is a load, or a store, of several cells: one step, and no
	// fence. See [Program.Joined].
	Wide bool
	// Pick is true of an Assign whose value is a choice that what it is computed from makes
	// (a pick dependency of the Arm manual) rather than computed from it; and of a Check that the program does
	// not have, on which nothing depends: whether a value is a mark ([Cell.Mark]).
	Pick bool
	// Text is what a failed Assert says, and for an Atomic what the source
	// calls it ("cas", "xchg"); empty where nothing is known.
	Text string
	// Says is what an Assert or a Check makes sure of, in words ("check that a[i] is inside a"), where its
	// condition is none that the source has; and of a Store what it stores, where Value is not as the source has it. May be empty.
	Says string
	Pos  Position // of the construct in the source, for reports; may be zero
}

// Skip is the command that does nothing.
func Skip() Command { return Command{Op: Check, Value: Const(1)} }

// IsSkip is true of a command that does nothing and is always enabled.
func (c *Command) IsSkip() bool {
	k, ok := c.Value.(Const)
	return c.Op == Check && ok && k != 0
}

// CompareAndSwap returns the two ways in which "ok <- cas [addr] expect value"
// can go, as two commands on parallel edges: the one stores and sets ok to 1,
// the other only loads and sets ok to 0. old receives what was loaded. addr,
// expect and value must not read ok or old.
func CompareAndSwap(ok, old int, addr, expect, value Expr, pos Position) (success, failure Command) {
	load := Command{Op: Load, Reg: old, Addr: addr}
	success = Command{Op: Atomic, Text: "cas", Pos: pos, Body: []Command{
		load,
		{Op: Check, Value: Binary{Eq, Reg(old), expect}},
		{Op: Store, Addr: addr, Value: value},
		{Op: Assign, Reg: ok, Value: Const(1)},
	}}
	failure = Command{Op: Atomic, Text: "cas", Pos: pos, Body: []Command{
		load,
		{Op: Check, Value: Binary{Ne, Reg(old), expect}},
		{Op: Assign, Reg: ok, Value: Const(0)},
	}}
	return success, failure
}

// Exchange is "old <- xchg [addr] value". addr and value must not read old.
func Exchange(old int, addr, value Expr, pos Position) Command {
	return Command{Op: Atomic, Text: "xchg", Pos: pos, Body: []Command{
		{Op: Load, Reg: old, Addr: addr},
		{Op: Store, Addr: addr, Value: value},
	}}
}

// FetchAdd is "old <- fetch_add [addr] delta". addr and delta must not read old.
func FetchAdd(old int, addr, delta Expr, pos Position) Command {
	return FetchOp("fetch_add", Add, old, addr, delta, pos)
}

// FetchOp is "old <- name [addr] y", which stores old op y. addr and y must not read old.
func FetchOp(name string, op BinaryOp, old int, addr, y Expr, pos Position) Command {
	return Command{Op: Atomic, Text: name, Pos: pos, Body: []Command{
		{Op: Load, Reg: old, Addr: addr},
		{Op: Store, Addr: addr, Value: Binary{op, Reg(old), y}},
	}}
}

// Format prints the command with the names of thread t's registers and, where
// an address is constant and named, of p's cells; either may be nil. Whether it is a
// [Command.Part] is printed, too: the same accesses one after the other are another program.
func (c *Command) Format(p *Program, t *Thread) string {
	ex := func(e Expr) string { return FormatExpr(e, t) }
	reg := func(r int) string { return FormatExpr(Reg(r), t) }
	addr := func(e Expr) string {
		if k, ok := e.(Const); ok && p != nil {
			if i := p.CellAt(int64(k)); i >= 0 && p.Memory[i].Name != "" {
				return p.Memory[i].Name
			}
		}
		return "[" + ex(e) + "]"
	}
	if c.Part {
		whole := *c
		whole.Part = false
		return "part " + whole.Format(p, t)
	}
	switch c.Op {
	case Check:
		if c.IsSkip() {
			return "skip"
		}
		return "check " + ex(c.Value)
	case Assign:
		if c.Pick {
			return reg(c.Reg) + " <- picked " + ex(c.Value)
		}
		return reg(c.Reg) + " <- " + ex(c.Value)
	case Havoc:
		return fmt.Sprintf("%s <- any %d..%d", reg(c.Reg), c.Lo, c.Hi)
	case Load:
		return "load" + c.tags() + " " + reg(c.Reg) + " <- " + addr(c.Addr)
	case Store:
		if c.Says != "" {
			return "store" + c.tags() + " " + addr(c.Addr) + " <- " + c.Says
		}
		return "store" + c.tags() + " " + addr(c.Addr) + " <- " + ex(c.Value)
	case Assert:
		return "assert " + ex(c.Value)
	case Fence:
		return fenceName(c.Tags)
	case Atomic:
		parts := make([]string, len(c.Body))
		for i := range c.Body {
			parts[i] = c.Body[i].Format(p, t)
		}
		name := "atomic"
		if c.Wide {
			name = "wide"
		}
		if c.Text != "" {
			name = c.Text
		}
		return name + " { " + strings.Join(parts, "; ") + " }"
	}
	return c.Op.String()
}

// tags is what stands behind the name of an access that has tags.
func (c *Command) tags() string {
	if (c.Tags == Tags{}) {
		return ""
	}
	return "[" + c.Tags.String() + "]"
}

// FullFence is true of a Fence that is enabled where the thread's buffer is empty.
// Other fences wait for nothing.
func (c *Command) FullFence() bool {
	return c.Op == Fence && (c.Tags == Tags{} || c.Tags.Has(TagMFence))
}

// Drains is true of a command that waits until the thread's buffer is empty
// (thesis, appendix C).
func (c *Command) Drains() bool {
	return c.Op == Lock || c.Op == Unlock || c.Op == Atomic || c.FullFence()
}

// StoreFence is true of a Fence that keeps the order of stores and does no more.
func (c *Command) StoreFence() bool { return c.Op == Fence && c.Tags.Has(TagSFence) }

// EventTags is what the event of the command bears in execution graphs: its tags, or
// those of a full fence; atomic says whether it is in the body of an Atomic.
func (c *Command) EventTags(a Arch, atomic bool) Tags {
	switch {
	case c.Op != Load && c.Op != Store && c.Tags == Tags{}:
		return mfence
	case atomic:
		return c.Tags.With(a.AtomicTag())
	}
	return c.Tags
}

var mfence = NewTags(TagMFence)

func fenceName(t Tags) string {
	switch t.String() {
	case "", TagMFence:
		return "fence"
	case TagSFence, TagLFence:
		return strings.ToLower(t.String())
	}
	return "fence[" + t.String() + "]"
}

// Reads calls f for every register that the command reads before it writes it.
func (c *Command) Reads(f func(reg int)) {
	c.reads(func(int) bool { return false }, f)
}

func (c *Command) reads(written func(int) bool, f func(int)) {
	each := func(e Expr) {
		Walk(e, func(x Expr) {
			if r, ok := x.(Reg); ok && !written(int(r)) {
				f(int(r))
			}
		})
	}
	each(c.Addr)
	each(c.Value)
	if c.Op == Atomic {
		done := map[int]bool{}
		for i := range c.Body {
			b := &c.Body[i]
			b.reads(func(r int) bool { return done[r] || written(r) }, f)
			b.Writes(func(r int) { done[r] = true })
		}
	}
}

// Writes calls f for every register that the command writes.
func (c *Command) Writes(f func(reg int)) {
	switch c.Op {
	case Assign, Havoc, Load:
		f(c.Reg)
	case Atomic:
		for i := range c.Body {
			c.Body[i].Writes(f)
		}
	}
}

// Accesses calls f for every memory access of the command, in program order:
// the Load and Store commands among the command itself and its body.
func (c *Command) Accesses(f func(*Command)) {
	switch c.Op {
	case Load, Store:
		f(c)
	case Atomic:
		for i := range c.Body {
			c.Body[i].Accesses(f)
		}
	}
}

// Asserts is true of an Assert, and of an Atomic with one in it.
func (c *Command) Asserts() bool {
	return c.Op == Assert || slices.ContainsFunc(c.Body, func(c Command) bool { return c.Op == Assert })
}

// Enters is true of what goes to a store buffer where there is one: a Store, and a Wide Atomic of stores.
func (c *Command) Enters() bool { return c.Op == Store || c.Wide && c.Stores() }

// Stores is true where the command may store.
func (c *Command) Stores() bool {
	found := false
	c.Accesses(func(a *Command) { found = found || a.Op == Store })
	return found
}
