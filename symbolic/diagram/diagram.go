// Package diagram has sets of vectors as multi-valued decision diagrams, and
// closes them under relations by saturation.
//
// A vector has a place for each level, the highest first. In go a first vector
// and relations, each of which reads and writes a few places; out comes the set
// of all vectors that can be reached. It may be far larger than what could be
// listed.
package diagram

import (
	"context"
	"errors"
	"math"
	"slices"
)

// A Node is a set of vectors that begin at its level. Equal sets are equal nodes.
type Node int32

const (
	Empty Node = 0
	One   Node = 1 // has the vector without places
)

// An Arc is the part of a set whose vectors begin with Value; To is what follows.
type Arc struct {
	Value int32
	To    Node
}

// A Rel is a relation between vectors: which values change into which at its
// level, and how vectors change below. Levels that it leaves out do not change.
type Rel int32

// Identity is the relation that changes nothing.
const Identity Rel = 0

// A Change is a part of a relation: at its level From becomes To, and Below says
// what happens to the rest of the vector.
type Change struct {
	From, To int32
	Below    Rel
}

// maxArcs bounds the arcs: their indices are of 32 bits.
const maxArcs = 1 << 30

// ErrFull says that a Store has grown to its limit.
var ErrFull = errors.New("the decision diagram has too many nodes")

type node struct {
	level  int32
	off, n int32 // its arcs
}

type rel struct {
	level   int
	changes []Change // ascending by From
	first   []int32  // by From: where its changes begin; one more at the end
}

// A Store keeps nodes and relations. It is not safe for concurrent use.
type Store struct {
	sizes []int // by level, from 1: how many values; sizes[0] is unused
	limit int64 // in bytes
	fixed int64 // bytes that are not those of nodes, arcs and tables
	slack int   // for how many arcs there is to be room when an operation begins
	// enough is up to how many of these there need not be more room.
	enough struct{ arcs, nodes, unions, fired int }
	nodes  []node
	arcs   []Arc
	table  []Node // open addressing over nodes; Empty: free

	rels   []rel
	top    [][]Rel        // by level: what Saturate closes under
	relIDs map[string]Rel // by content
	unions cache
	fired  cache
	full   map[Node]Node

	dense   [][]Node  // by level: a set under construction, by value
	touched [][]int32 // and which values it has
	waits   [][]bool  // by level: the values in the queue of fix
	ctx     context.Context
	ticks   int
	pause   func() error // of Race
}

// maxNodes bounds the nodes: they are numbers of 32 bits.
const maxNodes = math.MaxInt32 / 2

// New makes a store for vectors with sizes[i] values, 0 to sizes[i] - 1, at level
// i + 1. limit bounds what it holds, in bytes; 0: no bound.
func New(sizes []int, limit int64) *Store {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	s := &Store{sizes: append([]int{0}, sizes...), limit: limit, nodes: make([]node, 2), table: make([]Node, 1<<12), rels: make([]rel, 1),
		relIDs: map[string]Rel{}, unions: newCache(), fired: newCache(), full: map[Node]Node{}}
	s.top = make([][]Rel, len(s.sizes))
	for _, n := range s.sizes {
		s.dense = append(s.dense, make([]Node, n))
		s.waits = append(s.waits, make([]bool, n))
	}
	s.touched = make([][]int32, len(s.sizes))
	// An operation goes down all levels and, on its way back, makes a set at each, and
	// one more for a union.
	for _, n := range sizes {
		s.slack += 2 * n
		s.fixed += int64(n) * (4 + 4 + 1)
	}
	s.fixed += int64(len(sizes)) * stackPerLevel
	return s
}

// stackPerLevel is about what the stack takes for each level, while it grows.
const stackPerLevel = 1 << 10

// Bytes is about what the store holds.
func (s *Store) Bytes() int64 {
	return s.fixed + int64(cap(s.nodes))*12 + int64(cap(s.arcs))*8 + int64(len(s.table))*4 + s.unions.bytes() + s.fired.bytes()
}

