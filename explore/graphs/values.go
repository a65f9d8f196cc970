package graphs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// findValues finds which values each thread may write to each cell, in any number of
// rounds of its loops. Where that is too much, it makes do with the rounds that are
// allowed, and the enumeration is cut.
func (x *enumeration) findValues() error {
	within, more, err := x.written(x.backEdges, maxLocalStates)
	if err != nil {
		return err
	}
	all := within
	if more {
		all, _, err = x.written(unbounded, maxUnboundedStates)
		if errors.Is(err, ErrValues) {
			all, x.cut, err = within, true, nil
		}
		if err != nil {
			return err
		}
	}
	x.within, x.values = later(within), later(all)
	x.first = 1
	if !x.def.RefutesOwnFuture() {
		x.first = 0
	}
	return nil
}

// later is, by thread and cell, the values that this thread or a later one writes, with
// one more thread that writes nothing.
func later(written [][][]int64) [][][]int64 {
	n := len(written)
	values := make([][][]int64, n+1)
	values[n] = make([][]int64, len(written[0]))
	for k := n - 1; k >= 0; k-- {
		values[k] = slices.Clone(values[k+1])
		for i := range values[k] {
			values[k][i] = merge(values[k][i], written[k][i])
		}
	}
	return values
}

// unbounded is as many back edges as a thread likes.
const unbounded = math.MaxInt

const (
	// maxLocalStates bounds what is visited of one thread.
	maxLocalStates = 1 << 18
	// maxUnboundedStates and maxUnboundedSweeps bound the search for all values, which
	// may have no end.
	maxUnboundedStates = 1 << 13
	maxUnboundedSweeps = 32
)

// written is, by thread and cell, the values that a thread may write with at most so many
// back edges, and whether a thread may take more of them. The threads run on their own,
// with reads that give any value that was found to be written. A value that is not out of
// thin air depends on a chain of writes in which none occurs twice, so that there are no
// more sweeps than writes.
func (x *enumeration) written(backEdges, limit int) (written [][][]int64, more bool, err error) {
	known := make([][]knownValue, len(x.cells))
	for i, c := range x.cells {
		known[i] = []knownValue{{c.Init, 0}}
	}
	bits := x.storeBits(backEdges)
	sweeps := maxUnboundedSweeps
	if backEdges < unbounded {
		sweeps = 1
		for _, t := range x.threads {
			sweeps += t.stores * (1 + backEdges)
		}
	}
	written = make([][][]int64, len(x.threads))
	plain := x.plain(bits)
	for range sweeps {
		next := make([][]knownValue, len(known))
		for i := range known {
			next[i] = slices.Clone(known[i])
		}
		changed := false
		for k := range x.threads {
			stores := plain[k]
			if stores == nil {
				l := &localRun{x: x, t: &x.threads[k], backEdges: backEdges, limit: limit,
					known: known, bits: bits, written: make([][]knownValue, len(known)), seen: map[string]bool{}}
				if err := l.run(); err != nil {
					return nil, false, err
				}
				stores, more = l.written, more || l.more
			}
			written[k] = make([][]int64, len(known))
			for i := range next {
				for _, v := range stores[i] {
					var more bool
					next[i], more = learn(next[i], v)
					changed = changed || more
					written[k][i] = append(written[k][i], v.value)
				}
				written[k][i] = merge(written[k][i], nil)
			}
		}
		if !changed || !slices.ContainsFunc(plain, func(s [][]knownValue) bool { return s == nil }) {
			return written, more, nil
		}
		known = next
	}
	if backEdges == unbounded {
		return nil, false, ErrValues
	}
	return written, more, nil
}

// plain is, by thread and cell, what is stored by a thread that has no loops and stores nothing
// but constants to addresses that are constant, if by way of registers: what it reads makes no
// difference, other than to which of its branches it takes. It is nil of other threads.
func (x *enumeration) plain(bits map[*program.Command]uint64) [][][]knownValue {
	all := make([][][]knownValue, len(x.threads))
	for k := range x.threads {
		if t := &x.threads[k]; !slices.Contains(t.loops.Back, true) {
			all[k] = x.constants(t, bits)
		}
	}
	return all
}

