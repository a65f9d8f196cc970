// Package graphs enumerates the execution graphs of a program that a memory model
// admits, thread by thread (enumerate.go) or along dependencies (delay.go): a program and the definition of a model go in, out come graphs, each once,
// with the states in which they end. It knows nothing of store buffers, and so is a
// second opinion on what searches through states find.
package graphs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options bound an enumeration.
type Options struct {
	// BackEdges is how often each thread may go round, in all its loops together.
	BackEdges int
	// MemoryLimit is what the enumeration may hold, in bytes; 0: three quarters of what
	// the machine has free.
	MemoryLimit int64
	// Bare leaves out what the events of graphs say of the source, which takes time to write.
	Bare bool
	// Graphs, where not 0, is after how many partial executions to give up.
	Graphs int
	// Events, where not 0, is after how many events of all partial executions together to give up.
	Events int64
	// Workers is how many goroutines [Check] uses; 0: one. What it counts and finds does not depend on it. A bound on graphs or
	// events is for one.
	Workers int
	// Progress, where not nil, is called now and then with a line that says how far [Check] is.
	Progress func(line string)

	// For tests: the way, and after how many parts it is settled which axioms are asked of them; 0: trials.
	way    way
	trials int64
}

// Enumerate enumerates the executions of p that def admits: those in which every
// thread comes to its end in a state that the filter of p lets pass. yield is told
// every execution once, with the state in which it ends, temporaries 0 and memory by
// the cells of [program.Analyse], and returns false to stop.
//
// Each thread goes round at most opts.BackEdges times; loops that only wait need not
// where def is monotone. Values are grounded: reads-from together with data and address
// dependencies is acyclic, as herd has it, so that no value comes out of thin air. A
// cycle through control dependencies is for the model to judge.
//
// Where it is not all executions the error is one of which [Reason] knows, or that of
// ctx.
func Enumerate(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, yield func(*memory.Graph, verdict.FinalState) bool) error {
	x, err := newEnumeration(ctx, p, def, opts)
	if err != nil {
		return err
	}
	return x.run(func(g *memory.Graph, s verdict.FinalState) bool { return yield(g.Sorted(), s) })
}

// FinalStates enumerates executions as [Enumerate] does, and lists the states in which
// they end, each once, in ascending order of the memory and then the registers. The graph
// that yield is told is good until it returns, with its events in no order: [memory.Graph.Sorted]
// is a copy.
func FinalStates(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, yield func(*memory.Graph, verdict.FinalState) bool) ([]verdict.FinalState, error) {
	x, err := newEnumeration(ctx, p, def, opts)
	if err != nil {
		return nil, err
	}
	var finals []verdict.FinalState
	seen := map[string]bool{}
	err = x.run(func(g *memory.Graph, s verdict.FinalState) bool {
		if k := s.Key(); !seen[k] {
			seen[k] = true
			finals = append(finals, s)
			size := len(k) + 8*len(s.Memory) + 100
			for _, regs := range s.Regs {
				size += 8*len(regs) + 24
			}
			x.held += int64(size)
		}
		return yield(g, s)
	})
	verdict.SortFinalStates(finals)
	return finals, err
}

func newEnumeration(ctx context.Context, p *program.Program, def *memory.Definition, opts Options) (*enumeration, error) {
	if def.Model.Certifies() {
		return nil, p.Diagnose(program.Position{}, fmt.Sprintf("the axioms of %s alone do not say what it allows", def.Model), "")
	}
	x := &enumeration{ctx: ctx, p: p, speculative: !def.OrdersReads(), skipWaits: def.Cat.SkipsWaits(), def: def, refuter: def.Refuter(), backEdges: opts.BackEdges,
		graphs: opts.Graphs, most: opts.Events, bare: opts.Bare, way: opts.way, limit: opts.MemoryLimit, texts: map[*program.Command]commandText{}}
	if err := x.findCells(); err != nil {
		return nil, err
	}
	if p.Filter != nil || picksFreely(p) {
		if err := x.compile(); err != nil {
			return nil, err
		}
	}
	if x.limit == 0 {
		x.limit = states.DefaultMemoryLimit()
	}
	for i, t := range p.Threads {
		th := thread{index: i, Thread: t, out: t.Out(), live: flow.Live(p, i, true), joins: flow.Joins(p, i)}
		th.loops = flow.FindLoops(t, th.live)
		for e := range t.Edges {
			t.Edges[e].Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Load {
					th.loads++
				} else {
					th.stores++
				}
			})
		}
		x.threads = append(x.threads, th)
	}
	// A read of a thread that comes later finds its write in the graph; one of
	// a thread that comes earlier has to guess. So those with few reads begin.
	slices.SortStableFunc(x.threads, func(a, b thread) int { return cmp.Compare(a.loads, b.loads) })
	x.locks = x.mutexes()
	return x, nil
}

