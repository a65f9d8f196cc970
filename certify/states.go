package certify

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
)

type certifier struct {
	ctx  context.Context
	p    *program.Program
	in   *bufio.Scanner
	line int
	out  Certificate

	x     *abstract.System
	dead  [][]program.RegSet // by thread and control state
	judge *replay.Judge

	known  map[string]struct{} // the states, as key prints them
	states []string            // the same, in their order
	s, to  *abstract.State
	key    []byte
}

// header reads everything before the states. line is its first one.
func (c *certifier) header(line string) error {
	name := c.out.Buffer
	if c.out.Model != memory.TSO {
		return fmt.Errorf("sets of states are for tso, not %s", c.out.Model)
	}
	b, err := abstract.ParseBuffer(name)
	if err != nil {
		return err
	}
	switch b := b.(type) {
	case abstract.FIFO, abstract.Set, abstract.Coherence:
	case abstract.Multiset:
		if b.Max > 0 && !b.Saturate {
			return fmt.Errorf("buffers %s do not enclose those of tso", name)
		}
	default:
		return fmt.Errorf("buffers %s do not enclose those of tso", name)
	}
	r, err := program.AnalyseContext(c.ctx, c.p)
	if err != nil {
		return err
	}
	if c.x, err = abstract.New(c.p, r, b, 0); err != nil {
		return err
	}
	c.s, c.to = c.x.NewState(), c.x.NewState()
	addrs, err := numbers(strings.TrimPrefix(line, "cells"))
	if err != nil || !strings.HasPrefix(line, "cells") || !slices.EqualFunc(addrs, r.Cells, func(a int64, cell program.Cell) bool { return a == cell.Addr }) {
		return errors.New("want the cells of the program")
	}
	for _, t := range c.p.Threads {
		sets := make([]program.RegSet, len(t.States))
		for q := range sets {
			sets[q] = program.NewRegSet(len(t.Regs))
		}
		c.dead = append(c.dead, sets)
	}
	for {
		line, err := c.next()
		if err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(line, "states "); ok {
			c.out.States, err = strconv.Atoi(rest)
			return err
		}
		rest, ok := strings.CutPrefix(line, "dead ")
		ns, err := numbers(rest)
		if !ok || err != nil || len(ns) < 3 || !within(ns[0], len(c.p.Threads)) || !within(ns[1], len(c.p.Threads[ns[0]].States)) {
			return errors.New(`want "dead" with a thread, a control state and registers, or "states"`)
		}
		for _, reg := range ns[2:] {
			if !within(reg, len(c.p.Threads[ns[0]].Regs)) {
				return errors.New("no such register")
			}
			c.dead[ns[0]][ns[1]].Add(int(reg))
		}
	}
}

func within(n int64, size int) bool { return n >= 0 && n < int64(size) }

func numbers(text string) ([]int64, error) {
	var ns []int64
	for f := range strings.FieldsSeq(text) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil, err
		}
		ns = append(ns, n)
	}
	return ns, nil
}

// checkDead sees to it that registers said to be dead are read by nobody before
// they are written.
func (c *certifier) checkDead() error {
	for ti, t := range c.p.Threads {
		out := t.Out()
		alive := func(q int, e program.Expr) (err error) {
			program.Walk(e, func(e program.Expr) {
				if r, ok := e.(program.ThreadReg); ok && r.Thread == ti && c.dead[ti][q].Has(r.Reg) {
					err = fmt.Errorf("certificate: register %s of thread %s is not dead in control state %d: a property reads it", t.Regs[r.Reg].Name, t.Name, q)
				}
			})
			return err
		}
		ends := func(q int) bool { return len(out[q]) == 0 || t.States[q].Kind == program.Unstarted }
		for q := range t.States {
			for i := range c.p.Properties {
				if pr := &c.p.Properties[i]; !pr.Final() || ends(q) {
					if err := alive(q, pr.Cond); err != nil {
						return err
					}
				}
			}
			if ends(q) {
				if err := alive(q, c.p.Filter); err != nil {
					return err
				}
			}
		}
		for i := range t.Edges {
			e := &t.Edges[i]
			read, written := program.NewRegSet(len(t.Regs)), program.NewRegSet(len(t.Regs))
			e.Cmd.Reads(read.Add)
			e.Cmd.Writes(written.Add)
			for r := range t.Regs {
				if c.dead[ti][e.From].Has(r) && (read.Has(r) || !written.Has(r) && !c.dead[ti][e.To].Has(r)) {
					return fmt.Errorf("certificate: register %s of thread %s is not dead in control state %d", t.Regs[r].Name, t.Name, e.From)
				}
			}
		}
	}
	return nil
}