// constants is the constants that a thread without loops stores, or nil if it stores others, too.
func (x *enumeration) constants(t *thread, bits map[*program.Command]uint64) [][]knownValue {
	stores := make([][]knownValue, len(x.cells))
	at := make([][]constant, len(t.States)) // by state and register
	at[t.Initial] = make([]constant, len(t.Regs))
	for r := range t.Regs {
		at[t.Initial][r] = constant{t.Regs[r].Init, true}
	}
	regs := make([]constant, len(t.Regs))
	for work := []program.StateID{t.Initial}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range t.out[q] {
			copy(regs, at[q])
			if !x.stores(t, &t.Edges[e].Cmd, regs, stores, bits) {
				return nil
			}
			to := t.Edges[e].To
			switch {
			case at[to] == nil:
				at[to] = slices.Clone(regs)
				work = append(work, to)
			case meet(at[to], regs):
				work = append(work, to)
			}
		}
	}
	return stores
}

// A constant is the value of a register where it is the same in every run.
type constant struct {
	value int64
	known bool
}

// meet forgets of a what b does not have, and reports whether there was any.
func meet(a, b []constant) (changed bool) {
	for r := range a {
		if a[r].known && a[r] != b[r] {
			a[r], changed = constant{}, true
		}
	}
	return changed
}

// stores takes note of what a command stores and what it does to registers; false if it stores
// what is not constant.
func (x *enumeration) stores(t *thread, c *program.Command, regs []constant, stores [][]knownValue, bits map[*program.Command]uint64) bool {
	value := func(e program.Expr) (k constant) {
		k.known = true
		program.Walk(e, func(e program.Expr) {
			if r, ok := e.(program.Reg); ok {
				k.known = k.known && regs[r].known
			}
		})
		if k.known {
			k.value = program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return regs[r].value }})
		}
		return k
	}
	switch c.Op {
	case program.Load:
		if addr := value(c.Addr); !addr.known {
			x.accessAll()
		} else if cell := x.cellAt(addr.value); cell >= 0 {
			x.accessed[cell] = true
		}
		regs[c.Reg] = constant{}
	case program.Havoc:
		regs[c.Reg] = constant{}
	case program.Assign:
		k := value(c.Value)
		k.value = t.Regs[c.Reg].Type.Wrap(k.value)
		regs[c.Reg] = k
	case program.Store:
		addr, v := value(c.Addr), value(c.Value)
		cell := x.cellAt(addr.value)
		if !addr.known || !v.known || cell < 0 {
			return false
		}
		x.accessed[cell] = true
		stores[cell], _ = learn(stores[cell], knownValue{x.cells[cell].Type.Wrap(v.value), bits[c]})
	case program.Atomic:
		for i := range c.Body {
			if !x.stores(t, &c.Body[i], regs, stores, bits) {
				return false
			}
		}
	}
	return true
}

// accessAll notes that any cell may be accessed.
func (x *enumeration) accessAll() {
	for i := range x.accessed {
		x.accessed[i] = true
	}
}

// A known value may be read from a cell. The stores that it comes from, by way of what is
// computed from what is read, are not after themselves: so a thread in which one of them is
// yet to come does not read it. There is a bit for every store that is executed once at most;
// other stores have none.
type knownValue struct {
	value int64
	from  uint64
}

// learn adds what is known unless as much is known already, with fewer stores.
func learn(known []knownValue, k knownValue) ([]knownValue, bool) {
	for _, o := range known {
		if o.value == k.value && o.from&^k.from == 0 {
			return known, false
		}
	}
	known = slices.DeleteFunc(known, func(o knownValue) bool { return o.value == k.value && k.from&^o.from == 0 })
	return append(known, k), true
}

// storeBits gives a bit to each of the first 64 stores that are executed once at most.
func (x *enumeration) storeBits(backEdges int) map[*program.Command]uint64 {
	bits := map[*program.Command]uint64{}
	for k := range x.threads {
		t := &x.threads[k]
		if backEdges > 0 && slices.Contains(t.loops.Back, true) {
			continue
		}
		for e := range t.Edges {
			t.Edges[e].Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Store && len(bits) < 64 {
					bits[c] = 1 << len(bits)
				}
			})
		}
	}
	return bits
}

// merge is the values of both, ascending.
func merge(a, b []int64) []int64 {
	u := slices.Concat(a, b)
	slices.Sort(u)
	return slices.Compact(u)
}

// localRun runs one thread on its own.
type localRun struct {
	x         *enumeration
	t         *thread
	backEdges int
	limit     int            // of states
	known     [][]knownValue // by cell: what a read may give
	written   [][]knownValue // by cell
	bits      map[*program.Command]uint64
	seen      map[string]bool
	key       []byte // of the state that is looked for in seen
	work      []localState
	held      int64 // bytes
	more      bool  // it goes on with more back edges
}

type localState struct {
	pc     program.StateID
	rounds int
	regs   []localValue // by register
}

// A localValue is what a register holds.
type localValue struct {
	value  int64
	loaded bool   // it depends on a load
	from   uint64 // the stores that it comes from
}