// findCells finds the cells that there are: those that the program declares, or else those that
// its analysis finds.
func (x *enumeration) findCells() error {
	if declares(x.p) {
		x.cells, x.shown, x.cellAt = x.p.Memory, x.p.Memory, x.p.CellAt
	} else {
		shown, err := program.AnalyseContext(x.ctx, x.p)
		if err != nil {
			return err
		}
		if x.ranges = shown; x.speculative && !straight(x.p, shown) {
			if x.ranges, err = program.AnalyseSpeculative(x.ctx, x.p); err != nil {
				return err
			}
		}
		x.cells, x.shown, x.cellAt = x.ranges.Cells, shown.Cells, x.ranges.CellIndex
	}
	x.accessed = make([]bool, len(x.cells))
	return nil
}

// declares is whether p declares all of its memory.
func declares(p *program.Program) bool {
	all := len(p.Memory) > 0
	check := func(e program.Expr) {
		if m, ok := e.(program.Mem); ok {
			all = all && p.CellAt(m.Addr) >= 0
		}
	}
	for i := range p.Properties {
		program.Walk(p.Properties[i].Cond, check)
	}
	program.Walk(p.Filter, check)
	for _, e := range p.Observe {
		program.Walk(e, check)
	}
	return all
}

// analysed is what is known of the values of the program, which is found when it is first asked for.
func (x *enumeration) analysed() (*program.Ranges, error) {
	var err error
	if x.ranges == nil {
		analyse := program.AnalyseContext
		if x.speculative {
			analyse = program.AnalyseSpeculative
		}
		x.ranges, err = analyse(x.ctx, x.p)
	}
	return x.ranges, err
}

// picksFreely is whether a thread does.
func picksFreely(p *program.Program) bool {
	free := func(c *program.Command) bool { return c.Op == program.Havoc }
	for _, t := range p.Threads {
		for e := range t.Edges {
			c := &t.Edges[e].Cmd
			if free(c) || slices.ContainsFunc(c.Body, func(b program.Command) bool { return free(&b) }) {
				return true
			}
		}
	}
	return false
}

// compile makes the judge of final states, and refuses what has too many outcomes.
func (x *enumeration) compile() error {
	r, err := x.analysed()
	if err != nil {
		return err
	}
	sys, err := abstract.New(x.p, r, abstract.None{}, 0)
	if err != nil {
		return err
	}
	x.system, x.judge, x.end = sys, replay.NewJudge(sys, x.p.Properties), sys.NewState()
	return nil
}

// straight is whether no thread has a choice, and each comes to its end as far as r sees: then it
// makes no difference what is known when a branch is taken.
func straight(p *program.Program, r *program.Ranges) bool {
	for i, t := range p.Threads {
		if slices.Contains(r.Reachable[i], false) {
			return false
		}
		for e := range t.Edges {
			if decides(&t.Edges[e].Cmd) {
				return false
			}
		}
	}
	return true
}

// decides is whether a command is executed only if something holds.
func decides(c *program.Command) bool {
	if c.Op == program.Check || c.Op == program.Assert {
		return true
	}
	for i := range c.Body {
		if decides(&c.Body[i]) {
			return true
		}
	}
	return false
}

func (x *enumeration) run(yield func(*memory.Graph, verdict.FinalState) bool) error {
	x.yield = yield
	if x.delays() {
		u, s := x.unfold(nil)
		u.run(s)
		switch {
		case x.err != nil:
			return x.err
		case x.cut && !x.stopped:
			return ErrCut
		}
		return nil
	}
	if err := x.findValues(); err != nil {
		return err
	}
	free, _ := spares.Get().(*[]*partial)
	if free == nil {
		free = new([]*partial)
	}
	x.free = *free
	x.start()
	*free = x.free
	spares.Put(free)
	switch {
	case x.err != nil:
		return x.err
	case x.cut && !x.stopped:
		return ErrCut
	}
	return nil
}

