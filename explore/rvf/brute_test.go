package rvf

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A brute walks through all that can happen in a machine with store buffers, and knows no
// more than the definitions.
type brute struct {
	model      memory.Model
	threads    []*threads.Thread
	scratch    []int64
	valuations map[string]bool // of executions in which all threads came to their ends
	blocked    map[string]bool // of others
	classes    map[string]bool
	locals     map[string]bool // what single threads can do
	seen       map[string]bool
	most       int
}

// An access is a step of a brute.
type access struct {
	thread int
	write  bool
	cell   int32
	value  int64
	from   [2]int // of a read: thread and index of the access that wrote it; -1: none
	unit   int    // of what happens at once: 1 + the index of the first; else 0
}

// A pending is a store in a buffer; one of cell -1 is a barrier.
type pending struct {
	cell  int32
	value int64
	by    [2]int
}

type bruteState struct {
	states  []threads.State
	mem     []int64
	writer  [][2]int
	by      [][]access
	picks   [][]int64
	buffers [][]pending
	lock    int // the thread that has it, or -1
	only    int // the thread that is in a block, or -1
	unit    int // where that began
	steps   int32
}

func (s *bruteState) clone() *bruteState {
	c := &bruteState{mem: slices.Clone(s.mem), writer: slices.Clone(s.writer), lock: s.lock, only: s.only, unit: s.unit, steps: s.steps}
	for t := range s.states {
		c.states = append(c.states, threads.State{})
		c.states[t].Copy(&s.states[t])
		c.picks = append(c.picks, slices.Clone(s.picks[t]))
		c.by = append(c.by, slices.Clip(s.by[t]))
		c.buffers = append(c.buffers, slices.Clone(s.buffers[t]))
	}
	return c
}

