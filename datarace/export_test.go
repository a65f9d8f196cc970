package datarace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// key is the prefix with what matters of the clocks: which of the accesses that there may be a race
// with each of them has.
func (c *clocks) key(prefix string) string {
	b := []byte(prefix)
	for _, a := range slices.Sorted(maps.Keys(c.accesses)) {
		as := slices.Clone(c.accesses[a])
		slices.SortFunc(as, func(x, y access) int { return cmp.Or(x.thread-y.thread, int(x.kind)-int(y.kind)) })
		for _, x := range as {
			b = append(b, byte(a), byte(x.thread), byte(x.kind))
			for _, cs := range [][]clock{c.now, c.pending, c.offered, {c.lock}} {
				for _, k := range cs {
					b = append(b, byte(program.Bool(k[x.thread] >= x.time)))
				}
			}
			for _, m := range slices.Sorted(maps.Keys(c.message)) {
				if c.message[m][x.thread] >= x.time {
					b = append(b, 2, byte(m))
				}
			}
		}
	}
	return string(b)
}

// AllRuns follows all runs of a program with vector clocks, without any reduction but
// that equal states with equal clocks are one. It gives up after so many states.
func AllRuns(p *program.Program, x *abstract.System, limit int) (race, complete bool) {
	complete = true
	s := x.NewState()
	x.Initial(s)
	seen := map[string]bool{}
	var visit func(s *abstract.State, c *clocks) bool
	visit = func(s *abstract.State, c *clocks) bool {
		key := c.key(fmt.Sprint(s.PC, s.Vals, s.Lock))
		if seen[key] {
			return false
		}
		if len(seen) >= limit {
			complete = false
			return false
		}
		seen[key] = true
		for t := range x.Threads() {
			for _, e := range x.Out(t, s.PC[t]) {
				for choice := range x.Choices(t, e) {
					next := x.NewState()
					next.Copy(s)
					out := x.Step(next, abstract.Event{Thread: t, Edge: e, Choice: choice})
					if out != abstract.Done {
						continue // where an assertion fails the run ends
					}
					d := c.clone()
					cmd := &p.Threads[t].Edges[e].Cmd
					run := &verdict.Run{Program: p, Cells: x.Ranges.Cells}
					as := accessesOf(run, &verdict.Step{Thread: t, Edge: e, Choice: choice}, cmd, s.Regs[t], s.Mem)
					if first, _ := d.take(t, 0, cmd, as); first != nil {
						return true
					}
					if visit(next, d) {
						return true
					}
				}
			}
		}
		return false
	}
	race = visit(s, newClocks(p))
	return race, complete
}

func (c *clocks) clone() *clocks {
	d := &clocks{p: c.p, message: map[int64]clock{}, accesses: map[int64][]access{}, lock: slices.Clone(c.lock)}
	for t := range c.now {
		d.now = append(d.now, slices.Clone(c.now[t]))
		d.pending = append(d.pending, slices.Clone(c.pending[t]))
		d.offered = append(d.offered, slices.Clone(c.offered[t]))
	}
	for a, m := range c.message {
		d.message[a] = slices.Clone(m)
	}
	for a, as := range c.accesses {
		d.accesses[a] = as[:len(as):len(as)]
	}
	return d
}
