package trust

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A structure is events of several runs of threads, of which each is known by what it is, what
// comes before it in its run, and, of a read, the write that justifies it.
type structure struct {
	nodes []node
	index map[node]int32
}

// A node is an event of a structure. Events with numbers from 1; 0 is none.
type node struct {
	thread, before int32 // of an initial write: none, 0
	kind           kind
	half           bool
	cell           int32
	value          int64
	class          *class
	cmd            *program.Command
	justified      int32 // of a read: by that write
}

func newStructure() structure { return structure{nodes: make([]node, 1), index: map[node]int32{}} }

// name finds out what event e of g is, given that it is known of those before it.
func (s *structure) name(g *graph, e int32) int32 {
	ev := &g.events[e]
	if ev.node != 0 || ev.kind == choice {
		return ev.node
	}
	n := node{thread: ev.thread, kind: ev.kind, half: ev.half, cell: ev.cell, value: ev.value, class: ev.class, cmd: ev.cmd}
	if ev.thread == none {
		n.class = nil
	}
	for i := ev.index - 1; i >= 0; i-- {
		if before := g.threads[ev.thread][i]; g.events[before].kind != choice {
			n.before = s.name(g, before)
			break
		}
	}
	if ev.kind == read && ev.rf != none {
		n.justified = s.name(g, ev.rf)
	}
	ev.node = s.number(n)
	return ev.node
}

// rename makes the write n, if it is not 0, justify the read e.
func (s *structure) rename(g *graph, e, n int32) {
	if n == 0 {
		return
	}
	r := s.nodes[g.events[e].node]
	r.justified = n
	g.events[e].node = s.number(r)
}

// number is that of an event, which may be new.
func (s *structure) number(n node) int32 {
	if s.index[n] == 0 {
		s.index[n] = int32(len(s.nodes))
		s.nodes = append(s.nodes, n)
	}
	return s.index[n]
}

// all does so for all events of a graph without cycles.
func (s *structure) all(g *graph) {
	for e := range g.events {
		s.name(g, int32(e))
	}
}

// justify finds out whether the promises that were met make g an execution of Weakestmo2: it
// builds the event structure that they are part of, finds a coherence order for it, and tests
// all axioms of the model. It returns the first that does not hold, or "". g has a name for
// each of its events.
//
// The links are those that are needed at first, and then all. What an event is called says how it
// came about, which may be more roundabout than it need be: a read may have read a promise,
// where it could as well read the write that keeps it. So if need be as many reads as
// possible do.
func (s *structure) justify(g *graph, chain *link) string {
	why := s.linked(g, chain)
	if why == "" {
		return ""
	}
	c := g.clone()
	for e := range c.events {
		if c.events[e].thread != none {
			c.events[e].node = 0
		}
	}
	tries := 100
	if s.anew(g, c, nil, chain, &tries) {
		return ""
	}
	return why
}