// enumeration builds execution graphs event by event, one thread after the
// other. A write takes a place in the coherence order of its location. A read
// takes its value from a write that is there already, or guesses a value, and
// the write that it reads from is found among those that come later. So every
// execution is built in exactly one way. As soon as the model refutes what is
// there, it is given up.
type enumeration struct {
	ctx    context.Context
	p      *program.Program
	ranges *program.Ranges // nil while nobody has asked for them
	// cells are the cells by ascending address, cellAt is the index of the one at an address, or -1.
	cells  []program.Cell
	cellAt func(addr int64) int
	// accessed is which cells a thread may access.
	accessed []bool
	// shown is what final states are by: the cells of [program.Analyse]. There may be
	// others, that only a branch which is taken on the strength of what comes after it
	// leads to.
	shown     []program.Cell
	def       *memory.Definition
	refuter   *memory.Refuter
	backEdges int
	// speculative is true where the model is not known to forbid that reads-from and
	// control dependencies form a cycle.
	speculative bool
	// skipWaits is true where rounds of loops that only wait make no difference.
	skipWaits bool
	yield     func(*memory.Graph, verdict.FinalState) bool
	judge     *replay.Judge   // of final states; nil where all count
	end       *abstract.State // what the judge is shown
	system    *abstract.System

	threads []thread // in the order in which they are run
	// values is, by thread (in that order), with one more, and cell, the values that
	// this thread or a later one may write; within, those of them that can do with
	// the rounds that are allowed.
	values, within [][][]int64
	// first is whether a read can only read from later threads (1), or also from what
	// its own thread writes later (0).
	first int
	// locks is which cells are locks that are taken in turns.
	locks []bool
	// texts is what events say of the commands that they come from; bare: next to nothing.
	bare  bool
	way   way
	texts map[*program.Command]commandText

	free        []*partial
	held, limit int64 // bytes
	steps       int   // on the way to where it is
	met, graphs int   // partial executions, and how many there may be; 0: any number
	work, most  int64 // likewise their events
	cut         bool
	stopped     bool
	err         error
}

type thread struct {
	*program.Thread
	index  int // in the program
	out    [][]int
	loops  *flow.Loops
	live   []program.RegSet
	joins  []program.StateID
	loads  int // accesses in the text
	stores int
}

// commandText is a command as text, and the tags of its event.
type commandText struct {
	text string
	tags program.Tags
}

// text is what the event of a command of a thread says of it. A command is in the body of an
// atomic block or is not.
func (x *enumeration) text(c *program.Command, t *thread, atomic bool) commandText {
	ct, ok := x.texts[c]
	if !ok {
		ct = commandText{"", c.EventTags(x.p.Arch, atomic)}
		if !x.bare {
			ct.text = c.Format(x.p, t.Thread)
		}
		x.texts[c] = ct
	}
	return ct
}

// partial is a part of an execution: all of the first threads, and some of the
// one that is running.
type partial struct {
	g     *memory.Graph
	regs  [][]int64  // by thread, in the order of enumeration
	order [][]int    // by cell: the writes so far in coherence order, the initial one first
	open  []openRead // reads without a write
	own   []int64    // registers of the thread that ran when this became a copy
	block int        // the number of the last atomic block
	// unclosed is the locked section that a thread ended in, or 0.
	unclosed int

	ends []program.StateID // where the threads that ran have ended
	// unstarted is the cells that must be 0 in the end, since a thread waits for them.
	unstarted []int

	run int // the thread that is running
	pc  program.StateID
	// rounds is how many back edges the thread has taken.
	rounds int
	// section is the block of the locked section that the thread is in, or 0.
	section int
	// deps is, by register, what its value depends on, and ctrl what that which comes now
	// depends on.
	deps [][]dependency
	ctrl []decision
	// exclusive is the last exclusive access of the thread, linked is the one before it, as the
	// first of their events, or -1.
	exclusive, linked int

	body *atomicBody // the atomic block that the thread is in, or nil

	first []memory.Event // memory for the events of the next program, without any
}

// A dependency is a read that something depends on; picked where the read only chooses what
// it is (see [program.Arch.Picks]).
type dependency struct {
	read   int
	picked bool
}