// read reads the states.
func (c *certifier) read() error {
	for range c.out.States {
		rest, err := c.field("s")
		if err != nil {
			return err
		}
		if err := c.parse(rest); err != nil {
			return err
		}
		key := string(c.encode(c.s))
		if _, twice := c.known[key]; twice {
			return errors.New("the state is there already")
		}
		c.known[key] = struct{}{}
		c.states = append(c.states, key)
	}
	if line, err := c.next(); err != nil || line != "end" {
		return errors.New(`want "end"`)
	}
	if _, err := c.next(); err != io.ErrUnexpectedEOF {
		return errors.New("something comes after the end")
	}
	return nil
}

// parse reads a state into c.s. What it accepts, the rules can work with; the
// state need not be one that they can lead to.
func (c *certifier) parse(text string) error {
	parts := strings.Split(text, "|")
	n := len(c.p.Threads)
	if len(parts) != 2*n+2 {
		return errors.New("the state has not as many parts as the program")
	}
	var all [][]int64
	for _, part := range parts {
		ns, err := numbers(part)
		if err != nil {
			return err
		}
		all = append(all, ns)
	}
	for t, th := range c.p.Threads {
		ns := all[t]
		if len(ns) != 1+len(th.Regs) || !within(ns[0], len(th.States)) {
			return fmt.Errorf("want a control state and the registers of thread %s", th.Name)
		}
		c.s.PC[t] = program.StateID(ns[0])
		copy(c.s.Regs[t], ns[1:])
		if err := c.parseBuffer(t, all[n+1+t]); err != nil {
			return err
		}
	}
	if len(all[n]) != len(c.s.Mem) {
		return errors.New("want a value for every cell")
	}
	copy(c.s.Mem, all[n])
	if lock := all[2*n+1]; len(lock) != 1 || !within(lock[0]+1, n+1) {
		return errors.New("want the thread that holds the lock, or -1")
	}
	c.s.Lock = int(all[2*n+1][0])
	return nil
}

func (c *certifier) parseBuffer(t int, ns []int64) error {
	if len(ns)%2 != 0 {
		return errors.New("want pairs of a cell and a value")
	}
	pairs := c.s.Buf[t].Pairs[:0]
	for i := 0; i < len(ns); i += 2 {
		if !within(ns[i], len(c.s.Mem)) && ns[i] != abstract.Barrier {
			return errors.New("a buffer has a store to a cell that there is not")
		}
		pairs = append(pairs, abstract.Pair{Cell: int(ns[i]), Value: ns[i+1]})
	}
	c.s.Buf[t].Pairs = pairs
	if !slices.Equal(c.rebuild(pairs), pairs) {
		return errors.New("a buffer is not as its stores make it")
	}
	return nil
}

// rebuild is the contents that stores of the pairs make of an empty buffer. The rules
// rely on their order.
func (c *certifier) rebuild(pairs []abstract.Pair) []abstract.Pair {
	var queue []abstract.Pair
	buffer := c.x.Buffer
	if b, ok := buffer.(abstract.Coherence); ok {
		// Behind a queue of any length, the set is what it is without one.
		n := slices.IndexFunc(pairs, func(p abstract.Pair) bool { return p.Cell == abstract.Barrier })
		if n < 0 {
			n = len(pairs)
		}
		if n > b.K {
			return nil
		}
		queue, pairs, buffer = pairs[:n], pairs[min(n+1, len(pairs)):], abstract.Coherence{}
	}
	var set abstract.Contents
	for _, p := range pairs {
		if p.Cell == abstract.Barrier {
			return nil
		}
		buffer.Add(&set, p)
	}
	return slices.Concat(queue, set.Pairs)
}

