package lowered

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Divided is a program whose memory has the cells that are accessed: what its commands are, and what its values can be.
type Divided struct {
	Program *program.Program
	Ranges  *program.Ranges // nil: not known
	known   bool            // all that is accessed has been seen
	left    *Effort
}

// Divide executes main as far as it can be before there are threads, and gives memory the cells that it is accessed by. Where more has to be known
// of it, the program is to be lowered again.
func (u *Unit) Divide() (v Divided, again bool) {
	u.boundWalks()
	for _, t := range u.Threads {
		forgetOnce(t.Graph, false)
		t.Graph.DropDead() // variables without a value that get one before they are read
	}
	begin := func() {
		u.prefixUntyped()
		u.Threads[0].Graph.Tidy()
	}
	begin()
	left := &Effort{Context: context.Background(), polls: optimiseEffort}
	u.infer(left)
	known := false
	var p *program.Program
	var r *program.Ranges
	for round := 0; round < 24 && !known; round++ { // before anything is concluded from what is not stored to
		var err error
		if p, r, err = u.values(left); err != nil {
			break
		}
		u.findLooks(p, r)
		came := len(u.misfitting) > 0
		known = !u.alignAccesses(p, r) && !u.fillGaps(p, r) && len(u.Looked) == 0 && !u.divideMemory(p, r)
		if len(u.Looked) > 0 {
			return v, true
		}
		if came && len(u.misfitting) == 0 { // main goes on from there
			begin()
		}
	}
	if len(u.Looked) > 0 {
		return v, true
	}
	if u.outlived(nil) { // more is known of values where main has made what the threads share
		return v, true
	}
	if !known {
		r = nil // of another program, or none
	}
	return Divided{p, r, known, left}, false
}

// Optimise makes the program smaller by what is known of all threads together: main
// is executed as far as it can be, memory that one thread alone accesses becomes
// registers, and memory that nobody writes becomes constants.
func (u *Unit) Optimise(v Divided) {
	u.boundReals(v.Program, v.Ranges)
	u.dropGaps(v.known)
	u.shrink(v.left)
	for _, t := range u.Threads {
		forgetOnce(t.Graph, true)
	}
	u.prefixAlone()
	u.compareEarly()
	u.skipIdle()
	u.splitWaits()
	u.fewerByThresholds()
	u.sample()
	u.dropUnused()
	for _, t := range u.Threads {
		t.Graph.NumberChoices()
	}
}

// shrink takes out of memory what need not be there.
func (u *Unit) shrink(left *Effort) {
	u.markUnwritten(left)
	for range 4 {
		p, r, err := u.values(left)
		if err != nil {
			return
		}
		u.dropRelated(p, r)
		u.dropUnread(p, r)
		u.lifetimes(p, r)
		u.births(p, r)
		u.settle(p, r)
		changed := u.promote(p, r)
		u.constants(p, r)
		u.prefix(p, u.alone(p, r))
		for _, t := range u.Threads {
			t.Graph.Tidy()
			if t.Graph.DropPointless(u.Options.Dependencies || !u.Options.X86) {
				t.Graph.Tidy()
			}
		}
		if !changed {
			break
		}
	}
}

// Limits of what is done: what makes the program smaller is left off where it is much work, and
// programs are refused of which it is too much to make out the values. One unit takes about a
// millisecond; they are counted, so that what comes out does not depend on the machine.
const (
	optimiseEffort = 4000
	analyseEffort  = 60000
)

// An Effort is a context that ends after so many looks at it.
type Effort struct {
	context.Context
	polls int
}

// NewEffort is that of what is asked for once.
func NewEffort() *Effort { return &Effort{Context: context.Background(), polls: analyseEffort} }

