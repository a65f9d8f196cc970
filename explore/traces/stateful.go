package traces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// StatefulOptions say how to search with [Stateful]. The zero value means TSO, without
// bounds.
type StatefulOptions struct {
	Model memory.Model
	// NoLive keeps the values of dead registers.
	NoLive bool
	// Buffer bounds the store buffers, in pairs; 0: no bound.
	Buffer int
	// MemoryLimit bounds what the search may hold, in bytes; 0: three quarters of
	// what the machine has free, or all of the Budget that it is a part of, where
	// that is not nil.
	MemoryLimit int64
	Budget      *states.Budget
	// MaxStates bounds how many states are stored; 0: no bound.
	MaxStates int64
	// Progress, where not nil, is called now and then with a line that says how far
	// the search is.
	Progress func(line string)
	// Found is that of [Options].
	Found func(*abstract.State)
}

// Stateful searches the states of p for a violation of its properties and assertions,
// by dynamic partial-order reduction with a set of visited states. Unlike [Explore] it
// is for loops over finitely many states. Where stores in a loop make them infinitely
// many, it may follow one thread for ever: bound the buffers.
func Stateful(ctx context.Context, p *program.Program, opts StatefulOptions) (*verdict.Result, error) {
	start := time.Now()
	r, err := newStateful(ctx, p, opts)
	if err != nil {
		return verdict.Early(ctx, p, cmp.Or(opts.Model, memory.TSO), err)
	}
	defer r.budget.Close()
	if err := r.run(); err != nil {
		return nil, err
	}
	res, err := r.result()
	if err != nil {
		return nil, err
	}
	res.Engine, res.Elapsed = "stateful-dpor", time.Since(start)
	return res, nil
}

// stateful is stateful dynamic partial-order reduction. At each state s a set
// X(s) of processes is explored, which grows as the search sees what comes after.
// Sum(s) says for each process what its events access in the part of the graph
// that has been explored from s, its next event at each state included, whether
// that is enabled or not. Both grow until
//
//   - Sum(s) contains Sum(s1) for every explored event from s to s1,
//   - where an event of p has been explored from s to s1, every other process q
//     with something in Sum(s1) in conflict with it is in X(s), or, if q is not
//     enabled in s, every process is that is,
//   - every cycle has a state where every process is in X(s) that is enabled
//     (condition C3 of the thesis' fig. 2.13).
//
// What a process accesses next is a function of the control state, the registers
// and the buffer of its thread alone: of an Atomic it is all cells that it may
// access, as far as what it loads has a say in that.
//
// Then every run w from s is the beginning of an explored one, up to the order of
// independent events. By induction over the length of w, and for equal lengths
// over the longest path of states that are not expanded fully, which is finite by
// the third condition: let w = f1 .. fn. Where all processes are in X(s), f1 is
// explored. Else suppose that fj is the first of a process outside of X(s) to be
// in conflict with a next event e of X(s), while those before are neither of X(s)
// nor in conflict. f1 .. f(j-1) is shorter than w and possible after e, so that a
// run that begins with it is explored from there. It leads past a state where the
// process of fj has fj for its next event, so that Sum has it, against the second
// condition. So w has an event of X(s), and the first one can be brought to the
// front; or it has none, and w is possible after any event of X(s), as before.
//
// What is local is no state of its own: a thread goes on to its next event that
// is not, or to the next retreating edge. All visible events are in conflict with
// each other, so that the explored run has a state where a Forbid property has
// the value that it has after w.
type stateful struct {
	session
	*processes
	opts   StatefulOptions
	layout *states.Layout
	dead   [][][]flow.Reset

	set       *states.Flat
	nodes     []statefulNode
	sets      []uint64 // by node: which processes are enabled, then X
	sums      []uint64 // by node and process: what is read, what is written
	into      []inEdge
	todo      []task
	first     int     // the first of todo that has not been done
	changed   []int32 // nodes whose Sum has grown
	queued    []bool  // by node: whether it is among them
	setSize   int     // in words
	sumSize   int     // likewise: of one process and one kind
	cyclic    bool    // whether some thread has a loop
	round     int32   // how often closes was asked
	ancestors []int32 // in closes
	maxEdges  int     // how many there are numbers for; of nodes there are fewer
	// shared is the words by which a thread and its own flushes can be in
	// conflict: a load takes the value of the own store from the buffer and
	// from memory.
	shared []uint64

	cur, next *abstract.State
	from      *abstract.State  // in follow
	before    []abstract.Event // what is quiet before the first node
	foot      []uint64
	accesses  []abstract.Access
	words     []uint64
	trace     []abstract.Event
	target    []uint64 // as in search
	hit       bool

	transitions int64
	maxDepth    uint32
	tries, poll int64
	full        bool
	violated    bool
	at          int32 // the node of the violation, and what comes after it
	end         []abstract.Event
}