// Full is [ErrFull] where the store holds more than it may, for those who use
// [Store.Make].
func (s *Store) Full() error {
	if s.Bytes() > s.limit {
		return ErrFull
	}
	return nil
}

// reserve makes room for what one operation may make. It stops where there is none:
// while a table grows, the old one is still there.
func (s *Store) reserve() {
	grown := func(n, need int) int { return max(n+n/2, need) }
	if need := len(s.arcs) + s.slack; need > cap(s.arcs) {
		n := grown(cap(s.arcs), need)
		s.afford(int64(n)*8, n <= maxArcs)
		s.arcs = append(make([]Arc, 0, n), s.arcs...)
	}
	need := len(s.nodes) + 2*len(s.sizes)
	if need > cap(s.nodes) {
		n := grown(cap(s.nodes), need)
		s.afford(int64(n)*12, n <= maxNodes)
		s.nodes = append(make([]node, 0, n), s.nodes...)
	}
	for 2*need > len(s.table) {
		s.afford(int64(len(s.table))*8, true)
		s.rehash()
	}
	for _, c := range []*cache{&s.unions, &s.fired} {
		for 4*(c.n+len(s.sizes)) > 3*len(c.keys) {
			s.afford(2*c.bytes(), true)
			c.grow()
		}
	}
	levels := len(s.sizes)
	s.enough.arcs, s.enough.nodes = cap(s.arcs)-s.slack, min(cap(s.nodes), len(s.table)/2)-2*levels
	s.enough.unions, s.enough.fired = len(s.unions.keys)/4*3-levels, len(s.fired.keys)/4*3-levels
}

// afford stops where there are no more bytes.
func (s *Store) afford(bytes int64, ok bool) {
	if !ok || s.Bytes()+bytes > s.limit {
		panic(stop{ErrFull})
	}
}

// Level is the level of n, 0 for One.
func (s *Store) Level(n Node) int { return int(s.nodes[n].level) }

// Arcs is what n consists of, ascending by value. It must not be changed.
func (s *Store) Arcs(n Node) []Arc {
	x := &s.nodes[n]
	return s.arcs[x.off : x.off+x.n]
}

// Size is how many nodes there are.
func (s *Store) Size() int { return len(s.nodes) - 2 }

func hash(level int, arcs []Arc) uint64 {
	h := uint64(level) * 0x9e3779b97f4a7c15
	for _, a := range arcs {
		h = (h ^ uint64(uint32(a.Value))<<32 ^ uint64(a.To)) * 0xff51afd7ed558ccd
		h ^= h >> 29
	}
	return h
}

// Make is the set at a level that consists of the arcs, which must be ascending
// by value, and none of which leads to Empty.
func (s *Store) Make(level int, arcs []Arc) Node {
	if len(arcs) == 0 {
		return Empty
	}
	mask := uint64(len(s.table) - 1)
	i := hash(level, arcs) & mask
	for ; s.table[i] != Empty; i = (i + 1) & mask {
		n := s.table[i]
		if int(s.nodes[n].level) == level && slices.Equal(s.Arcs(n), arcs) {
			return n
		}
	}
	n := Node(len(s.nodes))
	s.nodes = append(s.nodes, node{int32(level), int32(len(s.arcs)), int32(len(arcs))})
	s.arcs = append(s.arcs, arcs...)
	s.table[i] = n
	if 2*len(s.nodes) > len(s.table) {
		s.rehash()
	}
	return n
}

// rehash doubles the table of nodes.
func (s *Store) rehash() {
	s.table = make([]Node, 2*len(s.table))
	mask := uint64(len(s.table) - 1)
	for m := Node(2); int(m) < len(s.nodes); m++ {
		i := hash(s.Level(m), s.Arcs(m)) & mask
		for s.table[i] != Empty {
			i = (i + 1) & mask
		}
		s.table[i] = m
	}
}