// Err implements [context.Context].
func (e *Effort) Err() error {
	if e.polls--; e.polls < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// values is the program as it is now, and what its values can be; left limits the effort, and nil is the limit of
// those that are asked for once. As long as the program stays what it was, so does the answer: nobody may change either.
func (u *Unit) values(left *Effort) (*program.Program, *program.Ranges, error) {
	p := u.assemble()
	if u.valued != nil && alike(p, u.valued) {
		return u.valued, u.ranges, nil
	}
	if left == nil {
		left = NewEffort()
	}
	r, err := u.analyse(left, p)
	if err == nil {
		flowgraph.Confine(p, r)
		u.valued, u.ranges = p, r
	}
	if errors.Is(err, program.ErrStopped) {
		err = &program.Diagnostic{Source: p.Source, Msg: "too large: what its values are cannot be made out"}
	}
	return p, r, err
}

// analyse finds out what the values of p can be. What nothing has been written to yet holds 0 in p, but is read as anything later on (see unset.go):
// so do the cells here that may be read before they are written, as far as is known by then, and if the values that come out show more such reads
// it is done again.
func (u *Unit) analyse(left *Effort, p *program.Program) (*program.Ranges, error) {
	unset, anything := u.unsetCells(), map[int64]program.ValueSet{}
	for {
		r, err := program.AnalyseFrom(left, u.withReleases(p), u.Options.Speculation == target.BeforeBranches, anything)
		if err != nil || len(unset) == 0 {
			return r, err
		}
		known := len(anything)
		for a := range u.doubts(p, r, allOfIt) {
			if t := unset[a]; t != nil {
				anything[a] = anythingOf(t)
			}
		}
		if len(anything) == known {
			return r, nil
		}
	}
}

// alike is true of programs with the same commands on the same memory.
func alike(p, q *program.Program) bool {
	return slices.Equal(p.Memory, q.Memory) && slices.EqualFunc(p.Threads, q.Threads, func(s, t *program.Thread) bool {
		return s.Initial == t.Initial && slices.Equal(s.Regs, t.Regs) &&
			slices.EqualFunc(s.Edges, t.Edges, func(d, e program.Edge) bool { return reflect.DeepEqual(d, e) })
	})
}

// prefixAlone executes main once more with what is known in the end.
func (u *Unit) prefixAlone() {
	p, r, err := u.values(nil)
	if err != nil {
		return
	}
	u.lifetimes(p, r)
	u.births(p, r)
	u.prefix(p, u.alone(p, r))
	u.Threads[0].Graph.Tidy()
}

// alone is true of the cells that main alone accesses, and will, and that no other thread gives back.
func (u *Unit) alone(p *program.Program, r *program.Ranges) func(addr int64) bool {
	dies, gone := u.mayDie(r), u.freed(p.Threads[1:], r)
	return func(a int64) bool {
		i := r.CellIndex(a)
		return i >= 0 && r.Private(i) == 0 && !dies[i] && !gone[i]
	}
}

// nobody owns a cell that is accessed by several threads, or at addresses that are not known.
const nobody = -1

// owners are the threads that alone access cells, each by commands that access no other cell.
func (u *Unit) owners(p *program.Program, r *program.Ranges) []int {
	owner := make([]int, len(r.Cells))
	for i := range owner {
		owner[i] = nobody
		if t := r.Private(i); t >= 0 {
			owner[i] = t
		}
	}
	for c, cells := range r.Access {
		// To the kernel's model what is marked orders others, whoever else accesses the same: a register does not.
		if !u.single(r, c) || u.Options.Kernel && !c.Tags.Has(target.OrderTag[target.Plain]) {
			for _, i := range cells {
				owner[i] = nobody
			}
		}
	}
	for i, gone := range u.freed(p.Threads, r) {
		if gone {
			owner[i] = nobody
		}
	}
	fixed := u.fixedCells()
	for i, c := range r.Cells {
		if fixed[c.Addr] && !r.ReadOnly(i) {
			owner[i] = nobody // who stores to it fails
		}
	}
	for i, dies := range u.mayDie(r) {
		if dies {
			owner[i] = nobody
		}
	}
	// What has a name at file scope is there to be seen in the end, if there is one. Where there is none, the thread's own memory
	// must not be in the way: a loop that waits and keeps there what it has read fills a store buffer without end.
	endless := u.endless()
	for i, c := range r.Cells {
		if u.isGlobal(c.Addr) && (owner[i] == nobody || !endless[owner[i]]) {
			owner[i] = nobody
		}
	}
	// A cell through which a thread is started is not the thread's own.
	for _, t := range u.Threads {
		if t.Start != nil && !t.First {
			if i := r.CellIndex(t.Start.Base); i >= 0 {
				owner[i] = nobody
			}
		}
	}
	return owner
}

// endless are the threads that never come to their ends; none where loads and stores may order others, nor where it counts that who
// changes memory does not hang.
func (u *Unit) endless() []bool {
	all := make([]bool, len(u.Threads))
	if u.Options.Dependencies || !u.Options.X86 || u.Options.Signals {
		return all
	}
	for i, t := range u.Threads {
		out := t.Graph.Out()
		all[i] = !slices.ContainsFunc(t.Graph.Edges, func(e flowgraph.Edge) bool {
			return len(out[e.To]) == 0 && e.To != t.Graph.GaveUp && !slices.Contains(t.Graph.Bounds, e.To)
		})
	}
	return all
}

// promote makes registers of the cells that one thread alone accesses, each by
// commands that access no other cell.
func (u *Unit) promote(p *program.Program, r *program.Ranges) bool {
	owner := u.owners(p, r)
	changed := false
	unset, types := u.unsetCells(), u.unsetAtFirst()
	for ti, t := range u.Threads {
		again := forgotten(t)
		reg := map[int]promotion{}
		pt := p.Threads[ti]
		choices := map[int][]promotion{} // by node
		from := 0
		var sets []program.Command // of what is beside the cell written last
		replace := func(c, analysed *program.Command) {
			if c.Op != program.Load && c.Op != program.Store {
				return
			}
			cells := r.Access[analysed]
			if len(cells) != 1 || owner[cells[0]] != ti {
				return
			}
			i := cells[0]
			k, ok := reg[i]
			if !ok {
				cell := r.Cells[i]
				t.Graph.Regs = append(t.Graph.Regs, program.Register{Name: cell.Name, Type: cell.Type, Init: cell.Init, Mark: cell.Mark})
				k = promotion{len(t.Graph.Regs) - 1, -1, types[cell.Addr]}
				if unset[cell.Addr] != nil || again[cell.Addr] {
					t.Graph.Regs = append(t.Graph.Regs, program.Register{Name: cell.Name + " is set", Type: program.BoolType, Init: program.Bool(unset[cell.Addr] == nil), Temp: true})
					k.set = len(t.Graph.Regs) - 1
				}
				reg[i] = k
			}
			sets = nil
			switch {
			case c.Op == program.Load:
				if k.set >= 0 && !uncounted(c) && !slices.Contains(choices[from], k) {
					choices[from] = append(choices[from], k)
				}
				*c = program.Command{Op: program.Assign, Reg: c.Reg, Value: program.Reg(k.reg), Pos: c.Pos}
			case c.Tags.Has(UnsetTag):
				*c = program.Command{Op: program.Assign, Reg: k.set, Value: program.Const(0), Pos: c.Pos}
			default:
				if k.set >= 0 {
					sets = []program.Command{{Op: program.Assign, Reg: k.set, Value: program.Const(1), Pos: c.Pos}}
				}
				*c = program.Command{Op: program.Assign, Reg: k.reg, Value: c.Value, Pos: c.Pos}
			}
			changed = true
		}
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			e, analysed := &t.Graph.Edges[gi], &pt.Edges[ei].Cmd
			fences := e.Cmd.Op == program.Store && e.Cmd.Tags.Has(target.OrderTag[target.SeqCst])
			from, sets = e.From, nil
			replace(&e.Cmd, analysed)
			for _, c := range sets {
				between := t.Graph.Node(e.Pos)
				t.Graph.Add(between, e.To, c, e.Pos)
				e = &t.Graph.Edges[gi]
				e.To = between
			}
			if fences && e.Cmd.Op == program.Assign {
				// It is a fence all the same.
				e.Cmd = program.Command{Op: program.Atomic, Text: "xchg", Body: []program.Command{e.Cmd}, Pos: e.Cmd.Pos}
				continue
			}
			if e.Cmd.Op == program.Atomic {
				e.Cmd.Body = slices.Clone(e.Cmd.Body)
				var after []program.Command
				for k := range e.Cmd.Body {
					sets = nil
					replace(&e.Cmd.Body[k], &analysed.Body[k])
					after = append(after, sets...)
				}
				e.Cmd.Body = append(e.Cmd.Body, after...)
			}
		}
		for _, q := range slices.Sorted(maps.Keys(choices)) {
			choose(t.Graph, q, choices[q])
		}
	}
	return changed
}