// A statefulNode is a state. In the header of its record, its number plus one is
// in place of the parent.
type statefulNode struct {
	record states.Ref
	from   int32 // the node that led to it first, or -1
	via    int32 // the process whose event led to it first
	into   int32 // the first of a list of the edges that lead here, or -1
	round  int32 // when closes has met it last
}

// An inEdge is an explored edge of the graph: an event of process proc of node
// from, whose footprint is that of the process there.
type inEdge struct {
	from, proc, next int32
}

// A task is to explore the events of a process from a node.
type task struct {
	node, proc int32
}

func newStateful(ctx context.Context, p *program.Program, opts StatefulOptions) (*stateful, error) {
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	ses, ps, asked, err := begin(ctx, p, opts.Model, opts.Buffer, opts.Found)
	if err != nil {
		return nil, err
	}
	ses.budget, ses.pulse = states.Within(opts.Budget, opts.MemoryLimit), verdict.NewPulse(opts.Progress)
	x := ps.x
	r := &stateful{session: ses, processes: ps, opts: opts,
		set: states.NewFlat(ses.budget), layout: states.NewLayout(x), dead: flow.NoneDead(p),
		cur: x.NewState(), next: x.NewState(), from: x.NewState(), maxEdges: math.MaxInt32 - 1,
	}
	if !opts.NoLive {
		r.dead = flow.Dead(asked, opts.Found != nil)
	}
	for _, back := range r.back {
		r.cyclic = r.cyclic || slices.Contains(back, true)
	}
	r.setSize = (r.count() + 63) / 64
	n := r.processes.words() + r.threads
	r.sumSize = (n + 63) / 64
	r.foot = make([]uint64, 2*r.sumSize)
	r.shared = make([]uint64, r.sumSize)
	for w := r.cells; w < n; w++ {
		r.shared[w/64] |= 1 << (w % 64)
	}
	return r, nil
}

func (r *stateful) done() bool { return r.violated || r.stopped != "" || r.err != nil }

func (r *stateful) run() error {
	r.x.Initial(r.next)
	for t := 0; t < r.threads && !r.done(); t++ {
		r.advance(t)
	}
	if r.done() { // an assertion fails at once
		r.at, r.end = -1, slices.Clone(r.trace)
		return r.err
	}
	r.before = slices.Clone(r.trace)
	r.trace = r.trace[:0]
	r.reach(-1, -1)
	// First in, first out, which makes for short runs; the three conditions
	// hold at the end whatever the order.
	for !r.done() && r.first < len(r.todo) {
		k := r.todo[r.first]
		if r.first++; r.first >= 1024 && r.first > len(r.todo)/2 {
			r.todo = r.todo[:copy(r.todo, r.todo[r.first:])]
			r.first = 0
		}
		r.expand(k.node, int(k.proc))
		r.propagate()
	}
	return r.err
}

// state unpacks the state of a node.
func (r *stateful) state(s *abstract.State, node int32) {
	_, words := r.set.Record(r.nodes[node].record)
	r.layout.Unpack(words, s)
}

func (r *stateful) enabledAt(node int32) []uint64 {
	return r.sets[2*int(node)*r.setSize:][:r.setSize]
}

func (r *stateful) exploredAt(node int32) []uint64 {
	return r.sets[(2*int(node)+1)*r.setSize:][:r.setSize]
}

// sum is what Sum of a node has for a process: the words read, and those written.
func (r *stateful) sum(node int32, p int) []uint64 {
	return r.sums[(int(node)*r.count()+p)*2*r.sumSize:][:2*r.sumSize]
}