// Vector is the set of one vector, values[i] at level i + 1.
func (s *Store) Vector(values []int32) Node {
	n := One
	for i, v := range values {
		n = s.Make(i+1, []Arc{{v, n}})
	}
	return n
}

// Relation is the relation with these changes at a level.
func (s *Store) Relation(level int, changes []Change) Rel {
	changes = slices.Clone(changes)
	slices.SortFunc(changes, func(a, b Change) int {
		if a.From != b.From {
			return int(a.From - b.From)
		}
		if a.To != b.To {
			return int(a.To - b.To)
		}
		return int(a.Below - b.Below)
	})
	changes = slices.Compact(changes)
	key := make([]byte, 0, 12*len(changes)+4)
	put := func(x int32) { key = append(key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24)) }
	put(int32(level))
	for _, c := range changes {
		put(c.From)
		put(c.To)
		put(int32(c.Below))
	}
	if r, ok := s.relIDs[string(key)]; ok {
		return r
	}
	r := rel{level: level, changes: changes, first: make([]int32, s.sizes[level]+1)}
	for _, c := range changes {
		r.first[c.From+1]++
	}
	for i := range s.sizes[level] {
		r.first[i+1] += r.first[i]
	}
	id := Rel(len(s.rels))
	s.fixed += int64(len(key)) + int64(len(changes))*12 + int64(len(r.first))*4 + 128
	s.rels = append(s.rels, r)
	s.relIDs[string(key)] = id
	return id
}

func (r *rel) from(v int32) []Change { return r.changes[r.first[v]:r.first[v+1]] }

// A cache keeps the results of operations: open addressing, key 0 is free.
type cache struct {
	keys []uint64
	vals []Node
	n    int
}

func newCache() cache { return cache{keys: make([]uint64, 1<<12), vals: make([]Node, 1<<12)} }

func (c *cache) slot(key uint64) uint64 {
	h := key * 0x9e3779b97f4a7c15
	i := (h ^ h>>32) & uint64(len(c.keys)-1)
	for c.keys[i] != 0 && c.keys[i] != key {
		i = (i + 1) & uint64(len(c.keys)-1)
	}
	return i
}

func (c *cache) get(key uint64) (Node, bool) {
	i := c.slot(key)
	return c.vals[i], c.keys[i] == key
}

func (c *cache) put(key uint64, n Node) {
	i := c.slot(key)
	if c.keys[i] == key {
		return
	}
	c.keys[i], c.vals[i] = key, n
	if c.n++; 8*c.n > 7*len(c.keys) {
		c.grow()
	}
}

func (c *cache) grow() {
	old := *c
	*c = cache{make([]uint64, 2*len(old.keys)), make([]Node, 2*len(old.keys)), 0}
	for i, k := range old.keys {
		if k != 0 {
			c.put(k, old.vals[i])
		}
	}
}

func (c *cache) bytes() int64 { return int64(len(c.keys)) * 12 }

// A stop is why an operation ends early.
type stop struct{ err error }

// stopped ends a panic with a stop, deferred.
func stopped(err *error) {
	if x := recover(); x != nil {
		s, ok := x.(stop)
		if !ok {
			panic(x)
		}
		*err = s.err
	}
}

// tick counts an operation, found in a cache or not, and ends it early where it has
// to.
func (s *Store) tick() {
	if len(s.arcs) > s.enough.arcs || len(s.nodes) > s.enough.nodes || s.unions.n > s.enough.unions || s.fired.n > s.enough.fired {
		s.reserve()
	}
	if s.ticks++; s.ticks&0xfff != 0 {
		return
	}
	if s.ctx.Err() != nil {
		panic(stop{s.ctx.Err()})
	}
	if s.pause != nil && s.ticks%slice == 0 {
		if err := s.pause(); err != nil {
			panic(stop{err})
		}
	}
}