// single is true of an access to one cell, which is what the access takes it for.
func (u *Unit) single(r *program.Ranges, c *program.Command) bool {
	cells := r.Access[c]
	if len(cells) != 1 || r.Address[c].Size() != 1 || c.Tags.Has(flowgraph.FreeTag) {
		return false
	}
	cell := r.Cells[cells[0]]
	lo, hi, ok := flowgraph.Within(c.Tags)
	return flowgraph.FitsTag(wordOf(&cell), c.Tags) && (!ok || lo <= cell.Addr && cell.Addr < hi)
}

// freed marks the cells of objects that threads may give back: each access to them counts. To free an object is
// an access to its first cell only.
func (u *Unit) freed(threads []*program.Thread, r *program.Ranges) []bool {
	gone := make([]bool, len(r.Cells))
	mark := func(c *program.Command) {
		if !c.Tags.Has(flowgraph.FreeTag) {
			return
		}
		for _, o := range u.Objects {
			for k := range o.Count {
				base := o.Base + k*o.Stride
				if !o.Heap || !r.Address[c].Has(base) {
					continue
				}
				for _, s := range o.Cells {
					if i := r.CellIndex(base + s.Off); i >= 0 {
						gone[i] = true
					}
				}
			}
		}
	}
	for _, t := range threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(mark)
		}
	}
	return gone
}