// footprint makes r.foot what process p may access next in s.
func (r *stateful) footprint(s *abstract.State, p int) {
	clear(r.foot)
	read := func(w int) { r.foot[w/64] |= 1 << (w % 64) }
	write := func(w int) { r.foot[r.sumSize+w/64] |= 1 << (w % 64) }
	buffer := func(t int) int { return r.processes.words() + t }
	t := r.thread(p)
	toMemory := func(c int) {
		write(c)
		if r.visible.Cells[c] {
			write(r.visibleWord())
		}
	}
	if p >= r.threads {
		f := &r.flusher[p-r.threads]
		n := r.flush(s, f)
		if n < 0 {
			return
		}
		toMemory(r.x.Buffer.Flushed(&s.Buf[t], int(n)).Cell)
		write(buffer(t))
		if r.locks {
			read(r.lockWord())
		}
		return
	}
	gs := r.control[t][s.PC[t]]
	for i := range gs {
		for _, e := range gs[i].edges {
			ed := r.edge(t, e)
			if r.visible.Edge(t, ed) {
				write(r.visibleWord())
			}
			immediate := r.x.Buffer.Immediate() || ed.Cmd.Op == program.Atomic
			for _, a := range r.reachable(s, t, &ed.Cmd) {
				switch {
				case !a.Store:
					read(a.Cell)
				case immediate:
					toMemory(a.Cell)
				}
			}
			switch ed.Cmd.Op {
			case program.Lock, program.Unlock:
				write(r.lockWord())
			case program.Load, program.Atomic:
				if r.locks {
					read(r.lockWord())
				}
			case program.Store:
				if r.locks && immediate {
					read(r.lockWord())
				}
				// How full the buffer gets depends on the flushes.
				if r.x.Capacity > 0 {
					read(buffer(t))
				}
			}
			// Whether there is a way beside one that waits for the buffer.
			switch ed.Cmd.Op {
			case program.Fence, program.Lock, program.Unlock, program.Atomic:
				if len(gs) > 1 {
					read(buffer(t))
				}
			}
		}
	}
}

// reachable is the accesses that a command of thread t may have in s, whatever is
// in the memory.
func (r *stateful) reachable(s *abstract.State, t int, c *program.Command) []abstract.Access {
	r.accesses = r.accesses[:0]
	env := &program.Env{Reg: func(reg program.Reg) int64 { return s.Regs[t][reg] }}
	written := program.NewRegSet(len(s.Regs[t]))
	one := func(c *program.Command) {
		if c.Op == program.Load || c.Op == program.Store {
			local := true
			program.Walk(c.Addr, func(e program.Expr) {
				if reg, ok := e.(program.Reg); ok && written.Has(int(reg)) {
					local = false
				}
			})
			cells := r.x.Ranges.Access[c]
			if local {
				if i := r.x.Ranges.CellIndex(program.Eval(c.Addr, env)); i >= 0 {
					r.accesses = append(r.accesses, abstract.Access{Cell: i, Store: c.Op == program.Store})
					cells = nil
				}
			}
			for _, i := range cells {
				r.accesses = append(r.accesses, abstract.Access{Cell: i, Store: c.Op == program.Store})
			}
		}
		c.Writes(written.Add)
	}
	if c.Op != program.Atomic {
		one(c)
	}
	for i := range c.Body {
		one(&c.Body[i])
	}
	return r.accesses
}

// conflict is true where what process q does according to sum is in conflict
// with the next event of p, whose footprint is r.foot.
func (r *stateful) conflict(sum []uint64, q, p int) bool {
	own := r.thread(p) == r.thread(q)
	for i := range r.sumSize {
		reads, writes := sum[i], sum[r.sumSize+i]
		c := writes&(r.foot[i]|r.foot[r.sumSize+i]) | reads&r.foot[r.sumSize+i]
		if own {
			c &= r.shared[i]
		}
		if c != 0 {
			return true
		}
	}
	return false
}

// explore puts process p, or if it is not enabled there every process, into X.
func (r *stateful) explore(node int32, p int) {
	if r.enabledAt(node)[p/64]>>(p%64)&1 == 0 {
		r.exploreAll(node)
		return
	}
	if x := r.exploredAt(node); x[p/64]>>(p%64)&1 == 0 {
		x[p/64] |= 1 << (p % 64)
		var ok bool
		if r.todo, ok = states.Grow(r.budget, r.todo, 1); !ok {
			r.outOfMemory()
			return
		}
		r.todo = append(r.todo, task{node, int32(p)})
	}
}

func (r *stateful) exploreAll(node int32) {
	for p := r.count() - 1; p >= 0; p-- {
		if r.enabledAt(node)[p/64]>>(p%64)&1 != 0 {
			r.explore(node, p)
		}
	}
}

