// Package cycles writes litmus tests as diy does: from cycles of relations between accesses.
// An architecture and a size go in, tests come out, each as the text that herd7 reads.
//
// A cycle goes round through accesses to memory. Each is related to the next by
// communication (it is read by it, or comes before it in coherence order) or by program
// order, perhaps with a fence or a dependency. Every edge between threads begins a new one,
// every program order between locations leads to a new one, and the condition of the test is
// that the cycle is there. Whoever forbids all such tests of a size has no cycles of it.
package cycles

import (
	"fmt"
	"slices"
	"strings"
)

// A kind is how an access is related to the next one.
type kind uint8

const (
	rfe  kind = iota // is read by it, in another thread
	fre              // reads what it overwrites, in another thread
	coe              // is overwritten by it, in another thread
	po               // comes before it, at another location
	pos              // comes before it, at the same one
	rfi              // is read by it
	fri              // reads what it overwrites
	coi              // is overwritten by it
	amo              // reads what it overwrites, in the same instruction
	last = amo
)

var kindNames = [...]string{"Rfe", "Fre", "Coe", "Pod", "Pos", "Rfi", "Fri", "Wsi", "Amo"}

func (k kind) external() bool { return k <= coe }

// from and to are whether the kind can lead from a write, or to one.
func (k kind) from(write bool) bool {
	switch k {
	case rfe, rfi, coe, coi:
		return write
	case fre, fri, amo:
		return !write
	}
	return true
}

func (k kind) to(write bool) bool {
	switch k {
	case rfe, rfi:
		return !write
	case fre, fri, coe, coi, amo:
		return write
	}
	return true
}

// follows is whether a kind may come after another in a cycle: what comes to the same as a
// shorter one may not.
func (k kind) follows(before kind) bool {
	com := func(k kind) bool { return k != po && k != pos }
	if k == pos && before == pos {
		return false
	}
	if !com(k) || !com(before) {
		return true
	}
	switch {
	case before == amo || k == amo:
		return !(before == amo && k == amo)
	case k == rfe:
		return before == coe || before == fre
	case k == rfi:
		return before == coe || before == fre
	case k == fri:
		return before == rfe
	}
	return false
}

// A node is an access, and how it is related to the next.
type node struct {
	write bool
	mode  int // of the architecture's for such accesses; 0: plain
	kind  kind
	deco  int // of the architecture's, on po and pos; 0: none
}

// A Cycle is what a test is made of.
type Cycle struct {
	arch  *Arch
	nodes []node
}

// Size is the accesses of the cycle and all that is put to them: fences, dependencies,
// access modes.
func (c *Cycle) Size() int {
	n := len(c.nodes)
	for _, x := range c.nodes {
		if x.mode > 0 {
			n++
		}
		if x.deco > 0 {
			n++
		}
	}
	return n
}

// Threads is how many threads the test has.
func (c *Cycle) Threads() (n int) {
	for _, x := range c.nodes {
		if x.kind.external() {
			n++
		}
	}
	return n
}

// String is the cycle as diy writes it: Rfe PodRR Fre PodWW.
func (c *Cycle) String() string {
	var words []string
	for i := range c.nodes {
		words = append(words, c.edge(i))
	}
	return strings.Join(words, " ")
}

func (c *Cycle) edge(i int) string {
	x, y := c.nodes[i], c.nodes[(i+1)%len(c.nodes)]
	letter := func(n node) string {
		if n.write {
			return "W" + c.arch.mode(n).name
		}
		return "R" + c.arch.mode(n).name
	}
	name := kindNames[x.kind]
	if x.deco > 0 {
		name = c.arch.decos[x.deco].cycle + strings.TrimPrefix(strings.ToLower(name), "po")
	}
	switch x.kind {
	case po, pos:
		return name + letter(x) + letter(y)
	}
	if c.arch.mode(x).name+c.arch.mode(y).name == "" {
		return name
	}
	return name + letter(x) + letter(y)
}