// constants puts what is known of loads in their place: those of cells that nobody
// stores to, and which hold the same value.
func (u *Unit) constants(p *program.Program, r *program.Ranges) {
	gone := u.freed(p.Threads, r)
	for i, dies := range u.mayDie(r) {
		gone[i] = gone[i] || dies
	}
	unset := u.unsetCells()
	for ti, t := range u.Threads {
		pt := p.Threads[ti]
		live := t.Graph.Live()
		var chosen, ended []int // edges after whose loads there is a choice, or a text is at its end
		put := func(gi int, c, analysed *program.Command) {
			cells := r.Access[analysed]
			if u.Options.Signals && !c.Tags.Has(target.OrderTag[target.Plain]) {
				return // who waits for ever waits for something
			}
			if c.Op != program.Load || len(cells) == 0 || uint64(len(cells)) != r.Address[analysed].Size() || c.Tags.Has(flowgraph.FreeTag) {
				return
			}
			if known := u.chosen(r, cells, unset, c); known != nil {
				switch kept := slices.ContainsFunc(cells, func(i int) bool { return gone[i] }); {
				case !kept:
					*c = anythingIn(t.Graph, c.Reg, known)
					c.Pos = analysed.Pos
				case gi >= 0 && live[t.Graph.Edges[gi].To].Has(c.Reg):
					chosen = append(chosen, gi)
				}
				return
			}
			if gi >= 0 && c.Tags.Has(PrintedTag) && u.textsEnd(r, r.Address[analysed], unset) { // nobody has to go through them
				if slices.ContainsFunc(cells, func(i int) bool { return gone[i] }) {
					ended = append(ended, gi)
				} else {
					*c = setTo(c.Reg, 0)
					c.Pos = analysed.Pos
				}
				return
			}
			for _, i := range cells {
				if unset[r.Cells[i].Addr] != nil && !uncounted(c) || gone[i] || !r.ReadOnly(i) || r.Cells[i].Init != r.Cells[cells[0]].Init || !flowgraph.FitsTag(wordOf(&r.Cells[i]), c.Tags) {
					return
				}
				if lo, hi, ok := flowgraph.Within(c.Tags); ok && (r.Cells[i].Addr < lo || r.Cells[i].Addr >= hi) {
					return
				}
			}
			*c = program.Command{Op: program.Assign, Reg: c.Reg, Value: program.Const(r.Cells[cells[0]].Init), Pos: c.Pos}
		}
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			e, analysed := &t.Graph.Edges[gi], &pt.Edges[ei].Cmd
			put(gi, &e.Cmd, analysed)
			if analysed.Op == program.Atomic {
				e.Cmd.Body = slices.Clone(e.Cmd.Body)
				for k := range analysed.Body {
					put(-1, &e.Cmd.Body[k], &analysed.Body[k])
				}
			}
		}
		for _, gi := range chosen {
			cells := r.Access[&pt.Edges[slices.Index(t.origin, gi)].Cmd]
			getInstead(t.Graph, gi, anythingIn(t.Graph, t.Graph.Edges[gi].Cmd.Reg, unset[r.Cells[cells[0]].Addr]))
		}
		for _, gi := range ended {
			c := &t.Graph.Edges[gi].Cmd
			c.Tags = program.NewTags(slices.DeleteFunc(c.Tags.Names(), func(name string) bool { return name == PrintedTag })...)
			getInstead(t.Graph, gi, setTo(c.Reg, 0))
		}
	}
}

// maxShown is how many scalars an object at file scope has of which even those are kept
// that nobody accesses.
const maxShown = 64

// isGlobal is true of a cell of an object at file scope.
func (u *Unit) isGlobal(a int64) bool {
	for _, o := range u.Globals {
		if o.Base <= a && a < o.Base+o.Size {
			return len(o.Cells) <= maxShown
		}
	}
	return false
}

// dropUnused forgets the cells that nobody accesses.
func (u *Unit) dropUnused() {
	p, r, err := u.values(nil)
	if err != nil {
		return
	}
	u.births(p, r)
	if u.lifetimes(p, r) {
		for _, t := range u.Threads {
			t.Graph.Tidy()
		}
	}
	used := make([]bool, len(r.Cells))
	for _, cells := range r.Access {
		for _, i := range cells {
			used[i] = true
		}
	}
	astray := false // there are accesses to addresses that are not known, and none to a cell
	if !slices.Contains(used, true) {
		for _, t := range p.Threads {
			for i := range t.Edges {
				t.Edges[i].Cmd.Accesses(func(c *program.Command) {
					_, known := c.Addr.(program.Const)
					astray = astray || !known
				})
			}
		}
	}
	for i, c := range r.Cells {
		if u.Options.Uninitialised {
			break // what nobody comes to read may have a cell beside it that is read
		}
		if !used[i] && !u.isGlobal(c.Addr) && !(astray && i == 0) { // without memory of its own a program would be asked to bound its addresses
			u.unused[c.Addr] = true
		}
	}
}
