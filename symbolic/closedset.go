package symbolic

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	fmt.Fprintf(b, "buffer %s\ndiagram %d\n", abstract.Name(c.space.b), len(c.space.places))
	for _, pl := range c.space.places {
		switch pl.kind {
		case lockPlace:
			b.WriteString("lock\n")
		case cellPlace:
			fmt.Fprintf(b, "cell %d", c.space.x.Ranges.Cells[pl.index].Addr)
			for _, v := range c.space.cells[pl.index] {
				fmt.Fprintf(b, " %d", v)
			}
			b.WriteByte('\n')
		default:
			fmt.Fprintf(b, "thread %d %d\n", pl.index, len(c.space.locals[pl.index]))
			for _, l := range c.space.locals[pl.index] {
				fmt.Fprintf(b, "local %d", l.pc)
				for _, v := range l.regs {
					fmt.Fprintf(b, " %d", v)
				}
				b.WriteString(" |")
				for _, p := range l.buf.Pairs {
					fmt.Fprintf(b, " %d %d", p.Cell, p.Value)
				}
				b.WriteByte('\n')
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

// ReadClosedSet reads what [ClosedSet.Write] wrote of a proof for p. It says
// nothing about whether the proof is one; see [ClosedSet.Check].
func ReadClosedSet(ctx context.Context, r io.Reader, p *program.Program) (*ClosedSet, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<26)
	n := 0
	fail := func(format string, args ...any) error {
		return fmt.Errorf("line %d of the diagram: %s", n, fmt.Sprintf(format, args...))
	}
	next := func() (key string, numbers []int64, err error) {
		n++
		if !sc.Scan() {
			if sc.Err() != nil {
				return "", nil, sc.Err()
			}
			return "", nil, fail("the text ends early")
		}
		key, rest, _ := strings.Cut(sc.Text(), " ")
		if key == "buffer" {
			return rest, nil, nil
		}
		for f := range strings.FieldsSeq(rest) {
			v, err := strconv.ParseInt(f, 10, 64)
			if f == "|" {
				v, err = bar, nil
			} else if strconv.FormatInt(v, 10) != f { // a plus sign, or zeros before
				err = strconv.ErrSyntax
			}
			if err != nil {
				return "", nil, fail("%q is no number", f)
			}
			numbers = append(numbers, v)
		}
		return key, numbers, nil
	}
	name, _, err := next()
	if err != nil {
		return nil, err
	}
	b, err := abstract.ParseBuffer(name)
	if err != nil || !Saturates(b) {
		return nil, fail("no buffers %q", name)
	}
	sp, err := newSpace(&meter{ctx: ctx}, p, b)
	if err != nil {
		return nil, err
	}
	must := len(p.Threads) // places that there are in any case
	if sp.locks {
		must++
	}
	key, ns, err := next()
	if err != nil || key != "diagram" || len(ns) != 1 || ns[0] < int64(must) || ns[0] > int64(must+len(sp.cells)) {
		return nil, errors.Join(err, fail("want a diagram with %d levels to %d", must, must+len(sp.cells)))
	}
	var places []place
	there := map[place]bool{}
	for range ns[0] {
		key, ns, err := next()
		if err != nil {
			return nil, err
		}
		var pl place
		switch {
		case key == "lock" && len(ns) == 0 && sp.locks:
			pl = place{lockPlace, 0}
		case key == "cell" && len(ns) > 1:
			c := sp.x.Ranges.CellIndex(ns[0])
			if c < 0 {
				return nil, fail("no cell %d", ns[0])
			}
			pl = place{cellPlace, c}
			if there[pl] {
				return nil, fail("that level is there already")
			}
			for _, v := range ns[1:] {
				if slices.Contains(sp.cells[c], v) {
					return nil, fail("the value %d twice", v)
				}
				sp.cells[c] = append(sp.cells[c], v)
			}
		case key == "thread" && len(ns) == 2 && ns[0] >= 0 && ns[0] < int64(len(p.Threads)):
			pl = place{threadPlace, int(ns[0])}
		default:
			return nil, fail("want a cell, a thread or the lock")
		}
		if there[pl] {
			return nil, fail("that level is there already")
		}
		places = append(places, pl)
		if there[pl] = true; pl.kind == cellPlace {
			must++
		}
		if pl.kind != threadPlace {
			continue
		}
		for range ns[1] {
			key, ns, err := next()
			if err != nil {
				return nil, err
			}
			if key != "local" {
				return nil, fail("want a local state of thread %d", pl.index)
			}
			if err := sp.readLocal(pl.index, ns); err != nil {
				return nil, fail("%v", err)
			}
		}
	}
	if len(places) != must {
		return nil, fail("a thread or the lock has no level")
	}
	// Cells without a level keep their values.
	for c := range sp.cells {
		if !there[place{cellPlace, c}] {
			sp.cells[c] = []int64{sp.init.Mem[c]}
		}
	}
	sp.arrange(places)
	c := &ClosedSet{space: sp, store: diagram.New(sp.sizes, 0)}
	nodes := []diagram.Node{diagram.Empty, diagram.One}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key, ns, err := next()
		if err != nil {
			return nil, err
		}
		if key == "end" && len(ns) == 1 && ns[0] == int64(len(nodes)-1) {
			break
		}
		if key != "node" || len(ns) < 3 || len(ns)%2 == 0 || ns[0] < 1 || ns[0] > int64(len(sp.places)) {
			return nil, fail("want a node, or the end after %d", len(nodes)-1)
		}
		level := int(ns[0])
		var arcs []diagram.Arc
		for i := 1; i < len(ns); i += 2 {
			v, to := ns[i], ns[i+1]
			if v < 0 || v >= int64(sp.sizes[level-1]) || i > 1 && v <= ns[i-2] {
				return nil, fail("no value %d at level %d, or not in order", v, level)
			}
			if to < 1 || to >= int64(len(nodes)) || c.store.Level(nodes[to]) != level-1 {
				return nil, fail("no node %d at level %d", to, level-1)
			}
			arcs = append(arcs, diagram.Arc{Value: int32(v), To: nodes[to]})
		}
		nodes = append(nodes, c.store.Make(level, arcs))
	}
	if sc.Scan() {
		return nil, fail("something comes after the end")
	}
	c.set = nodes[len(nodes)-1]
	if c.store.Level(c.set) != len(sp.places) {
		return nil, fail("the last node is not at the highest level")
	}
	return c, nil
}

// bar stands for the | in a line of numbers.
const bar = -1 << 63

// readLocal takes in a local state of thread ti. What it accepts, the rules can
// work with; the thread need not be able to get there.
func (sp *space) readLocal(ti int, ns []int64) error {
	t := sp.p.Threads[ti]
	k := slices.Index(ns, bar)
	if k != 1+len(t.Regs) || ns[0] < 0 || ns[0] >= int64(len(t.States)) {
		return errors.New("want a control state and the registers")
	}
	s := sp.x.NewState()
	s.PC[ti] = program.StateID(ns[0])
	copy(s.Regs[ti], ns[1:k])
	pairs := ns[k+1:]
	co, mixed := sp.b.(abstract.Coherence)
	if len(pairs)%2 != 0 || len(pairs) > 0 && sp.b.Immediate() {
		return errors.New("want pairs of a cell and a value")
	}
	barrier := -1
	for i := 0; i < len(pairs); i += 2 {
		switch c := pairs[i]; {
		case c == abstract.Barrier && mixed && barrier < 0 && i+2 < len(pairs) && pairs[i+1] == 0:
			barrier = i / 2
		case c < 0 || c >= int64(len(sp.cells)):
			return errors.New("a buffer has a store to a cell that there is not")
		}
		s.Buf[ti].Pairs = append(s.Buf[ti].Pairs, abstract.Pair{Cell: int(pairs[i]), Value: pairs[i+1]})
	}
	if mixed && (barrier < 0 && len(pairs)/2 > co.K || barrier > co.K) {
		return errors.New("a queue is longer than it may be")
	}
	n := len(sp.locals[ti])
	if _, err := sp.localOf(ti, s, true); err != nil {
		return err
	}
	if len(sp.locals[ti]) == n {
		return errors.New("the local state is there already")
	}
	return nil
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