// anew finds names for the events of c, which is g without names: reads are justified by what
// they read from, but for as few as can be, whose promises are the links.
func (s *structure) anew(g, c *graph, links []*link, chain *link, tries *int) bool {
	var named []int32
	defer func() {
		for _, e := range named {
			c.events[e].node = 0
		}
	}()
	ready := func(e int32) bool { // but for what it reads from
		ev := &c.events[e]
		if ev.thread == none || ev.node != 0 || ev.kind == choice {
			return false
		}
		for i := ev.index - 1; i >= 0; i-- {
			if o := &c.events[c.threads[ev.thread][i]]; o.kind != choice {
				return o.node != 0
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for e := range c.events {
			if ev := &c.events[e]; ready(int32(e)) && (ev.kind != read || c.events[ev.rf].node != 0) {
				s.name(c, int32(e))
				named = append(named, int32(e))
				changed = true
			}
		}
	}
	open := false
	for e := range c.events {
		ev := &c.events[e]
		open = open || ev.node == 0 && ev.kind != choice
		if !ready(int32(e)) {
			continue
		}
		// It has to read a promise; which one, is as it was.
		was := s.nodes[g.events[e].node].justified
		n := node{thread: ev.thread, kind: read, half: ev.half, cell: ev.cell, value: ev.value, class: ev.class, cmd: ev.cmd, justified: was}
		for i := ev.index - 1; i >= 0; i-- {
			if o := &c.events[c.threads[ev.thread][i]]; o.kind != choice {
				n.before = o.node
				break
			}
		}
		ev.node = s.number(n)
		found := s.anew(g, c, append(slices.Clip(links), &link{issued: was, met: ev.rf}), chain, tries)
		if ev.node = 0; found {
			return true
		}
	}
	if open {
		return false
	}
	if *tries--; *tries < 0 {
		return false
	}
	var kept *link
	for _, l := range links {
		kept = &link{prev: kept, issued: l.issued, met: c.events[l.met].node}
	}
	if s.linked(c, kept) == "" {
		return true
	}
	for l := chain; l != nil; l = l.prev {
		kept = &link{prev: kept, issued: l.issued, met: l.met}
	}
	return s.linked(c, kept) == ""
}

// linked is the first axiom that does not hold of the structure of g and the links, or "".
func (s *structure) linked(g *graph, chain *link) string {
	var all, needed []*link
	for l := chain; l != nil; l = l.prev {
		all = append(all, l)
	}
	in := s.closure(g, nil)
	for changed := true; changed; {
		changed = false
		for _, l := range all {
			if in[l.issued] && !slices.Contains(needed, l) {
				needed = append(needed, l)
				in = s.closure(g, needed)
				changed = true
			}
		}
	}
	why := s.part(g, needed).refuted()
	if why != "" && len(needed) < len(all) {
		if s.part(g, all).refuted() == "" {
			return ""
		}
	}
	return why
}

// closure is what g and the links come of.
func (s *structure) closure(g *graph, links []*link) []bool {
	in := make([]bool, len(s.nodes))
	var add func(n int32)
	add = func(n int32) {
		if n != 0 && !in[n] {
			in[n] = true
			add(s.nodes[n].before)
			add(s.nodes[n].justified)
		}
	}
	for e := range g.events {
		if g.events[e].kind != choice {
			add(g.events[e].node)
		}
	}
	for _, l := range links {
		add(l.issued)
		add(l.met)
	}
	return in
}

// A justification is an event structure, with all that the axioms speak of, but coherence.
type justification struct {
	nodes          []node
	po, jf, ew, rf memory.Relation
	cf, hb         memory.Relation
	order          [][]int // by cell: classes of writes as the graph has them, the initial one first
	class          []int   // by write: the least of those that are equal
	wrong          string
}

// part is the structure of g and the links.
func (s *structure) part(g *graph, links []*link) *justification {
	in := s.closure(g, links)
	at := make([]int, len(s.nodes))
	j := &justification{}
	for n := range s.nodes {
		if in[n] {
			at[n] = len(j.nodes)
			j.nodes = append(j.nodes, s.nodes[n])
		}
	}
	n := len(j.nodes)
	j.po, j.jf, j.ew, j.cf = memory.NewRelation(n), memory.NewRelation(n), memory.NewRelation(n), memory.NewRelation(n)
	for b, e := range j.nodes {
		for a := e.before; a != 0; a = s.nodes[a].before {
			j.po.Add(at[a], b)
		}
		if e.kind == read {
			j.jf.Add(at[e.justified], b)
		}
		for a, o := range j.nodes {
			if o.thread == none && e.thread != none {
				j.po.Add(a, b)
			}
		}
	}
	for b, e := range j.nodes {
		for a, o := range j.nodes {
			if a == b || e.thread == none || o.thread != e.thread || j.po.Has(a, b) || j.po.Has(b, a) {
				continue
			}
			j.cf.Add(a, b)
			if o.before == e.before && (o.kind != read || e.kind != read || o.class.order != relaxed || e.class.order != relaxed) {
				j.wrong = "runs part at what is no relaxed read"
			}
		}
	}
	for _, l := range links {
		j.ew.Add(at[l.issued], at[l.met])
		j.ew.Add(at[l.met], at[l.issued])
	}
	equal := j.ew.Star()
	j.rf = equal.Sequence(j.jf).Difference(j.cf)
	for e := range g.events {
		if ev := &g.events[e]; ev.kind == read && !j.rf.Has(at[g.events[ev.rf].node], at[ev.node]) {
			j.wrong = "a read has another write"
		}
	}
	j.class = make([]int, n)
	for a := range j.nodes {
		j.class[a] = a
		for b := range a {
			if equal.Has(a, b) {
				j.class[a] = b
				break
			}
		}
	}
	for _, ws := range g.co {
		var order []int
		for _, w := range ws {
			order = append(order, j.class[at[g.events[w].node]])
		}
		j.order = append(j.order, order)
	}
	j.happens()
	return j
}

// set is the events of which f is true.
func (j *justification) set(f func(e *node) bool) memory.Relation {
	s := memory.NewSet(len(j.nodes))
	for i := range j.nodes {
		if f(&j.nodes[i]) {
			s.Add(i)
		}
	}
	return s.Identity()
}

// happens finds happens-before.
func (j *justification) happens() {
	has := func(o order) func(e *node) bool {
		return func(e *node) bool { return e.class != nil && e.class.order&o == o }
	}
	fences := j.set(func(e *node) bool { return e.kind == fence })
	rmw := memory.NewRelation(len(j.nodes))
	for b := range j.nodes {
		if e := &j.nodes[b]; e.kind == write && e.half {
			for a := range j.nodes {
				if o := &j.nodes[a]; o.kind == read && o.half && o.thread == e.thread && j.po.Has(a, b) && j.depth(a)+1 == j.depth(b) {
					rmw.Add(a, b)
				}
			}
		}
	}
	read := j.set(func(e *node) bool { return e.kind == read && has(relaxed)(e) })
	written := j.set(func(e *node) bool { return e.kind == write && has(relaxed)(e) })
	released := j.set(has(release)).Sequence(fences.Sequence(j.po).Optional())
	acquired := j.po.Sequence(fences).Optional().Sequence(j.set(has(acquire)))
	chain := j.jf.Sequence(rmw).Star()
	sw := released.Sequence(written).Sequence(chain).Sequence(j.jf).Sequence(read).Sequence(acquired)
	j.hb = j.po.Union(sw).Plus()
}

// depth is how many events come before one.
func (j *justification) depth(e int) int {
	n := 0
	for a := range j.nodes {
		if j.po.Has(a, e) {
			n++
		}
	}
	return n
}

// refuted is the first axiom that does not hold, or "".
//
// No-bait-and-switch is printed as (jf \ (jf?; hb)); po; ew in jf; (po | lbpatt). Read as it stands,
// any run will do that reads from the same write, and parts there from the one that has
// promised, even if it promises nothing itself. What is meant (section 3.2, and the proof of
// lemma D.20) is that read itself: it parts the two runs, or its write is read in both.
func (j *justification) refuted() string {
	n := len(j.nodes)
	maybe := func(r memory.Relation) memory.Relation { return r.Optional() }
	within := func(r, s memory.Relation) bool { return r.Difference(s).Empty() }
	ecf := maybe(j.hb.Inverse()).Sequence(j.cf).Sequence(maybe(j.hb))
	external := j.jf.Difference(j.po)
	ordered := j.po.Union(j.jf)
	jo := external.Sequence(ordered.Star())
	fences := j.set(func(e *node) bool { return e.kind == fence && e.class.order&orders != 0 })
	acquiring := j.set(func(e *node) bool { return e.kind == read && e.class.order&acquire != 0 })
	barrier := external.Sequence(acquiring).Union(fences).Sequence(j.po)
	equal := j.ew.Plus()
	justified := j.cf.Intersection(jo.Union(jo.Inverse())).Plus()
	local := j.jf.Intersection(maybe(j.jf).Sequence(j.hb))
	parted := j.cf.Difference(j.cf.Sequence(j.po).Union(j.po.Inverse().Sequence(j.cf)))
	buffering := parted.Sequence(local.Range().Identity()).Sequence(j.po)
	writes := true
	for _, p := range j.ew.Pairs() {
		a, b := &j.nodes[p[0]], &j.nodes[p[1]]
		writes = writes && a.kind == write && b.kind == write && a.cell == b.cell && a.value == b.value &&
			a.class.order == relaxed && b.class.order == relaxed && j.cf.Has(p[0], p[1])
	}
	switch {
	case j.wrong != "":
		return j.wrong
	case !writes:
		return "writes that are not equal"
	case !ecf.Irreflexive():
		return "non-contradictory"
	case !j.jf.Intersection(ecf).Empty():
		return "well-justified"
	case !ordered.Acyclic():
		return "no-thin-air"
	case !within(barrier.Sequence(equal), barrier):
		return "well-fenced"
	case !within(j.cf.Intersection(jo), equal.Sequence(maybe(j.po.Union(j.po.Inverse())))):
		return "certified"
	case !within(j.ew, justified):
		return "grounded"
	case !within(j.jf.Difference(local).Range().Identity().Sequence(j.po).Sequence(j.ew), j.jf.Inverse().Sequence(j.jf).Sequence(j.po).Union(buffering)):
		return "no-bait-and-switch"
	}
	for cell, order := range j.order {
		var rest []int
		for i := range n {
			if e := &j.nodes[i]; e.kind == write && int(e.cell) == cell && j.class[i] == i && !slices.Contains(order, i) {
				rest = append(rest, i)
			}
		}
		tries := 20_000
		if !j.cohere(cell, order, rest, &tries) {
			return fmt.Sprintf("coherent (%d)", tries)
		}
	}
	return ""
}

// cohere is whether the rest of the classes of writes to a cell find places in coherence.
func (j *justification) cohere(cell int, order, rest []int, tries *int) bool {
	if len(rest) > 0 {
		for k := len(order); k > 0; k-- {
			if j.cohere(cell, slices.Insert(slices.Clone(order), k, rest[0]), rest[1:], tries) {
				return true
			}
		}
		return false
	}
	if *tries--; *tries < 0 {
		return false
	}
	n := len(j.nodes)
	place := map[int]int{}
	for i, c := range order {
		place[c] = i
	}
	co := memory.NewRelation(n)
	for a := range j.nodes {
		for b := range j.nodes {
			x, y := &j.nodes[a], &j.nodes[b]
			if x.kind == write && y.kind == write && int(x.cell) == cell && int(y.cell) == cell && place[j.class[a]] < place[j.class[b]] {
				co.Add(a, b)
			}
		}
	}
	fr := j.rf.Inverse().Sequence(co)
	eco := j.rf.Union(co).Union(fr).Plus()
	return j.hb.Sequence(eco.Optional()).Irreflexive()
}

// certificates are the runs in which promises were made, the first first.
func (w *weak) certificates(chain *link) (all []verdict.Certificate) {
	s := &w.events
	for l := chain; l != nil; l = l.prev {
		all = append(all, w.certificate(s, l.issued))
	}
	slices.Reverse(all)
	return all
}

// certificate is the run of a thread that ends in a promise.
func (w *weak) certificate(s *structure, promise int32) verdict.Certificate {
	x := w.x
	c := verdict.Certificate{Thread: int(s.nodes[promise].thread)}
	for n := promise; n != 0; n = s.nodes[n].before {
		e := &s.nodes[n]
		m := memory.Event{Thread: c.Thread, Kind: memory.Read, Tags: e.class.tags, Pos: e.cmd.Pos, Text: e.cmd.Format(x.p, x.p.Threads[c.Thread])}
		source := ""
		switch e.kind {
		case write:
			m.Kind = memory.Write
		case fence:
			m.Kind = memory.Fence
		default:
			switch src := s.nodes[e.justified]; src.thread {
			case none:
				source = "the initial value"
			case e.thread:
				source = "its own write"
			default:
				source = x.p.Threads[src.thread].Name
			}
		}
		if e.kind != fence {
			cell := &x.ranges.Cells[e.cell]
			m.Addr, m.Value, m.Loc, m.Mark, m.Members = cell.Addr, e.value, cell.Name, cell.Mark, cell.Members
		}
		c.Events, c.Sources = append(c.Events, m), append(c.Sources, source)
	}
	slices.Reverse(c.Events)
	slices.Reverse(c.Sources)
	c.Promises = []int{len(c.Events) - 1}
	return c
}
