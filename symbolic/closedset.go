package symbolic

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
)

// A ClosedSet is a proof that a program is safe: a set of states, as a decision
// diagram, that has the initial one, is closed under every step, and has no
// violation.
type ClosedSet struct {
	space *space
	store *diagram.Store
	set   diagram.Node
}

// States is how many states the set has, about.
func (c *ClosedSet) States() float64 { return c.store.Count(c.set) }

func (c *ClosedSet) String() string {
	what := fmt.Sprintf("%.4g states", c.States())
	switch c.space.b.(type) {
	case abstract.None, abstract.FIFO:
	default:
		what += " of the abstraction " + abstract.Name(c.space.b)
	}
	return what + " are closed under all steps, and violate nothing"
}

// Write writes the set as a text; docs/certificates.md has the format.
func (c *ClosedSet) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	sp := c.space
	fmt.Fprintf(b, "buffer %s\ndiagram late\n", abstract.Name(sp.b))
	for _, cell := range sp.x.Ranges.Cells {
		fmt.Fprintf(b, "address %d\n", cell.Addr)
	}
	place := cellNumbers(sp.p, sp.x.Ranges.Cells)
	pairs := make([][]abstract.Pair, len(sp.p.Threads))
	for ti, t := range sp.p.Threads {
		longest := 0
		for _, l := range sp.locals[ti] {
			for _, p := range l.buf.Pairs {
				if p.Cell != abstract.Barrier && !slices.Contains(pairs[ti], p) {
					pairs[ti] = append(pairs[ti], p)
					fmt.Fprintf(b, "pair %d %d %d\n", ti, sp.x.Ranges.Cells[p.Cell].Addr, p.Value)
				}
			}
			longest = max(longest, len(l.buf.Pairs))
		}
		if _, fifo := sp.b.(abstract.FIFO); fifo {
			fmt.Fprintf(b, "queue %d %d\n", ti, longest)
		}
		for _, cut := range []bool{true, false} {
			b.WriteString(map[bool]string{true: "cut", false: "middle"}[cut])
			fmt.Fprintf(b, " %d", ti)
			for q := range t.States {
				if sp.passed[ti][q] != cut || cut && program.StateID(q) == t.Initial {
					fmt.Fprintf(b, " %d", q)
				}
			}
			b.WriteByte('\n')
		}
	}
	for _, pl := range sp.places {
		switch pl.kind {
		case lockPlace:
			b.WriteString("lock\n")
		case cellPlace:
			fmt.Fprintf(b, "cell %d%s\n", sp.x.Ranges.Cells[pl.index].Addr, list(sp.cells[pl.index]))
		default:
			fmt.Fprintf(b, "thread %d %d\n", pl.index, len(sp.locals[pl.index]))
			for _, l := range sp.locals[pl.index] {
				fmt.Fprintf(b, "local %d%s%s\n", l.pc, list(l.regs), list(buffered(sp.b, l.buf.Pairs, pairs[pl.index], place)))
			}
		}
	}
	number := map[diagram.Node]int{diagram.One: 1}
	var err error
	var walk func(n diagram.Node)
	walk = func(n diagram.Node) {
		if number[n] != 0 || err != nil {
			return
		}
		for _, a := range c.store.Arcs(n) {
			walk(a.To)
		}
		fmt.Fprintf(b, "node %d", c.store.Level(n))
		for _, a := range c.store.Arcs(n) {
			fmt.Fprintf(b, " %d %d", a.Value, number[a.To])
		}
		err = b.WriteByte('\n')
		number[n] = len(number) + 1
	}
	walk(c.set)
	fmt.Fprintf(b, "end %d\n", len(number))
	return b.Flush()
}

// cellNumbers is what certificates number cells by: those that are declared, then others.
func cellNumbers(p *program.Program, cells []program.Cell) []int {
	numbers, next := make([]int, len(cells)), len(p.Memory)
	for i := range cells {
		if numbers[i] = p.CellAt(cells[i].Addr); numbers[i] < 0 {
			numbers[i] = next
			next++
		}
	}
	return numbers
}

// buffered is the contents of a buffer as certificates have them: the places of the queue, oldest
// first, which hold 0 or the number of a pair; how often each pair is in the set; and by cell the
// one that came last there. Zeros at the end are left out.
func buffered(b abstract.Buffer, contents, pairs []abstract.Pair, cell []int) []int64 {
	co, mixed := b.(abstract.Coherence)
	_, fifo := b.(abstract.FIFO)
	queue, set := contents, []abstract.Pair(nil)
	if i := slices.IndexFunc(contents, func(p abstract.Pair) bool { return p.Cell == abstract.Barrier }); i >= 0 {
		queue, set = contents[:i], contents[i+1:]
	} else if !mixed && !fifo {
		queue, set = nil, contents
	}
	var ns []int64
	for _, p := range queue {
		ns = append(ns, int64(slices.Index(pairs, p))+1)
	}
	if len(set) == 0 {
		return ns
	}
	ns = append(ns, make([]int64, co.K-len(ns)+len(pairs)+slices.Max(cell)+1)...)
	for _, p := range set {
		i := slices.Index(pairs, p)
		ns[co.K+i]++
		ns[co.K+len(pairs)+cell[p.Cell]] = int64(i) + 1
	}
	return ns
}

// Check verifies the set, from nothing but its local states, values and nodes and
// the rules of package abstract. The error is a [RefutedError] where it is no
// proof.
func (c *ClosedSet) Check(ctx context.Context) error {
	c.space.meter = &meter{ctx: ctx}
	init, ok := c.space.initial()
	if !ok || !c.store.Has(c.set, init) {
		return &RefutedError{"the initial state is not in the set", -1}
	}
	good, wrong, err := c.space.steps()
	if err != nil {
		return err
	}
	for _, r := range relate(c.store, good) {
		closed, err := c.store.Closed(ctx, c.set, r)
		if err != nil {
			return err
		}
		if !closed {
			return &RefutedError{"a step leads out of the set", -1}
		}
	}
	for _, r := range relate(c.store, wrong) {
		met, err := c.store.Meets(ctx, c.set, r)
		if err != nil {
			return err
		}
		if met {
			return &RefutedError{"an assertion fails, or a step leads to a local state or a value that is not listed", -1}
		}
	}
	violated, err := c.space.violated(c.store, c.set)
	if err != nil {
		return err
	}
	if violated {
		return &RefutedError{"a state in the set violates a property", -1}
	}
	return nil
}
