package symbolic

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// encode is the bits of a state of the abstract.System; false where it is not a
// state of y.
func (y *System) encode(s *abstract.State) ([]bool, bool) {
	out := make([]bool, len(y.Bits))
	set := func(f *field, v int64) bool {
		switch {
		case len(f.bits) == 0:
			return true
		case f.few != nil:
			i := slices.Index(f.few, v)
			if len(f.few) == 2 {
				out[f.bits[0]] = i == 1
			} else if i >= 0 {
				out[f.bits[i]] = true
			}
			return i >= 0
		}
		for i, k := range f.bits {
			out[k] = v>>i&1 != 0
		}
		return true
	}
	ok := true
	for ti, q := range s.PC {
		if i := y.blocks[ti].index[q]; i >= 0 {
			out[y.lay.at[ti][i]] = true
		} else {
			ok = false
		}
		for r := range y.lay.regs[ti] {
			v := s.Regs[ti][r]
			if y.zeroed(ti, q, r) {
				v = y.Program.Threads[ti].Regs[r].Init
			}
			ok = set(&y.lay.regs[ti][r], v) && ok
		}
		if !y.Buffer.Immediate() {
			ok = y.lay.bufs[ti].fill(out, &s.Buf[ti]) && ok
		}
	}
	for c := range y.lay.cells {
		ok = set(&y.lay.cells[c], s.Mem[c]) && ok
	}
	if s.Lock >= 0 {
		out[y.lay.lock[s.Lock]] = true
	}
	return out, ok
}

// choices is the value of every input that makes a step.
type choices []bool

func (y *System) choices(value func(solver.Lit) bool) choices {
	c := make(choices, len(y.inputs))
	for i, l := range y.inputs {
		c[i] = value(l)
	}
	return c
}

// number reads a binary number among the inputs.
func (y *System) number(c choices, lits []solver.Lit) int64 {
	return append(circuit.Vector(slices.Clone(lits)), -1).Eval(func(l solver.Lit) bool {
		i := slices.Index(y.inputs, l)
		return i >= 0 && c[i]
	})
}

// follow performs the step of c on s, event by event, and appends the events.
func (y *System) follow(events []abstract.Event, s *abstract.State, c choices) ([]abstract.Event, abstract.Outcome, error) {
	in := &y.in
	ti := int(y.number(c, in.threadNo))
	if i := slices.Index(y.inputs, in.flush); i >= 0 && c[i] {
		ev, ok := y.flushEvent(s, ti, int(y.number(c, in.pairNo)), c[slices.Index(y.inputs, in.takes)])
		if !ok {
			return events, 0, fmt.Errorf("internal error: a flush of the circuit is none of the buffer %s", abstract.Name(y.Buffer))
		}
		return append(events, ev), y.x.Step(s, ev), nil
	}
	t, bl := y.Program.Threads[ti], &y.blocks[ti]
	from := s.PC[ti]
	take := func() (abstract.Outcome, error) {
		q := s.PC[ti]
		if !y.ranges.Reachable[ti][q] {
			return 0, fmt.Errorf("internal error: thread %s gets to control state %d, which the analysis ruled out", t.Name, q)
		}
		out := bl.out[q]
		e := out[0]
		switch {
		case len(out) == 2 && flow.Opposite(&t.Edges[out[0]].Cmd, &t.Edges[out[1]].Cmd):
			if y.x.Enabled(s, ti, e) != abstract.Done {
				e = out[1]
			}
		case len(out) > 1:
			e = out[y.slot(ti, site{from, q, -1, -1}, c)]
		}
		ev := abstract.Event{Thread: ti, Edge: e}
		cmd := &t.Edges[e].Cmd
		radix, havocs := int64(1), 0
		digit := func(h *program.Command) {
			if h.Op == program.Havoc {
				if h.Hi > h.Lo {
					ev.Choice += radix * y.slot(ti, site{from, -1, e, havocs}, c)
				}
				radix *= h.Hi - h.Lo + 1
				havocs++
			}
		}
		digit(cmd)
		for i := range cmd.Body {
			digit(&cmd.Body[i])
		}
		events = append(events, ev)
		o := y.x.Step(s, ev)
		if o != abstract.Done && o != abstract.Failed {
			return o, fmt.Errorf("internal error: the circuit takes edge %d of thread %s, which is not enabled", e, t.Name)
		}
		return o, nil
	}
	o := abstract.Done
	var err error
	if bl.fence[from] {
		o, err = take()
		for err == nil && o == abstract.Done && bl.before[s.PC[ti]] {
			o, err = take()
		}
	}
	if err == nil && o == abstract.Done && len(bl.out[s.PC[ti]]) > 0 {
		o, err = take()
	}
	for err == nil && o == abstract.Done && bl.middle[s.PC[ti]] {
		o, err = take()
	}
	return events, o, err
}

func (y *System) slot(ti int, at site, c choices) int64 {
	sl := y.blocks[ti].slots[at]
	return y.number(c, y.in.choice[sl.index][:bitsFor(sl.n)])
}

// flushEvent finds the number of a flush.
func (y *System) flushEvent(s *abstract.State, ti, pair int, takes bool) (abstract.Event, bool) {
	buf := &s.Buf[ti]
	for i := range y.x.Flushes(s, ti) {
		ev := abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(i)}
		if co, ok := y.Buffer.(abstract.Coherence); ok && co.K > 0 && buf.Pairs[0].Cell != abstract.Barrier {
			return ev, true
		}
		var rest abstract.Contents
		rest.Copy(buf)
		y.Buffer.Flush(&rest, i)
		if y.Buffer.Flushed(buf, i) == y.pairs[ti][pair] && takes == (len(rest.Pairs) < len(buf.Pairs)) {
			return ev, true
		}
	}
	return abstract.Event{}, false
}

// counterexample turns steps from the initial state, the last of which is a
// violation or follows one, into a trace.
func (y *System) counterexample(steps []choices) ([]abstract.Event, *verdict.Violation, error) {
	s := y.x.NewState()
	y.x.Initial(s)
	var events []abstract.Event
	for i, c := range steps {
		if i == len(steps)-1 {
			if v := y.violated(s); v != nil {
				return events, v, nil
			}
		}
		var o abstract.Outcome
		var err error
		if events, o, err = y.follow(events, s, c); err != nil {
			return nil, nil, err
		}
		if o == abstract.Failed {
			cmd := s.Failed
			return events, &verdict.Violation{Kind: cmd.Kind, Text: cmd.Text, Pos: cmd.Pos}, nil
		}
	}
	return nil, nil, fmt.Errorf("internal error: the run of the circuit violates nothing, or leaves the values of the analysis")
}

// violated is the property that s violates, or nil.
func (y *System) violated(s *abstract.State) *verdict.Violation {
	pr := y.judge.Violated(s)
	if pr == nil {
		return nil
	}
	return &verdict.Violation{Property: pr, Text: pr.String(), Pos: pr.Pos}
}
