package symbolic

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
)

// A quotient takes values of a level for one where nothing tells them apart: what
// properties see of them is the same, and so are the steps that they allow, but
// for values that are taken for one themselves. (It is a bisimulation, of each
// level by itself; a step that does not leave its classes counts for none.)
// Diagrams of classes are much smaller: they need not remember what a thread has
// read where only a comparison of it matters.
type quotient struct {
	class [][]int32 // by level, from 1, and value
	size  []int     // by level, from 1: how many classes
}

// newQuotient refines the partition by what properties see until it is stable
// under the steps: the good, and the wrong ones, which must never be possible.
func newQuotient(sp *space, good, wrong [][]change) (*quotient, error) {
	q := &quotient{class: make([][]int32, len(sp.places)+1), size: make([]int, len(sp.places)+1)}
	eyes, deadlocks := sp.eyes(), slices.ContainsFunc(sp.p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock })
	for level := 1; level <= len(sp.places); level++ {
		q.class[level], q.size[level] = make([]int32, sp.sizes[level-1]), 1
		if deadlocks { // whether there is a step is seen, and whether it changes anything
			q.size[level] = len(q.class[level])
			for v := range q.class[level] {
				q.class[level][v] = int32(v)
			}
		}
		if deadlocks || eyes.blind(level) {
			continue
		}
		numbers := map[string]int32{}
		for v := range q.class[level] {
			if err := sp.tick(); err != nil {
				return nil, err
			}
			q.class[level][v] = number(numbers, eyes.see(level, int32(v)))
		}
		q.size[level] = len(numbers)
	}
	// uses has, by level and value, the steps that begin there; key is what the
	// step asks of the other levels, which stays the same in all rounds.
	type use struct {
		key   int32
		wrong bool
		to    []change
	}
	uses := make([][][]use, len(q.class))
	for level := range uses {
		uses[level] = make([][]use, len(q.class[level]))
	}
	keys := map[string]int32{}
	var key []byte
	before := sp.held
	defer func() { sp.held = before }()
	for i, lists := range [][][]change{good, wrong} {
		for _, changes := range lists {
			if err := sp.hold(int64(len(changes)) * (48 + 64 + 6*int64(len(changes)))); err != nil {
				return nil, err
			}
			for _, c := range changes {
				if err := sp.tick(); err != nil {
					return nil, err
				}
				key = append(key[:0], byte(i))
				for _, d := range changes {
					key = binary.AppendVarint(key, int64(d.level))
					if d.level != c.level {
						key = binary.AppendVarint(key, int64(d.from))
					}
				}
				uses[c.level][c.from] = append(uses[c.level][c.from], use{number(keys, string(key)), i == 1, changes})
			}
		}
	}
	for again := true; again; {
		again = false
		next := make([][]int32, len(q.class))
		for level := 1; level < len(q.class); level++ {
			numbers := map[string]int32{}
			var parts []string
			for v, old := range q.class[level] {
				parts = parts[:0]
				for _, u := range uses[level][v] {
					if err := sp.tick(); err != nil {
						return nil, err
					}
					if !u.wrong && q.stays(u.to) {
						continue
					}
					key = binary.AppendVarint(key[:0], int64(u.key))
					if !u.wrong {
						for _, d := range u.to {
							key = binary.AppendVarint(key, int64(q.class[d.level][d.to]))
						}
					}
					parts = append(parts, string(key))
				}
				slices.Sort(parts)
				parts = slices.Compact(parts)
				key = binary.AppendVarint(key[:0], int64(old))
				for _, p := range parts {
					key = append(key, p...)
				}
				next[level] = append(next[level], number(numbers, string(key)))
			}
			again = again || len(numbers) > q.size[level]
			q.size[level] = len(numbers)
		}
		q.class = next
	}
	return q, nil
}

// number is the number of key among those so far.
func number(numbers map[string]int32, key string) int32 {
	n, ok := numbers[key]
	if !ok {
		n = int32(len(numbers))
		numbers[key] = n
	}
	return n
}

// stays is whether a step leads from its classes to the same.
func (q *quotient) stays(changes []change) bool {
	for _, c := range changes {
		if q.class[c.level][c.from] != q.class[c.level][c.to] {
			return false
		}
	}
	return true
}

// steps is the steps from classes to classes, without those that stay.
func (q *quotient) steps(lists [][]change) [][]change {
	var mapped [][]change
	for _, changes := range lists {
		if q.stays(changes) {
			continue
		}
		m := slices.Clone(changes)
		for i, c := range m {
			m[i].from, m[i].to = q.class[c.level][c.from], q.class[c.level][c.to]
		}
		mapped = append(mapped, m)
	}
	return mapped
}

// vector is the classes of the values of a vector.
func (q *quotient) vector(v []int32) []int32 {
	v = slices.Clone(v)
	for i := range v {
		v[i] = q.class[i+1][v[i]]
	}
	return v
}

// expand is the vectors the classes of which are in a set: as a set of another store.
func (q *quotient) expand(sp *space, from *diagram.Store, n diagram.Node, to *diagram.Store) (diagram.Node, error) {
	known := map[diagram.Node]diagram.Node{diagram.Empty: diagram.Empty, diagram.One: diagram.One}
	var expand func(n diagram.Node) (diagram.Node, error)
	expand = func(n diagram.Node) (diagram.Node, error) {
		if m, ok := known[n]; ok {
			return m, nil
		}
		if err := cmp.Or(sp.ctx.Err(), to.Full()); err != nil {
			return n, err
		}
		level := from.Level(n)
		below := make([]diagram.Node, q.size[level])
		for _, a := range from.Arcs(n) {
			m, err := expand(a.To)
			if err != nil {
				return n, err
			}
			below[a.Value] = m
		}
		var arcs []diagram.Arc
		for v, c := range q.class[level] {
			if below[c] != diagram.Empty {
				arcs = append(arcs, diagram.Arc{Value: int32(v), To: below[c]})
			}
		}
		m := to.Make(level, arcs)
		known[n] = m
		return m, nil
	}
	return expand(n)
}