// encode is a state as a string of bytes, different for different states.
func (c *certifier) encode(s *abstract.State) []byte {
	b := binary.AppendVarint(c.key[:0], int64(s.Lock))
	for t, pc := range s.PC {
		b = binary.AppendVarint(b, int64(pc))
		b = binary.AppendVarint(b, int64(len(s.Buf[t].Pairs)))
		for _, p := range s.Buf[t].Pairs {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(p.Cell)), p.Value)
		}
	}
	for _, v := range s.Vals[:] {
		b = binary.AppendVarint(b, v)
	}
	c.key = b
	return b
}

// decode is the inverse of encode.
func (c *certifier) decode(key string, s *abstract.State) {
	b := []byte(key)
	get := func() int64 {
		v, n := binary.Varint(b)
		b = b[n:]
		return v
	}
	s.Lock = int(get())
	for t := range s.PC {
		s.PC[t] = program.StateID(get())
		s.Buf[t].Pairs = s.Buf[t].Pairs[:0]
		for range get() {
			cell := int(get())
			s.Buf[t].Pairs = append(s.Buf[t].Pairs, abstract.Pair{Cell: cell, Value: get()})
		}
	}
	for i := range s.Vals {
		s.Vals[i] = get()
	}
}

// contains is true where s, with dead registers of thread t at their initial
// values, is one of the states.
func (c *certifier) contains(s *abstract.State, t int) bool {
	for r := range s.Regs[t] {
		if c.dead[t][s.PC[t]].Has(r) {
			s.Regs[t][r] = c.p.Threads[t].Regs[r].Init
		}
	}
	_, ok := c.known[string(c.encode(s))]
	return ok
}

// check takes every step from every state.
func (c *certifier) check() error {
	c.judge = replay.NewJudge(c.x, c.p.Properties)
	c.x.Initial(c.s)
	if !c.contains(c.s, 0) {
		return errors.New("certificate: the initial state is not in the set")
	}
	for i, key := range c.states {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.decode(key, c.s)
		if err := c.expand(); err != nil {
			return fmt.Errorf("certificate, state %d: %w", i+1, err)
		}
	}
	return nil
}

// expand checks c.s and its successors.
func (c *certifier) expand() error {
	switch {
	case c.judge.Forbidden(c.s) != nil:
		return errors.New("it violates a property")
	case c.x.Final(c.s):
		if c.judge.Ending(c.s) != nil {
			return errors.New("it is final and violates a property")
		}
		return nil
	}
	enabled := false
	for t := range c.p.Threads {
		for i := range int64(c.x.Flushes(c.s, t)) {
			enabled = true
			if err := c.step(abstract.Event{Thread: t, Edge: abstract.Flush, Choice: i}); err != nil {
				return err
			}
		}
		for _, e := range c.x.Out(t, c.s.PC[t]) {
			for i := range c.x.Choices(t, e) {
				ev := abstract.Event{Thread: t, Edge: e, Choice: i}
				c.to.Copy(c.s)
				if c.x.Step(c.to, ev) == abstract.Disabled {
					continue
				}
				enabled = true
				if err := c.step(ev); err != nil {
					return err
				}
			}
		}
	}
	if !enabled && c.judge.Deadlock(c.s) != nil {
		return errors.New("it is a deadlock")
	}
	return nil
}

// step checks one step.
func (c *certifier) step(ev abstract.Event) error {
	c.to.Copy(c.s)
	c.out.Transitions++
	switch c.x.Step(c.to, ev) {
	case abstract.Done:
		if !c.contains(c.to, ev.Thread) {
			return fmt.Errorf("a step of thread %s leads out of the set", c.p.Threads[ev.Thread].Name)
		}
		return nil
	case abstract.Failed:
		return errors.New("an assertion fails")
	}
	return c.x.StrayError(ev)
}