// bruteForce is what there is to find in p; nil where that is too much.
func bruteForce(t *testing.T, p *program.Program, m memory.Model, most int) *brute {
	t.Helper()
	sys, err := abstract.Compile(p, memory.SC, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &brute{model: m, most: most, valuations: map[string]bool{}, blocked: map[string]bool{}, classes: map[string]bool{},
		locals: map[string]bool{}, seen: map[string]bool{}}
	if b.threads, err = threads.New(p, sys.Ranges, func(t int) []program.RegSet { return flow.Live(p, t, true) }); err != nil {
		t.Fatal(err)
	}
	first := sys.NewState()
	sys.Initial(first)
	n := len(b.threads)
	s := &bruteState{mem: slices.Clone(first.Mem), writer: make([][2]int, len(first.Mem)), picks: make([][]int64, n),
		by: make([][]access, n), buffers: make([][]pending, n), lock: -1, only: -1}
	for c := range s.writer {
		s.writer[c] = [2]int{-1, -1}
	}
	b.scratch = make([]int64, 100)
	for _, th := range b.threads {
		st := threads.State{}
		th.Start(&st)
		s.states = append(s.states, st)
	}
	b.walk(s)
	if len(b.seen) > most {
		return nil
	}
	return b
}

// fresh is false where the brute has been here before.
func (b *brute) fresh(s *bruteState) bool {
	var key []byte
	num := func(ns ...int) {
		for _, n := range ns {
			key = binary.AppendVarint(key, int64(n))
		}
	}
	for t, th := range b.threads {
		th.Run(&s.states[t], b.scratch)
		num(int(s.states[t].Steps), len(s.by[t]), len(s.picks[t]), len(s.buffers[t])) // a fence leaves no trace but the steps
		for _, a := range s.by[t] {
			num(int(program.Bool(a.write)), int(a.cell), int(a.value), a.from[0], a.from[1], a.unit)
		}
		for _, way := range s.picks[t] {
			num(int(way))
		}
		for _, p := range s.buffers[t] {
			num(int(p.cell), int(p.value), p.by[0], p.by[1])
		}
	}
	for _, w := range s.writer {
		num(w[0], w[1])
	}
	num(s.lock, s.only)
	if b.seen[string(key)] {
		return false
	}
	b.seen[string(key)] = true
	return true
}

func (b *brute) walk(s *bruteState) {
	if len(b.seen) > b.most || !b.fresh(s) {
		return
	}
	if s.only < 0 {
		for t := range s.by {
			b.locals[local(t, s.by[t])] = true
		}
	}
	moved, waits := false, false
	for t, th := range b.threads {
		if s.only >= 0 && s.only != t {
			continue
		}
		stop := th.Run(&s.states[t], b.scratch)
		if s.only == t && s.states[t].Steps > s.steps { // the block is over
			c := s.clone()
			c.only = -1
			b.walk(c)
			return
		}
		if s.only == t && stop.Kind.Stands() {
			return // the block cannot be executed with these values, and has not been
		}
		did, wait := b.step(s, t, stop)
		moved, waits = moved || did, waits || wait
		for i := range s.buffers[t] {
			if p := s.buffers[t][i]; s.only < 0 && (s.lock < 0 || s.lock == t) && b.flushes(s.buffers[t], i) {
				moved = true
				c := s.clone()
				c.mem[p.cell], c.writer[p.cell] = p.value, p.by
				c.buffers[t] = slices.Delete(c.buffers[t], i, i+1)
				for len(c.buffers[t]) > 0 && c.buffers[t][0].cell < 0 {
					c.buffers[t] = c.buffers[t][1:]
				}
				b.walk(c)
			}
		}
	}
	if moved || s.only >= 0 {
		return
	}
	v := valuation(s.by, s.picks)
	if waits || s.lock >= 0 {
		b.blocked[v] = true
		return
	}
	b.valuations[v] = true
	b.classes[v+"/"+causality(s.by)] = true
}

// flushes is true where the store at place i of a buffer can leave it.
func (b *brute) flushes(buf []pending, i int) bool {
	if b.model == memory.TSO {
		return i == 0
	}
	for _, p := range buf[:i] {
		if p.cell == buf[i].cell || p.cell < 0 {
			return false
		}
	}
	return buf[i].cell >= 0
}

// step is what thread t does next. moved is true where it can, and waits where it waits.
func (b *brute) step(s *bruteState, t int, stop threads.Stop) (moved, waits bool) {
	th := b.threads[t]
	free := s.lock < 0 || s.lock == t
	drained := len(s.buffers[t]) == 0
	at := [2]int{t, len(s.by[t])}
	switch stop.Kind {
	case threads.Choice:
		for way := range stop.Ways {
			c := s.clone()
			th.Choose(&c.states[t], way)
			c.picks[t] = append(c.picks[t], way)
			b.walk(c)
		}
		return true, false
	case threads.Fence:
		c := s.clone()
		switch {
		case (stop.Atomic || stop.Cmd.FullFence()) && !drained:
			return false, false
		case !stop.Atomic && !stop.Cmd.FullFence() && stop.Cmd.StoreFence() && !drained:
			c.buffers[t] = append(c.buffers[t], pending{cell: -1})
		}
		th.Pass(&c.states[t], &stop, b.scratch)
		b.walk(c)
		return true, false
	case threads.Lock, threads.Unlock:
		if !free || !drained {
			return false, stop.Kind == threads.Lock
		}
		c := s.clone()
		c.lock, c.unit = t, len(c.by[t])+1
		if stop.Kind == threads.Unlock {
			c.lock = -1
		}
		th.Pass(&c.states[t], &stop, b.scratch)
		b.walk(c)
		return true, false
	case threads.Store:
		c := s.clone()
		switch {
		case b.model != memory.SC && !stop.Atomic:
			c.buffers[t] = append(c.buffers[t], pending{stop.Cell, stop.Value, at})
		case !free || !drained:
			return false, true
		default:
			c.mem[stop.Cell], c.writer[stop.Cell] = stop.Value, at
		}
		c.block(t, &stop)
		c.by[t] = append(c.by[t], access{t, true, stop.Cell, stop.Value, [2]int{-1, -1}, c.inside(t)})
		th.Pass(&c.states[t], &stop, b.scratch)
		b.walk(c)
		return true, false
	case threads.Load:
		if !free || stop.Atomic && !drained {
			return false, true
		}
		return b.load(s, t, stop)
	case threads.Waiting:
		return false, true
	}
	return false, false
}

func (s *bruteState) block(t int, stop *threads.Stop) {
	if stop.Block && s.only < 0 {
		s.only, s.steps = t, s.states[t].Steps
		if s.lock < 0 {
			s.unit = len(s.by[t]) + 1
		}
	}
}

// inside is the unit of what thread t does.
func (s *bruteState) inside(t int) int {
	if s.lock == t || s.only == t {
		return s.unit
	}
	return 0
}

// load is the load of thread t.
func (b *brute) load(s *bruteState, t int, stop threads.Stop) (moved, waits bool) {
	th := b.threads[t]
	c := s.clone()
	v, from := c.mem[stop.Cell], c.writer[stop.Cell]
	for _, p := range s.buffers[t] {
		if p.cell == stop.Cell {
			v, from = p.value, p.by
		}
	}
	c.block(t, &stop)
	th.Read(&c.states[t], &stop, v, b.scratch)
	after := th.Run(&c.states[t], b.scratch)
	if !stop.Block && s.lock < 0 && (after.Kind == threads.Waiting ||
		after.Kind == threads.Stuck && stop.Atomic && c.states[t].PC == s.states[t].PC) {
		return false, true
	}
	c.by[t] = append(c.by[t], access{t, false, stop.Cell, v, from, c.inside(t)})
	if after.Kind == threads.Store && after.Half {
		at := [2]int{t, len(c.by[t])}
		c.mem[after.Cell], c.writer[after.Cell] = after.Value, at
		c.by[t] = append(c.by[t], access{t, true, after.Cell, after.Value, [2]int{-1, -1}, c.inside(t)})
		th.Pass(&c.states[t], &after, b.scratch)
	}
	if stop.Block && s.only < 0 && s.lock < 0 && !b.through(c.clone(), t) {
		return false, true
	}
	b.walk(c)
	return true, false
}

// through is true where thread t can come to the end of the block that it is in.
func (b *brute) through(s *bruteState, t int) bool {
	th := b.threads[t]
	for {
		stop := th.Run(&s.states[t], b.scratch)
		switch {
		case s.states[t].Steps > s.steps:
			return true
		case stop.Kind == threads.Choice:
			for way := range stop.Ways {
				c := s.clone()
				th.Choose(&c.states[t], way)
				if b.through(c, t) {
					return true
				}
			}
			return false
		case stop.Kind == threads.Load:
			th.Read(&s.states[t], &stop, s.mem[stop.Cell], b.scratch)
		case stop.Kind == threads.Store:
			s.mem[stop.Cell] = stop.Value
			th.Pass(&s.states[t], &stop, b.scratch)
		default:
			return false
		}
	}
}

// local is what a thread has read and written.
func local(t int, as []access) string {
	b := strconv.AppendInt(nil, int64(t), 10)
	return string(appendAccesses(b, as))
}

func appendAccesses(b []byte, as []access) []byte {
	for _, a := range as {
		b = strconv.AppendBool(append(b, ' '), a.write)
		b = strconv.AppendInt(append(b, ' '), int64(a.cell), 10)
		b = strconv.AppendInt(append(b, ' '), a.value, 10)
	}
	return b
}

// valuation is what every thread reads and writes.
func valuation(by [][]access, picks [][]int64) string {
	var b []byte
	for t, as := range by {
		b = fmt.Append(b, picks[t])
		b = append(appendAccesses(b, as), "; "...)
	}
	return string(b)
}

// causality is which reads are before which, by program order and reads-from.
func causality(by [][]access) string {
	clocks := map[[2]int][]int{}
	var clock func(at [2]int) []int
	clock = func(at [2]int) []int {
		if c, ok := clocks[at]; ok {
			return c
		}
		c := make([]int, len(by))
		join := func(o []int) {
			for t := range c {
				c[t] = max(c[t], o[t])
			}
		}
		if at[1] > 0 {
			join(clock([2]int{at[0], at[1] - 1}))
		}
		if a := by[at[0]][at[1]]; !a.write && a.from[0] >= 0 {
			u, n := a.from[0], a.from[1]
			for n+1 < len(by[u]) && by[u][n].unit > 0 && by[u][n+1].unit == by[u][n].unit && (u != at[0] || n+1 < at[1]) {
				n++
			}
			join(clock([2]int{u, n}))
		}
		c[at[0]] = at[1] + 1
		clocks[at] = c
		return c
	}
	var pairs []string
	for t, as := range by {
		for i, a := range as {
			for u, cs := range by {
				for j, c := range cs {
					if !a.write && !c.write && (t != u || i != j) && clock([2]int{u, j})[t] > i {
						pairs = append(pairs, fmt.Sprint(t, i, u, j))
					}
				}
			}
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}