// families are the names of cycles without anything put to them.
var families = map[string]string{
	"PodWW Rfe PodRR Fre": "MP", "PodWR Fre PodWR Fre": "SB", "PodRW Rfe PodRW Rfe": "LB", "PodWW Coe PodWW Coe": "2+2W",
	"PodWW Coe PodWR Fre": "R", "PodWW Rfe PodRW Coe": "S", "Rfe PodRR Fre Rfe PodRR Fre": "IRIW", "Rfe PodRW Rfe PodRR Fre": "WRC",
	"Rfe PodRR Fre PodWR Fre": "RWC", "PodWW Rfe PodRW Rfe PodRR Fre": "ISA2", "Rfe PodRW Coe PodWR Fre": "WRW+WR", "Rfe PodRW Rfe PodRW Coe": "WWC",
	"PodRW Rfe PodRW Rfe PodRW Rfe": "3.LB", "PodWR Fre PodWR Fre PodWR Fre": "3.SB", "PodWW Coe PodWW Coe PodWW Coe": "3.2W",
	"PodWW Rfe PodRR Fre PodWR Fre": "W+RWC", "PodWW Coe PodWW Rfe PodRR Fre": "Z6.0", "PodWW Coe PodWR Fre PodWW Coe": "Z6.4",
	"Rfe PosRR Fre": "CoRR", "PosWW Coe": "CoWW", "PosRW Rfe": "CoRW1", "PosRW Coe Rfe": "CoRW2", "PosWR Fre": "CoWR",
}

// family is the cycle with the access first with which its family begins, and the name of
// that; "" where it has none.
func (c *Cycle) family() (*Cycle, string) {
	bare := &Cycle{arch: c.arch}
	for _, n := range c.nodes {
		n.mode, n.deco = 0, 0
		bare.nodes = append(bare.nodes, n)
	}
	for r := range bare.nodes {
		rotated := &Cycle{c.arch, slices.Concat(bare.nodes[r:], bare.nodes[:r])}
		if f, ok := families[rotated.String()]; ok {
			return &Cycle{c.arch, slices.Concat(c.nodes[r:], c.nodes[:r])}, f
		}
	}
	return c, ""
}

// Name is a name for the test: that of its family, where it has one, with what is put to
// each thread.
func (c *Cycle) Name() string {
	if c, f := c.family(); f != "" {
		return f + c.decorations()
	}
	return strings.ReplaceAll(c.String(), " ", "+")
}

// decorations is what is put to the program order of each thread, such as +dmb.sy+addr.
func (c *Cycle) decorations() string {
	var parts []string
	plain := true
	for i, x := range c.nodes {
		if x.kind != po && x.kind != pos {
			continue
		}
		y := c.nodes[(i+1)%len(c.nodes)]
		name := strings.ToLower(kindNames[x.kind])[:2]
		if x.kind == pos {
			name = "pos"
		}
		if x.deco > 0 {
			name = c.arch.decos[x.deco].name
		}
		a, b := c.arch.mode(x).name, c.arch.mode(y).name
		if a+b != "" {
			dash := func(s string) string {
				if s == "" {
					return "p"
				}
				return strings.ToLower(s)
			}
			name += dash(a) + dash(b)
		}
		plain = plain && (name == "po" || name == "pos")
		parts = append(parts, name)
	}
	if plain {
		return ""
	}
	return "+" + strings.Join(parts, "+")
}

// All calls yield with the cycles of an architecture that have the size, each once, until it
// returns false.
func All(a *Arch, size int, yield func(*Cycle) bool) {
	for n := 2; n <= size; n++ {
		if !skeletons(a, n, func(c *Cycle) bool { return c.decorate(size-n, yield) }) {
			return
		}
	}
}

// skeletons are the cycles of n accesses with nothing put to them.
func skeletons(a *Arch, n int, yield func(*Cycle) bool) bool {
	c := &Cycle{arch: a, nodes: make([]node, n)}
	var next func(i int) bool
	next = func(i int) bool {
		if i == n {
			if !c.closed() || !c.least() {
				return true
			}
			return yield(c)
		}
		for _, write := range []bool{false, true} {
			if i > 0 && !c.nodes[i-1].kind.to(write) {
				continue
			}
			for k := kind(0); k <= last; k++ {
				if k == amo && !a.amo || !k.from(write) || i > 0 && !k.follows(c.nodes[i-1].kind) {
					continue
				}
				c.nodes[i] = node{write: write, kind: k}
				if !next(i + 1) {
					return false
				}
			}
		}
		return true
	}
	return next(0)
}