// A decision is what a check depends on, and where what it decides about ends; -1: with the
// thread.
type decision struct {
	on    dependency
	until program.StateID
}

// atomicBody is what is known of an atomic block that is being executed.
type atomicBody struct {
	block int
	ctrl  []dependency // what its checks depend on
	loads []int        // its own reads
	reads []int        // without a write of the block to the same address after them
}

// openRead is a read whose write is yet to come.
type openRead struct {
	event, cell int
	value       int64
}

// clone is a copy of s that can go another way. Each way is gone to its end before the next, and
// who made the copy gives it back then, with [enumeration.release].
func (x *enumeration) clone(s *partial) *partial {
	c := x.spare()
	old := *c
	*c = *s
	c.g = old.g
	s.g.ForkInto(c.g)
	c.own = append(old.own[:0], s.regs[s.run]...)
	c.regs = append(old.regs[:0], s.regs...)
	c.regs[s.run] = c.own
	c.order = append(old.order[:0], s.order...)
	c.open = append(old.open[:0], s.open...)
	c.ends = append(old.ends[:0], s.ends...)
	c.deps = append(old.deps[:0], s.deps...)
	if s.body != nil {
		b := *s.body
		b.reads = slices.Clone(b.reads)
		c.body = &b
	}
	return c
}

// spare is a partial execution with whatever is in it, whose memory can be used.
func (x *enumeration) spare() *partial {
	n := len(x.free)
	if n == 0 {
		return &partial{g: &memory.Graph{}}
	}
	c := x.free[n-1]
	x.free = x.free[:n-1]
	return c
}

// release gives back a copy that nobody looks at any more.
func (x *enumeration) release(c *partial) { x.free = append(x.free, c) }

// spares is the copies that earlier enumerations have given back: lists, behind pointers.
var spares sync.Pool

func (s *partial) eval(e program.Expr) int64 {
	return program.EvalRegs(e, s.regs[s.run])
}

// dependsOn is what the value of e depends on.
func (s *partial) dependsOn(e program.Expr) []dependency {
	var on []dependency
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			on = union(on, s.deps[r])
		}
	})
	return on
}

// union is without duplicates; it may share memory with x or y.
func union(x, y []dependency) []dependency {
	if len(x) == 0 {
		return y
	}
	for _, e := range y {
		if !slices.Contains(x, e) {
			x = append(slices.Clip(x), e)
		}
	}
	return x
}

// usual is how many events a test has besides initial writes.
const usual = 16

// start begins with the initial writes.
func (x *enumeration) start() {
	s := x.spare()
	defer x.release(s)
	events := s.first
	if cap(events) < len(x.cells)+usual {
		events = make([]memory.Event, 0, len(x.cells)+usual)
	}
	*s = partial{g: s.g, order: make([][]int, len(x.cells))}
	none := memory.Graph{Picks: x.p.Arch.Picks(), Events: events}
	none.ForkInto(s.g)
	for i, c := range x.cells {
		if len(s.g.Events) > maxEvents {
			x.stop(ErrLong)
			return
		}
		if x.accessed[i] {
			w := s.g.Add(memory.Event{
				Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init, Loc: c.Name, Mark: c.Mark, Members: c.Members})
			s.order[i] = []int{w}
		}
	}
	s.regs = make([][]int64, len(x.threads))
	x.enter(s)
	s.first = events
}

// enter begins the thread s.run, if there is one more.
func (x *enumeration) enter(s *partial) {
	if s.run == len(x.threads) {
		x.complete(s)
		return
	}
	t := &x.threads[s.run]
	s.pc, s.rounds, s.section, s.exclusive, s.linked = t.Initial, 0, 0, -1, -1
	s.deps, s.ctrl = make([][]dependency, len(t.Regs)), nil
	s.regs[s.run] = make([]int64, len(t.Regs))
	for r := range t.Regs {
		s.regs[s.run][r] = t.Regs[r].Init
	}
	x.step(s)
}

// over is true where nothing more is to be done.
func (x *enumeration) over() bool {
	if !x.stopped {
		if err := x.ctx.Err(); err != nil {
			x.stop(err)
		}
	}
	return x.stopped
}

func (x *enumeration) stop(err error) { x.stopped, x.err = true, err }