func (s *localState) clone() localState {
	c := *s
	c.regs = slices.Clone(s.regs)
	return c
}

// depends is whether the value of e depends on a load.
func (s *localState) depends(e program.Expr) bool {
	found := false
	program.Walk(e, func(x program.Expr) {
		r, ok := x.(program.Reg)
		found = found || ok && s.regs[r].loaded
	})
	return found
}

// sources is the stores that the value of e comes from.
func (s *localState) sources(e program.Expr) (from uint64) {
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			from |= s.regs[r].from
		}
	})
	return from
}

func (l *localRun) run() error {
	first := localState{l.t.Initial, 0, make([]localValue, len(l.t.Regs))}
	for r := range first.regs {
		first.regs[r].value = l.t.Regs[r].Init
	}
	l.visit(first)
	for len(l.work) > 0 {
		if err := l.x.ctx.Err(); err != nil {
			return err
		}
		if l.held > l.x.limit {
			return ErrMemory
		}
		if len(l.seen) > l.limit {
			return fmt.Errorf("%w: thread %s", ErrValues, l.t.Name)
		}
		s := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		for _, e := range l.t.out[s.pc] {
			waits := l.t.loops.Wait[e] // stores nothing
			if waits && l.x.skipWaits {
				continue
			}
			l.command(&l.t.Edges[e].Cmd, s.clone(), func(n localState) {
				if waits {
					return
				}
				if l.t.loops.Back[e] && l.backEdges < unbounded {
					if n.rounds == l.backEdges {
						l.more = true
						return
					}
					n.rounds++
				}
				n.pc = l.t.Edges[e].To
				l.visit(n)
			})
		}
	}
	return nil
}

// visit takes note of a state, in which dead registers do not count.
func (l *localRun) visit(s localState) {
	for r := range s.regs {
		if !l.t.live[s.pc].Has(r) {
			s.regs[r] = localValue{}
		}
	}
	l.key = binary.AppendVarint(binary.AppendVarint(l.key[:0], int64(s.pc)), int64(s.rounds))
	for _, v := range s.regs {
		l.key = binary.AppendVarint(l.key, v.value)
		loaded := uint64(0)
		if v.loaded {
			loaded = 1
		}
		l.key = binary.AppendUvarint(binary.AppendUvarint(l.key, loaded), v.from)
	}
	if !l.seen[string(l.key)] {
		l.seen[string(l.key)] = true
		l.held += int64(len(l.key) + 24*len(s.regs) + 150)
		l.work = append(l.work, s)
	}
}

// command executes c in all the ways that there are. s is its own to change.
func (l *localRun) command(c *program.Command, s localState, then func(localState)) {
	eval := func(e program.Expr) int64 {
		if k, ok := e.(program.Const); ok {
			return int64(k)
		}
		return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return s.regs[r].value }})
	}
	set := func(n localState, v int64, loaded bool, from uint64) localState {
		n.regs[c.Reg] = localValue{l.t.Regs[c.Reg].Type.Wrap(v), loaded, from}
		return n
	}
	switch c.Op {
	case program.Check, program.Assert:
		// The values that make it true may yet have to be found.
		if eval(c.Value) == 0 && !(l.x.speculative && s.depends(c.Value)) {
			return
		}
	case program.Assign:
		set(s, eval(c.Value), s.depends(c.Value), s.sources(c.Value))
	case program.Havoc:
		for v := c.Lo; ; v++ {
			then(set(s.clone(), v, false, 0))
			if v == c.Hi || len(l.seen) > l.limit {
				return
			}
		}
	case program.Load, program.Store:
		cell := l.x.cellAt(eval(c.Addr))
		switch {
		case cell < 0:
			if l.x.speculative { // the address may yet have to be found
				then(s)
			}
			return
		case c.Op == program.Load:
			l.x.accessed[cell] = true
			for _, v := range l.known[cell] {
				then(set(s.clone(), v.value, true, v.from|s.sources(c.Addr)))
			}
			return
		}
		v := l.x.cells[cell].Type.Wrap(eval(c.Value))
		l.x.accessed[cell] = true
		from, bit := s.sources(c.Addr)|s.sources(c.Value), l.bits[c]
		if from&bit != 0 {
			return
		}
		l.written[cell], _ = learn(l.written[cell], knownValue{v, from | bit})
	case program.Atomic:
		l.sequence(c.Body, s, then)
		return
	}
	then(s)
}

func (l *localRun) sequence(body []program.Command, s localState, then func(localState)) {
	if len(body) == 0 {
		then(s)
		return
	}
	l.command(&body[0], s, func(n localState) { l.sequence(body[1:], n, then) })
}
