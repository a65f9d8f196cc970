package symbolic

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
)

// Write writes a certificate of the proof; see writeReached.
func (c *ClosedSet) Write(ctx context.Context, w io.Writer, bytes int64) error {
	return writeReached(ctx, w, c.space.p, c.space.b, bytes)
}

// Write writes a certificate of the proof; see writeReached.
func (inv *Invariant) Write(ctx context.Context, w io.Writer, bytes int64) error {
	return writeReached(ctx, w, inv.System.Program, inv.System.Buffer, bytes)
}

// writeReached writes the states that a program reaches under a buffer as a decision diagram; docs/certificates.md has
// the format. Proofs are about the states between large steps, or about more states than are reached; what is written has
// those between single steps, so that whoever checks it need not know what large steps are. bytes bounds the memory that
// this takes; 0: no bound.
func writeReached(ctx context.Context, w io.Writer, p *program.Program, b abstract.Buffer, bytes int64) error {
	sp, err := newSpace(&meter{ctx: ctx, limit: bytes}, p, b)
	if err != nil {
		return err
	}
	if err := sp.close(); err != nil {
		return err
	}
	// Large steps have one access each, and so the values of the cells are listed.
	sp.fixed = true
	for ti := range sp.passed {
		clear(sp.passed[ti])
	}
	if err := sp.grow(); err != nil {
		return err
	}
	s, n, _, stage, err := sp.saturate(nil)
	if err != nil {
		return fmt.Errorf("%s: %w", stage, err)
	}
	return (&ClosedSet{sp, s, n}).write(w)
}

// write writes the set. Local states that no vector has are left out, and so are not numbered.
func (c *ClosedSet) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	sp := c.space
	order, used := c.nodes()
	fmt.Fprintf(b, "buffer %s\ndiagram\n", abstract.Name(sp.b))
	for i, pl := range sp.places {
		switch pl.kind {
		case lockPlace:
			fmt.Fprintf(b, "lock")
		case cellPlace:
			fmt.Fprintf(b, "cell %d", sp.x.Ranges.Cells[pl.index].Addr)
		default:
			fmt.Fprintf(b, "thread %d\n", pl.index)
		}
		next := int32(0)
		for v := range used[i+1] {
			if used[i+1][v] < 0 {
				continue
			}
			switch used[i+1][v] = next; pl.kind {
			case lockPlace:
				fmt.Fprintf(b, " %d", v)
			case cellPlace:
				fmt.Fprintf(b, " %d", sp.cells[pl.index][v])
			default:
				l := &sp.locals[pl.index][v]
				fmt.Fprintf(b, "local %d%s%s\n", l.pc, list(l.regs), list(sp.buffered(l.buf.Pairs)))
			}
			next++
		}
		if pl.kind != threadPlace {
			b.WriteByte('\n')
		}
	}
	number := map[diagram.Node]int{diagram.One: 1}
	for i, n := range order {
		fmt.Fprintf(b, "node %d", c.store.Level(n))
		for _, a := range c.store.Arcs(n) {
			fmt.Fprintf(b, " %d %d", used[c.store.Level(n)][a.Value], number[a.To])
		}
		number[n] = i + 2
		if err := b.WriteByte('\n'); err != nil {
			return err
		}
	}
	fmt.Fprintf(b, "end %d\n", len(number))
	return b.Flush()
}

// nodes is those of the set, each behind those that it leads to; and by level and value -1 where no vector has it.
func (c *ClosedSet) nodes() (order []diagram.Node, used [][]int32) {
	used = append(used, nil)
	for _, size := range c.space.sizes {
		used = append(used, slices.Repeat([]int32{-1}, size))
	}
	seen := map[diagram.Node]bool{diagram.One: true}
	var walk func(n diagram.Node)
	walk = func(n diagram.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range c.store.Arcs(n) {
			used[c.store.Level(n)][a.Value] = 0
			walk(a.To)
		}
		order = append(order, n)
	}
	walk(c.set)
	return order, used
}

// buffered is the contents of a buffer as certificates have them: of each store the address, the value, how often
// it is in the set, 0 for one in the queue, and whether it is the one that came last of its address there.
func (sp *space) buffered(contents []abstract.Pair) (ns []int64) {
	_, mixed := sp.b.(abstract.Coherence)
	_, fifo := sp.b.(abstract.FIFO)
	queue := fifo || mixed && (len(contents) == 0 || contents[0].Cell != abstract.Barrier)
	var set [][]int64
	for _, p := range contents {
		if p.Cell == abstract.Barrier {
			queue = false
			continue
		}
		addr := sp.x.Ranges.Cells[p.Cell].Addr
		if queue {
			ns = append(ns, addr, p.Value, 0, 0)
			continue
		}
		count := int64(1)
		set = slices.DeleteFunc(set, func(old []int64) bool {
			same := old[0] == addr && old[1] == p.Value
			if same {
				count += old[2]
			} else if old[0] == addr {
				old[3] = 0
			}
			return same
		})
		set = append(set, []int64{addr, p.Value, count, 1})
	}
	slices.SortFunc(set, func(a, b []int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return append(ns, slices.Concat(set...)...)
}

// list is numbers with a blank before each.
func list(ns []int64) string {
	var b []byte
	for _, n := range ns {
		b = strconv.AppendInt(append(b, ' '), n, 10)
	}
	return string(b)
}