// follow goes on with n, which is held until all that comes of it is done.
func (x *enumeration) follow(n *partial, then func(*partial)) {
	size := n.g.Bytes()
	x.held += size
	x.met++
	x.work += int64(len(n.g.Events))
	switch {
	case x.graphs > 0 && x.met > x.graphs, x.most > 0 && x.work > x.most:
		x.stop(ErrMany)
	case x.held > x.limit:
		x.stop(ErrMemory)
	default:
		then(n)
	}
	x.held -= size
}

// step goes on from a control state.
func (x *enumeration) step(s *partial) {
	if x.steps++; x.steps > maxSteps || len(s.g.Events) > maxEvents {
		x.stop(ErrLong)
	}
	defer func() { x.steps-- }()
	if x.over() {
		return
	}
	s.decided()
	t := &x.threads[s.run]
	out := t.out[s.pc]
	switch kind := t.States[s.pc].Kind; {
	case kind == program.GivenUp:
		return // the execution has no end to be judged
	case kind == program.Unstarted:
		n := x.clone(s) // one in which nobody starts the thread
		n.unstarted = append(slices.Clip(n.unstarted), x.cellAt(t.StartCell(s.pc)))
		x.leave(n)
		x.release(n)
	case len(out) == 0:
		x.leave(s)
		return
	}
	for i, e := range out {
		if t.loops.Wait[e] && x.skipWaits {
			continue
		}
		n := s
		if i < len(out)-1 {
			n = x.clone(s)
		}
		x.command(n, &t.Edges[e].Cmd, func(n *partial) {
			if t.loops.Back[e] {
				if n.rounds == x.backEdges { // unless no execution gets here
					x.cut = x.cut || !x.refuter.Refutes(n.g, true)
					return
				}
				n.rounds++
			}
			n.pc = t.Edges[e].To
			x.step(n)
		})
		if n != s {
			x.release(n)
		}
	}
}

// leave ends the running thread.
func (x *enumeration) leave(s *partial) {
	if s.section != 0 {
		if s.unclosed != 0 {
			return // the second one waits for the first for ever
		}
		s.unclosed = s.section
	}
	for _, o := range s.open {
		if !slices.Contains(x.values[s.run+1][o.cell], o.value) {
			return
		}
	}
	if s.run < len(x.threads)-1 && x.refuter.Refutes(s.g, true) {
		return
	}
	s.ends = append(s.ends, s.pc)
	s.run++
	x.enter(s)
}

// complete judges a graph to which nothing is to be added, and is false where it is that of no execution.
func (x *enumeration) complete(s *partial) bool {
	if ok, err := x.def.ConsistentContext(x.ctx, s.g); err != nil {
		x.stop(err)
		return true
	} else if !ok || s.unclosed != 0 && !last(s.g, s.unclosed) {
		return false
	}
	final := verdict.FinalState{Regs: make([][]int64, len(x.threads)), Memory: make([]int64, len(x.shown))}
	for k, t := range x.threads {
		final.Regs[t.index] = slices.Clone(s.regs[k])
	}
	value := func(cell int) int64 {
		if ws := s.order[cell]; len(ws) > 0 {
			return s.g.Events[ws[len(ws)-1]].Value
		}
		return x.cells[cell].Init
	}
	for _, i := range s.unstarted {
		if value(i) != 0 {
			return false
		}
	}
	for i, c := range x.shown {
		final.Memory[i] = value(x.cellAt(c.Addr))
	}
	if x.judge != nil {
		for k, t := range x.threads {
			x.end.PC[t.index] = s.ends[k]
			copy(x.end.Regs[t.index], s.regs[k])
		}
		for i := range x.cells {
			x.end.Mem[i] = value(i)
		}
		if !x.judge.Counts(x.end) {
			return true
		}
	}
	for t, th := range x.p.Threads {
		for r := range th.Regs {
			if th.Regs[r].Temp {
				final.Regs[t][r] = 0
			}
		}
	}
	if !x.yield(s.g, final) {
		x.stopped = true
	}
	return true
}

// last is true where no event is after the block in the order of memory: a lock
// that is never given back keeps all others out.
func last(g *memory.Graph, block int) bool {
	after := g.RF.Union(g.CO).Union(g.RF.Inverse().Sequence(g.CO))
	for _, p := range after.Pairs() {
		if g.Events[p[0]].Block == block && g.Events[p[1]].Block != block {
			return false
		}
	}
	return true
}