// Saturate is the smallest set that has all vectors of n and is closed under the
// relations: G. Ciardo, G. Luettgen, R. Siminiceanu, Saturation: an efficient
// iteration strategy for symbolic state-space generation, TACAS 2001. The error
// is that of ctx, or [ErrFull].
func (s *Store) Saturate(ctx context.Context, n Node, rels []Rel) (m Node, err error) {
	defer stopped(&err)
	s.ctx = ctx
	s.fired = newCache()
	s.enough.fired = -1
	clear(s.full)
	for i := range s.top {
		s.top[i] = nil
	}
	for _, r := range rels {
		s.top[s.rels[r].level] = append(s.top[s.rels[r].level], r)
	}
	return s.saturate(n), nil
}

func (s *Store) saturate(n Node) Node {
	if n <= One {
		return n
	}
	if m, ok := s.full[n]; ok {
		return m
	}
	k := s.Level(n)
	for i := range s.Arcs(n) {
		a := s.Arcs(n)[i]
		s.put(k, a.Value, s.saturate(a.To))
	}
	m := s.fix(k)
	s.full[n] = m
	return m
}

// put adds the vectors that begin with v and go on with n to the set under
// construction at level k, and says whether it grows.
func (s *Store) put(k int, v int32, n Node) bool {
	old := s.dense[k][v]
	if old == Empty {
		if n == Empty {
			return false
		}
		s.touched[k] = append(s.touched[k], v)
	}
	u := s.union(old, n)
	s.dense[k][v] = u
	return u != old
}

// take is the set under construction at level k, which is over.
func (s *Store) take(k int) Node {
	slices.Sort(s.touched[k])
	arcs := make([]Arc, len(s.touched[k]))
	for i, v := range s.touched[k] {
		arcs[i] = Arc{v, s.dense[k][v]}
		s.dense[k][v] = Empty
	}
	s.touched[k] = s.touched[k][:0]
	return s.Make(k, arcs)
}

// fix closes the set under construction at level k under the relations of that
// level; what follows its first values is closed under those below.
func (s *Store) fix(k int) Node {
	if len(s.top[k]) == 0 {
		return s.take(k)
	}
	queue := slices.Clone(s.touched[k])
	waits := s.waits[k]
	for _, v := range queue {
		waits[v] = true
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		waits[v] = false
		for _, r := range s.top[k] {
			for _, c := range s.rels[r].from(v) {
				f := s.fire(s.dense[k][v], c.Below)
				if s.put(k, c.To, f) && !waits[c.To] {
					waits[c.To] = true
					queue = append(queue, c.To)
				}
			}
		}
	}
	return s.take(k)
}

// fire is the image of n, which is closed under the relations of its level and
// below, under r, closed likewise.
func (s *Store) fire(n Node, r Rel) Node {
	if n == Empty || r == Identity {
		return n
	}
	s.tick()
	key := uint64(n)<<32 | uint64(r)
	if m, ok := s.fired.get(key); ok {
		return m
	}
	k := s.Level(n)
	here := s.rels[r].level == k
	for i := range s.Arcs(n) {
		a := s.Arcs(n)[i]
		if !here {
			s.put(k, a.Value, s.fire(a.To, r))
			continue
		}
		for _, c := range s.rels[r].from(a.Value) {
			s.put(k, c.To, s.fire(a.To, c.Below))
		}
	}
	m := s.fix(k)
	s.fired.put(key, m)
	return m
}

func (s *Store) union(a, b Node) Node {
	switch {
	case a == b || b == Empty:
		return a
	case a == Empty:
		return b
	case a > b:
		a, b = b, a
	}
	s.tick()
	key := uint64(a)<<32 | uint64(b)
	if u, ok := s.unions.get(key); ok {
		return u
	}
	x, y := s.Arcs(a), s.Arcs(b)
	k := s.Level(a)
	arcs := make([]Arc, 0, len(x)+len(y))
	for i, j := 0, 0; i < len(x) || j < len(y); {
		// s.arcs may move while the unions below are made; x and y stay.
		switch {
		case j == len(y) || i < len(x) && x[i].Value < y[j].Value:
			arcs = append(arcs, x[i])
			i++
		case i == len(x) || y[j].Value < x[i].Value:
			arcs = append(arcs, y[j])
			j++
		default:
			arcs = append(arcs, Arc{x[i].Value, s.union(x[i].To, y[j].To)})
			i++
			j++
		}
	}
	u := s.Make(k, arcs)
	s.unions.put(key, u)
	return u
}