// expand explores the events of process p from a node.
func (r *stateful) expand(node int32, p int) {
	r.state(r.cur, node)
	try := func(ev abstract.Event) {
		if r.done() || r.hit {
			return
		}
		if r.tries++; r.tries >= r.poll && r.target == nil {
			r.look()
		}
		r.next.Copy(r.cur)
		r.trace = r.trace[:0]
		if r.take(ev) {
			if p < r.threads {
				r.advance(p)
			}
			if !r.done() {
				r.reach(node, p)
			}
		}
		if r.violated {
			r.at, r.end = node, slices.Clone(r.trace)
		}
	}
	if p >= r.threads {
		f := &r.flusher[p-r.threads]
		if n := r.flush(r.cur, f); n >= 0 {
			try(abstract.Event{Thread: f.thread, Edge: abstract.Flush, Choice: n})
		}
		return
	}
	gs := r.control[p][r.cur.PC[p]]
	for i := range gs {
		for _, e := range gs[i].edges {
			for c := range r.x.Choices(p, e) {
				if r.done() || r.hit {
					return
				}
				try(abstract.Event{Thread: p, Edge: e, Choice: c})
			}
		}
	}
}

// take does a step in next. It is false where the step cannot be done or the run
// is not to go on.
func (r *stateful) take(ev abstract.Event) bool {
	if ev.Edge != abstract.Flush && !r.possible(ev) {
		return false
	}
	r.trace = append(r.trace, ev)
	r.transitions++
	switch r.x.Take(r.next, ev) {
	case abstract.Done:
	case abstract.Failed:
		r.violated = r.target == nil
		return false
	default:
		r.err = r.x.StrayError(ev)
		return false
	}
	if ev.Edge != abstract.Flush {
		for _, d := range r.dead[ev.Thread][ev.Edge] {
			r.next.Vals[d.At] = d.Value
		}
	}
	return true
}

// advance takes thread t in next to where it has a choice, or its next edge is
// not quiet or is retreating.
func (r *stateful) advance(t int) {
	for r.ways(r.next, t) == 1 {
		g, choice := r.way(r.next, t, 0)
		if !g.quiet || r.back[t][g.edges[0]] || !r.take(abstract.Event{Thread: t, Edge: g.edges[0], Choice: choice}) {
			return
		}
	}
}

// reach stores next, which an event of process p leads to from a node, if it is
// new, and notes the edge.
func (r *stateful) reach(from int32, p int) {
	var ok bool
	if r.words, ok = r.layout.Pack(r.words, r.next); !ok {
		r.err = r.layout.Outside(r.x, r.next)
		return
	}
	if r.target != nil {
		r.hit = slices.Equal(r.words, r.target)
		return
	}
	depth := uint32(len(r.trace))
	if from >= 0 {
		head, _ := r.set.Record(r.nodes[from].record)
		depth += states.DepthOf(head)
	}
	id, out := r.set.Add(r.words, states.Ref(len(r.nodes)+1), depth)
	var node int32
	switch out {
	case states.Refused:
		r.outOfMemory()
		return
	case states.Known:
		head, _ := r.set.Record(id)
		node = int32(states.ParentOf(head)) - 1
		if from >= 0 && r.closes(from, node) {
			r.exploreAll(from)
		}
	default:
		if node = r.add(from, p, id, depth); node < 0 {
			return
		}
	}
	if from < 0 || r.done() {
		return
	}
	if len(r.into) >= r.maxEdges {
		r.stop("the limit on the number of edges", "search with another reduction")
		return
	}
	if r.into, ok = states.Grow(r.budget, r.into, 1); !ok {
		r.outOfMemory()
		return
	}
	r.into = append(r.into, inEdge{from, int32(p), r.nodes[node].into})
	r.nodes[node].into = int32(len(r.into) - 1)
	r.follow(from, p, node)
}

// maxAncestors is how many nodes are looked at to find out whether an edge closes
// a cycle.
const maxAncestors = 256

// closes is true where an edge from a node to one that was there before may close
// a cycle. The edge of a cycle that comes last always does.
func (r *stateful) closes(from, to int32) bool {
	if !r.cyclic {
		return false
	}
	r.round++
	seen := append(r.ancestors[:0], from)
	for i := 0; i < len(seen); i++ {
		if seen[i] == to || i == maxAncestors {
			r.ancestors = seen
			return true
		}
		for k := r.nodes[seen[i]].into; k >= 0; k = r.into[k].next {
			if a := r.into[k].from; r.nodes[a].round != r.round {
				r.nodes[a].round = r.round
				seen = append(seen, a)
			}
		}
	}
	r.ancestors = seen
	return false
}