// closed is whether the nodes are a cycle of a test: at least two threads, the last edge
// begins a new one, and locations that come round.
func (c *Cycle) closed() bool {
	n := len(c.nodes)
	first, end := c.nodes[0], c.nodes[n-1]
	if !end.kind.external() || !end.kind.to(first.write) || !first.kind.follows(end.kind) {
		return false
	}
	between, moves := 0, 0
	for _, x := range c.nodes {
		if x.kind.external() {
			between++
		}
		if x.kind == po {
			moves++
		}
	}
	// Communication alone, at one location, is an order, which has no cycles.
	return between >= 2 && moves != 1 && (moves > 0 || slices.ContainsFunc(c.nodes, func(x node) bool { return x.kind == pos }))
}

func (c *Cycle) code(i int) int {
	x := c.nodes[i%len(c.nodes)]
	n := ((int(x.kind)*2)*16+x.mode)*32 + x.deco
	if x.write {
		n += 1 << 20
	}
	return n
}

// least is whether no rotation of the cycle that begins a thread comes before it, so that of
// the rotations there is one.
func (c *Cycle) least() bool {
	n := len(c.nodes)
	for r := 1; r < n; r++ {
		if !c.nodes[r-1].kind.external() {
			continue
		}
		for i := range n {
			if a, b := c.code(i), c.code(i+r); a != b {
				if b < a {
					return false
				}
				break
			}
		}
	}
	return true
}

// decorate puts so many things to a skeleton, in all ways.
func (c *Cycle) decorate(n int, yield func(*Cycle) bool) bool {
	d := &Cycle{c.arch, slices.Clone(c.nodes)}
	var next func(i, left int) bool
	next = func(i, left int) bool {
		if i == len(d.nodes) {
			if left > 0 || !d.least() {
				return true
			}
			return yield(&Cycle{d.arch, slices.Clone(d.nodes)})
		}
		if !next(i+1, left) {
			return false
		}
		if left == 0 {
			return true
		}
		x := &d.nodes[i]
		to := d.nodes[(i+1)%len(d.nodes)].write
		for m := range c.arch.modes(d, i) {
			for o := range c.arch.decos {
				if m == 0 && o == 0 || m > 0 && o > 0 && left < 2 || o > 0 && !c.arch.decos[o].fits(x, to) {
					continue
				}
				if m > 0 && !c.arch.mode(node{write: x.write, mode: m}).fits(d, i) {
					continue
				}
				x.mode, x.deco = m, o
				used := 1
				if m > 0 && o > 0 {
					used = 2
				}
				ok := next(i+1, left-used)
				x.mode, x.deco = 0, 0
				if !ok {
					return false
				}
			}
		}
		return true
	}
	return next(0, n)
}

// A placed is an access with its place in the test.
type placed struct {
	node
	loc    int
	val    int
	thread int
}

// place gives the accesses locations, values and threads.
func (c *Cycle) place() (as []placed, threads, locs int) {
	n := len(c.nodes)
	moves := 0
	for _, x := range c.nodes {
		if x.kind == po {
			moves++
		}
	}
	locs = max(moves, 1)
	thread, loc, start := 0, 0, 0
	for i, x := range c.nodes {
		as = append(as, placed{node: x, loc: loc, thread: thread})
		if x.kind == po {
			loc = (loc + 1) % locs
			start = (i + 1) % n
		}
		if x.kind.external() {
			thread++
		}
	}
	// Along the accesses to a location each write has the next value.
	val := 0
	for k := range n {
		i := (start + k) % n
		if as[i].write {
			val++
		}
		as[i].val = val
		if as[i].kind == po {
			val = 0
		}
	}
	for i := range as {
		y := as[(i+1)%n]
		if as[i].kind == rfe || as[i].kind == rfi { // also where the first comes after the last
			as[(i+1)%n].val = as[i].val
		}
		if as[i].kind == fre || as[i].kind == fri || as[i].kind == amo {
			as[i].val = y.val - 1
		}
	}
	return as, thread, locs
}

// locations are the names of variables.
var locations = []string{"x", "y", "z", "a", "b", "c", "d", "e"}

func location(i int) string {
	if i < len(locations) {
		return locations[i]
	}
	return fmt.Sprintf("v%d", i)
}