// Closed is true where no vector of n leads out of it by r. The error is that of
// ctx, or [ErrFull].
func (s *Store) Closed(ctx context.Context, n Node, r Rel) (closed bool, err error) {
	defer stopped(&err)
	defer s.remember()()
	s.ctx = ctx
	met := map[uint64]bool{}
	known := make([]map[uint64]bool, len(s.rels)) // by relation, and n and m below
	var within func(n Node, r Rel, m Node) bool
	within = func(n Node, r Rel, m Node) bool {
		if n == Empty || n == m && r == Identity {
			return true
		}
		if m == Empty {
			return !s.meets(n, r, met)
		}
		if known[r] == nil {
			known[r] = map[uint64]bool{}
		}
		q := uint64(n)<<32 | uint64(m)
		if ok, asked := known[r][q]; asked {
			return ok
		}
		s.tick()
		s.visit()
		ok := true
		here := r != Identity && s.rels[r].level == s.Level(n)
		to := s.Arcs(m)
		find := func(v int32) Node {
			i, ok := slices.BinarySearchFunc(to, v, func(a Arc, v int32) int { return int(a.Value - v) })
			if !ok {
				return Empty
			}
			return to[i].To
		}
		for _, a := range s.Arcs(n) {
			if !here {
				ok = ok && within(a.To, r, find(a.Value))
				continue
			}
			for _, c := range s.rels[r].from(a.Value) {
				ok = ok && within(a.To, c.Below, find(c.To))
			}
		}
		known[r][q] = ok
		return ok
	}
	return within(n, r, n), nil
}

// Meets is true where r leads from some vector of n anywhere. The error is that of
// ctx, or [ErrFull].
func (s *Store) Meets(ctx context.Context, n Node, r Rel) (met bool, err error) {
	defer stopped(&err)
	defer s.remember()()
	s.ctx = ctx
	return s.meets(n, r, map[uint64]bool{}), nil
}

// visit counts an entry in a map of what is known of nodes.
func (s *Store) visit() { s.fixed += 48 }

// remember gives what forgets the entries that [Store.visit] counts from now on.
func (s *Store) remember() func() {
	before := s.fixed
	return func() { s.fixed = before }
}

func (s *Store) meets(n Node, r Rel, known map[uint64]bool) bool {
	if n == Empty || r == Identity {
		return n != Empty
	}
	key := uint64(n)<<32 | uint64(r)
	if ok, asked := known[key]; asked {
		return ok
	}
	s.tick()
	s.visit()
	ok := false
	here := s.rels[r].level == s.Level(n)
	for _, a := range s.Arcs(n) {
		if !here {
			ok = ok || s.meets(a.To, r, known)
			continue
		}
		for _, c := range s.rels[r].from(a.Value) {
			ok = ok || s.meets(a.To, c.Below, known)
		}
	}
	known[key] = ok
	return ok
}

// Has is true where the vector is in n; values[i] is at level i + 1.
func (s *Store) Has(n Node, values []int32) bool {
	for n > One {
		i, ok := slices.BinarySearchFunc(s.Arcs(n), values[s.Level(n)-1], func(a Arc, v int32) int { return int(a.Value - v) })
		if !ok {
			return false
		}
		n = s.Arcs(n)[i].To
	}
	return n == One
}

// Count is how many vectors n has, as a float.
func (s *Store) Count(n Node) float64 {
	known := map[Node]float64{Empty: 0, One: 1}
	var count func(n Node) float64
	count = func(n Node) float64 {
		c, ok := known[n]
		if !ok {
			for _, a := range s.Arcs(n) {
				c += count(a.To)
			}
			known[n] = c
		}
		return c
	}
	return count(n)
}