// add makes next, whose record is that with the ref, a new node.
func (r *stateful) add(from int32, p int, id states.Ref, depth uint32) int32 {
	if r.opts.MaxStates > 0 && int64(len(r.nodes)) >= r.opts.MaxStates {
		r.stop("the limit on the number of states", "allow more states")
		return -1
	}
	var room [4]bool
	r.nodes, room[0] = states.Grow(r.budget, r.nodes, 1)
	r.queued, room[1] = states.Grow(r.budget, r.queued, 1)
	r.sets, room[2] = states.Grow(r.budget, r.sets, 2*r.setSize)
	r.sums, room[3] = states.Grow(r.budget, r.sums, 2*r.sumSize*r.count())
	if slices.Contains(room[:], false) {
		r.outOfMemory()
		return -1
	}
	r.maxDepth = max(r.maxDepth, depth)
	node := int32(len(r.nodes))
	r.nodes = append(r.nodes, statefulNode{record: id, from: from, via: int32(p), into: -1})
	r.queued = append(r.queued, false)
	r.sets = append(r.sets, make([]uint64, 2*r.setSize)...)
	first := -1
	for q := range r.count() {
		r.footprint(r.next, q)
		r.sums = append(r.sums, r.foot...)
		if r.able(q) {
			r.enabledAt(node)[q/64] |= 1 << (q % 64)
			if first < 0 {
				first = q
			}
		}
	}
	if r.Forbidden(r.next) != nil {
		r.violated, r.at, r.end = true, node, nil
		return node
	}
	r.filled()
	switch {
	case first >= 0:
		r.explore(node, first)
	case !r.done():
		r.terminal(node)
	}
	return node
}

// able is true where process q has an event in next.
func (r *stateful) able(q int) bool {
	if q >= r.threads {
		f := &r.flusher[q-r.threads]
		return r.x.Flushes(r.next, f.thread) > 0 && r.flush(r.next, f) >= 0
	}
	for _, g := range r.control[q][r.next.PC[q]] {
		for _, e := range g.edges {
			if r.canTake(q, e) {
				return true
			}
		}
	}
	return false
}

// canTake is true where thread t can take edge e in next.
func (r *stateful) canTake(t, e int) bool {
	for c := range r.x.Choices(t, e) {
		if r.tries++; r.tries >= r.poll {
			r.look()
		}
		if r.done() {
			return false
		}
		if r.possible(abstract.Event{Thread: t, Edge: e, Choice: c}) {
			return true
		}
	}
	return false
}

// possible is true where a thread can do ev in next.
func (r *stateful) possible(ev abstract.Event) bool {
	if r.x.Enabled(r.next, ev.Thread, ev.Edge) != abstract.Done {
		return false
	}
	var out abstract.Outcome
	r.accesses, out = r.x.Accesses(r.accesses[:0], r.next, ev)
	return out != abstract.Disabled && (out != abstract.Failed || r.counts(r.next, ev))
}

// filled notes whether a buffer is as full as may be. Whether the reduced search
// meets a store that does not fit, where there is one, is open; but it meets the
// full buffer, as the stores of a thread are in conflict with its flushes.
func (r *stateful) filled() {
	for t := range r.next.Buf {
		r.full = r.full || r.x.Capacity > 0 && len(r.next.Buf[t].Pairs) >= r.x.Capacity
	}
}

// terminal judges next, from which no event leads on.
func (r *stateful) terminal(node int32) {
	switch {
	case !r.x.Final(r.next):
		if r.Deadlock(r.next) != nil && !r.choked() && !r.spins() {
			r.violated, r.at, r.end = true, node, nil
		}
		return
	case r.Ending(r.next) != nil:
		r.violated, r.at, r.end = true, node, nil
	}
}

// spins is true where a thread in next can go round in a loop that waits. It has
// nothing else to do.
func (r *stateful) spins() bool {
	for t := range r.threads {
		for _, e := range r.x.Out(t, r.next.PC[t]) {
			if r.waits[t][e] && r.canTake(t, e) {
				return true
			}
		}
	}
	return false
}

// choked is true where only the capacity keeps a thread from a store.
func (r *stateful) choked() bool {
	for t := range r.threads {
		for _, e := range r.x.Out(t, r.next.PC[t]) {
			if r.x.Enabled(r.next, t, e) == abstract.Full {
				return true
			}
		}
	}
	return false
}

