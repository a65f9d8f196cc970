package rvf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A brute walks through all interleavings, and knows no more than the definitions.
type brute struct {
	threads    []*threads.Thread
	scratch    []int64
	valuations map[string]bool // of executions in which all threads came to their ends
	blocked    map[string]bool // of others
	classes    map[string]bool
	runs       int
	most       int
}

// A step of a brute is an access.
type access struct {
	thread int
	write  bool
	cell   int32
	value  int64
	from   int // of a read: the access that wrote it; -1: none
}

type bruteState struct {
	states []threads.State
	mem    []int64
	writer []int
	trace  []access
	picks  [][]int64
}

func (s *bruteState) clone() *bruteState {
	c := &bruteState{mem: slices.Clone(s.mem), writer: slices.Clone(s.writer), trace: slices.Clone(s.trace)}
	for t := range s.states {
		c.states = append(c.states, threads.State{})
		c.states[t].Copy(&s.states[t])
		c.picks = append(c.picks, slices.Clone(s.picks[t]))
	}
	return c
}

// bruteForce is what there is to find in p; nil where that is too much.
func bruteForce(t *testing.T, p *program.Program, most int) *brute {
	t.Helper()
	sys, err := abstract.Compile(p, memory.SC, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &brute{most: most, valuations: map[string]bool{}, blocked: map[string]bool{}, classes: map[string]bool{}}
	if b.threads, err = threads.New(p, sys.Ranges, func(t int) []program.RegSet { return flow.Live(p, t, true) }); err != nil {
		t.Fatal(err)
	}
	first := sys.NewState()
	sys.Initial(first)
	s := &bruteState{mem: slices.Clone(first.Mem), writer: make([]int, len(first.Mem)), picks: make([][]int64, len(b.threads))}
	for c := range s.writer {
		s.writer[c] = -1
	}
	b.scratch = make([]int64, 100)
	for _, th := range b.threads {
		st := threads.State{}
		th.Start(&st)
		s.states = append(s.states, st)
	}
	b.walk(s)
	if b.runs > most {
		return nil
	}
	return b
}

func (b *brute) walk(s *bruteState) {
	if b.runs > b.most {
		return
	}
	stops := make([]threads.Stop, len(b.threads))
	for t, th := range b.threads {
		for {
			stops[t] = th.Run(&s.states[t], b.scratch)
			if stops[t].Kind == threads.Fence {
				th.Pass(&s.states[t], &stops[t], b.scratch)
				continue
			}
			break
		}
		if stops[t].Kind == threads.Choice {
			for way := range stops[t].Ways {
				c := s.clone()
				th.Choose(&c.states[t], way)
				c.picks[t] = append(c.picks[t], way)
				b.walk(c)
			}
			return
		}
	}
	moved, waits := false, false
	for t, th := range b.threads {
		stop := stops[t]
		if stop.Kind != threads.Load && stop.Kind != threads.Store {
			waits = waits || stop.Kind == threads.Waiting
			continue
		}
		c := s.clone()
		if stop.Kind == threads.Load {
			th.Read(&c.states[t], &stop, c.mem[stop.Cell], b.scratch)
			switch after := th.Run(&c.states[t], b.scratch); {
			case after.Kind == threads.Waiting, after.Kind == threads.Stuck && stop.Atomic && c.states[t].PC == s.states[t].PC:
				waits = true
				continue
			}
			c.trace = append(c.trace, access{t, false, stop.Cell, c.mem[stop.Cell], c.writer[stop.Cell]})
			if stop = th.Run(&c.states[t], b.scratch); stop.Kind != threads.Store || !stop.Half {
				moved = true
				b.walk(c)
				continue
			}
		}
		c.mem[stop.Cell], c.writer[stop.Cell] = stop.Value, len(c.trace)
		c.trace = append(c.trace, access{t, true, stop.Cell, stop.Value, -1})
		th.Pass(&c.states[t], &stop, b.scratch)
		moved = true
		b.walk(c)
	}
	if moved {
		return
	}
	b.runs++
	by := make([][]access, len(b.threads))
	for _, a := range s.trace {
		by[a.thread] = append(by[a.thread], a)
	}
	v := valuation(by, s.picks)
	if waits {
		b.blocked[v] = true
		return
	}
	b.valuations[v] = true
	b.classes[v+"/"+causality(s.trace, len(b.threads))] = true
}

// valuation is what every thread reads and writes.
func valuation(by [][]access, picks [][]int64) string {
	var w strings.Builder
	for t, as := range by {
		fmt.Fprintf(&w, "%v", picks[t])
		for _, a := range as {
			fmt.Fprintf(&w, " %v %d %d", a.write, a.cell, a.value)
		}
		w.WriteString("; ")
	}
	return w.String()
}

// causality is which reads are before which, by program order and reads-from.
func causality(trace []access, k int) string {
	clocks := make([][]int, len(trace))
	last, index := make([]int, k), make([]int, len(trace))
	count := make([]int, k)
	for t := range last {
		last[t] = -1
	}
	for i, a := range trace {
		clock := make([]int, k)
		join := func(j int) {
			if j >= 0 {
				for t := range clock {
					clock[t] = max(clock[t], clocks[j][t])
				}
			}
		}
		join(last[a.thread])
		if !a.write {
			join(a.from)
		}
		index[i] = count[a.thread]
		count[a.thread]++
		clock[a.thread] = count[a.thread]
		clocks[i], last[a.thread] = clock, i
	}
	var pairs []string
	for i, a := range trace {
		for j, c := range trace {
			if !a.write && !c.write && i != j && clocks[j][a.thread] > index[i] {
				pairs = append(pairs, fmt.Sprint(a.thread, index[i], c.thread, index[j]))
			}
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}
