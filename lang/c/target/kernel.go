package target

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// The operations of the Linux kernel bear a memory order and, beside it, the name that the kernel's own model has for them.

// kernelTag begins the names of the kernel's model.
const kernelTag = "kernel:"

// InKernel adds the name of an access or a fence to its tags.
func InKernel(t program.Tags, name string) program.Tags { return t.With(kernelTag + name) }

// kernelName is the name that the kernel's model has for an access or a fence, or "".
func kernelName(t program.Tags) string {
	for _, n := range t.Names() {
		if name, ok := strings.CutPrefix(n, kernelTag); ok {
			return name
		}
	}
	return ""
}

// withoutKernel are the tags for the other models.
func withoutKernel(names []string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, kernelTag) })
}

// besideAtomics are the fences that are there because an atomic operation, or a lock, may be no fence. On x86 each is one, and
// they are nothing.
var besideAtomics = []string{"Before-atomic", "After-atomic", "After-spinlock", "After-unlock-lock"}

// lockAccess is what the accesses to locks are beside their names, and atomic operations whose value nobody gets.
var lockAccess = map[string]string{"LKR": "Acquire", "LKW": "Once", "UL": "Release", "LF": "Once", "RL": "Once", "Noreturn": "Once"}

// kernelAccess are the tags of an access: of a load, what it acquires counts, of a store, what it releases. Operations of C11
// that are sequentially consistent have full fences as well.
func kernelAccess(c *program.Command) program.Tags {
	if name := kernelName(c.Tags); name != "" {
		return program.NewTags(name, lockAccess[name])
	}
	if c.Tags.Has(OrderTag[Plain]) {
		return program.Tags{}
	}
	switch order := OrderOf(c.Tags); {
	case c.Op == program.Load && (order == Acquire || order == AcqRel):
		return program.NewTags("Acquire")
	case c.Op == program.Store && (order == Release || order == AcqRel):
		return program.NewTags("Release")
	}
	return program.NewTags("Once")
}

// MapToKernel chooses what the model of the Linux kernel knows for the operations of p. A read-modify-write that is
// sequentially consistent is one between full fences, which are there only where it stores; so is a load or a store. Fences of
// C11 that are no full ones have none that orders as little, and become full ones.
func MapToKernel(p *program.Program) {
	for _, t := range p.Threads {
		w := &writer{t: t}
		open := openSections(t)
		for _, e := range t.Edges[:len(t.Edges):len(t.Edges)] {
			w.kernelEdge(e, open[e.From])
		}
		t.Edges = w.edges
	}
	p.Arch = program.LKMM
}

// openSections is how many sections of RCU a thread is in, by control state.
func openSections(t *program.Thread) []int {
	open := make([]int, len(t.States))
	seen := make([]bool, len(t.States))
	out := t.Out()
	seen[t.Initial] = true
	for work := []program.StateID{t.Initial}; len(work) > 0; {
		q := work[0]
		work = work[1:]
		for _, i := range out[q] {
			e := &t.Edges[i]
			if seen[e.To] {
				continue
			}
			seen[e.To], open[e.To] = true, open[q]
			switch kernelName(e.Cmd.Tags) {
			case "Rcu-lock":
				open[e.To]++
			case "Rcu-unlock":
				open[e.To] = max(0, open[q]-1)
			}
			work = append(work, e.To)
		}
	}
	return open
}

// failing is an assertion in open sections. A run ends where it fails, and to the model a section that has no end is
// none, for which nobody waits: there the sections end first.
func (w *writer) failing(e program.Edge, open int) {
	holds := e
	holds.Cmd = checkOp(e.Cmd.Value)
	holds.Cmd.Pos = e.Pos
	w.edges = append(w.edges, holds)
	at := w.step(e.From, checkOp(program.NotExpr(e.Cmd.Value)), e.Pos)
	for range open {
		at = w.step(at, fenceOfKind("Rcu-unlock"), e.Pos)
	}
	e.From = at
	w.edges = append(w.edges, e)
}

func (w *writer) kernelEdge(e program.Edge, open int) {
	c, full := e.Cmd, false
	switch c.Op {
	case program.Assert:
		if open > 0 {
			w.failing(e, open)
			return
		}
	case program.Load, program.Store:
		full = c.Tags.Has(OrderTag[SeqCst])
		c.Tags = kernelAccess(&c)
	case program.Fence:
		switch name := kernelName(c.Tags); {
		case name != "":
			c.Tags = program.NewTags(name)
		case c.Tags.Has(OrderTag[Relaxed]):
			c = program.Skip()
			c.Pos = e.Cmd.Pos
		default:
			c.Tags = program.NewTags("Mb")
		}
	case program.Atomic:
		c.Body = slices.Clone(c.Body)
		for i := range c.Body {
			if b := &c.Body[i]; b.Op == program.Load || b.Op == program.Store {
				full = full || b.Tags.Has(OrderTag[SeqCst])
				b.Tags = kernelAccess(b)
			}
		}
	}
	e.Cmd = c
	if !full {
		w.edges = append(w.edges, e)
		return
	}
	at := w.step(w.step(e.From, fenceOfKind("Mb"), e.Pos), c, e.Pos)
	w.edges = append(w.edges, program.Edge{From: at, To: e.To, Cmd: fenceOfKind("Mb"), Pos: e.Pos})
}