// follow sees to the first two conditions for the edges of process p from a node
// to another.
func (r *stateful) follow(from int32, p int, to int32) {
	r.state(r.from, from)
	r.footprint(r.from, p)
	grown := false
	for q := range r.count() {
		sum, s := r.sum(to, q), r.sum(from, q)
		if q != p && r.conflict(sum, q, p) {
			r.explore(from, q)
		}
		for i, w := range sum {
			grown = grown || w&^s[i] != 0
			s[i] |= w
		}
	}
	if grown && !r.queued[from] {
		r.queued[from] = true
		r.changed = append(r.changed, from)
	}
}

// propagate carries what Sum has grown by backwards.
func (r *stateful) propagate() {
	for len(r.changed) > 0 && !r.done() {
		node := r.changed[len(r.changed)-1]
		r.changed = r.changed[:len(r.changed)-1]
		r.queued[node] = false
		for k := r.nodes[node].into; k >= 0 && !r.done(); k = r.into[k].next {
			if r.tries++; r.tries >= r.poll && r.target == nil {
				r.look()
			}
			r.follow(r.into[k].from, int(r.into[k].proc), node)
		}
	}
}

func (r *stateful) outOfMemory() { r.stop("the memory limit", "allow more memory") }

// look is done now and then: it stops the search where it has to, and reports
// progress.
func (r *stateful) look() {
	r.poll = r.tries + 1024
	if why, advice := verdict.Ended(r.ctx); why != "" {
		r.stop(why, advice)
		return
	}
	if r.budget.Over() {
		r.outOfMemory()
		return
	}
	r.pulse.Beat("%s, depth %d, %d MB", verdict.Number(int64(len(r.nodes)), "state"), r.maxDepth, r.budget.Used()>>20)
}

// result is what the search found.
func (r *stateful) result() (res *verdict.Result, err error) {
	stats := []verdict.Stat{ // before the evidence is sought
		{Name: "states", Value: int64(len(r.nodes))},
		{Name: "transitions", Value: r.transitions},
		{Name: "depth", Value: int64(r.maxDepth)},
		{Name: "bytes", Value: r.budget.Used()},
	}
	p := r.x.Program
	switch {
	case r.violated:
		if res, err = r.evidence(); err != nil {
			return nil, err
		}
	case r.stopped != "":
		res = verdict.Unknown(p, r.opts.Model, fmt.Sprintf("no violation among %s (depth up to %d); stopped by %s",
			verdict.Number(int64(len(r.nodes)), "state"), r.maxDepth, r.stopped))
		res.Advice = r.advice
		if r.cyclic && !r.x.Buffer.Immediate() && r.x.Capacity == 0 {
			res.Advice = "bound the store buffers, if a loop stores"
		}
	case r.full:
		res = verdict.Unknown(p, r.opts.Model, fmt.Sprintf("no violation with store buffers of up to %d stores", r.x.Capacity))
		res.Bound, res.BoundUnit = r.x.Capacity, "buffered stores"
		res.Advice = "allow more buffered stores"
	default:
		res = verdict.Safe(p, r.opts.Model, verdict.Exhaustive, nil)
	}
	res.Stats = stats
	return res, nil
}

// evidence is the answer that the violation that was found leads to.
func (r *stateful) evidence() (*verdict.Result, error) {
	end := r.end
	r.violated, r.stopped = false, ""
	events, err := r.path(r.at)
	if err != nil {
		return nil, err
	}
	return r.replay.Convict(append(events, end...))
}

// path is the events from the initial state to a node; -1 is before the first.
func (r *stateful) path(node int32) ([]abstract.Event, error) {
	var nodes []int32
	for ; node > 0; node = r.nodes[node].from {
		nodes = append(nodes, node)
	}
	if node < 0 {
		return nil, nil
	}
	slices.Reverse(nodes)
	events := slices.Clone(r.before)
	for _, to := range nodes {
		_, words := r.set.Record(r.nodes[to].record)
		n := r.layout.Unpack(words, r.next)
		r.target, r.hit = words[:n], false
		r.expand(node, int(r.nodes[to].via))
		if !r.hit {
			return nil, errors.New("internal error: a state is not among the successors of its parent")
		}
		events = append(events, r.trace...)
		node = to
	}
	return events, nil
}
