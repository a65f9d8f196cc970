package choices

import (
	"encoding/binary"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Programs that are about something else than their data choose it freely: what a producer puts into a buffer is rand().
// Values that are handed on through memory and never decide of anything, or of no more than how they compare with
// constants, need not all be tried (data independence: Wolper, "Expressing interesting properties of programs in
// propositional temporal logic", POPL 1986). What is known of choices that stay in registers is in thresholds.go.

const (
	maxTold      = 8       // how many of them are told apart at most
	maxRemainder = 1 << 10 // the greatest divisor of which all remainders are tried
)

// A holder is a register, or, where thread is -1, a cell by its index.
type holder struct{ thread, index int }

// What is passed on is made of one register, and goes to holders.
type passed struct {
	value program.Expr
	to    []holder
}

// A question is what is asked of a value: whether the expression of it is 0, or, where it is whole, what it is.
type question struct {
	e     program.Expr
	whole bool
}

// A destiny is what is done with what a holder holds.
type destiny struct {
	mixed   bool  // it is used as an address, together with others, or by something that is not known here
	bare    bool  // it is used otherwise than to be divided by divisor, for the remainder
	divisor int64 // 0: none
	// unsigned is whether a remainder is that of unsigned numbers.
	unsigned bool
	told     []question // what is asked of it
	flows    []passed
	choices  []int // the edges of the thread that choose it
	written  bool  // by something else
}

// A sampling is the work on one program.
type sampling struct {
	p        *program.Program
	r        *program.Ranges
	destiny  map[holder]*destiny
	inMemory bool // something that is chosen from fewer values gets there
}

// Independent are choices of values that are handed on and not computed with: as many values as can be told apart, wherever they
// get to, and at least so many. sampled is whether fewer values than there are get to memory.
func Independent(p *program.Program, r *program.Ranges, least int) (all []Choice, sampled bool) {
	s := &sampling{p: p, r: r, destiny: map[holder]*destiny{}}
	for ti, t := range p.Threads {
		for i := range t.Edges {
			s.command(ti, i, &t.Edges[i].Cmd)
		}
	}
	for ti, t := range p.Threads {
		for reg := range t.Regs {
			d := s.destiny[holder{ti, reg}]
			if d == nil || d.written || len(d.choices) == 0 || !Wide(&t.Edges[d.choices[0]].Cmd) {
				continue
			}
			first := &t.Edges[d.choices[0]].Cmd
			if slices.ContainsFunc(d.choices, func(i int) bool {
				c := &t.Edges[i].Cmd
				return c.Lo != first.Lo || c.Hi != first.Hi
			}) {
				continue
			}
			if values := s.values(holder{ti, reg}, d, first.Lo, first.Hi, least); values != nil {
				for _, i := range d.choices {
					all = append(all, Choice{ti, i, values})
				}
			}
		}
	}
	return all, s.inMemory
}

func (s *sampling) of(h holder) *destiny {
	d := s.destiny[h]
	if d == nil {
		d = &destiny{}
		s.destiny[h] = d
	}
	return d
}

// mix takes in an expression whose registers are lost sight of.
func (s *sampling) mix(ti int, e program.Expr) {
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			s.of(holder{ti, int(r)}).mixed = true
		}
	})
}

// alone is the register that is the only one in e.
func alone(e program.Expr) (reg int, ok bool) {
	reg = -1
	ok = true
	program.Walk(e, func(e program.Expr) {
		if r, is := e.(program.Reg); is {
			ok = ok && (reg < 0 || reg == int(r))
			reg = int(r)
		}
	})
	return reg, ok && reg >= 0
}

// divide takes in which registers of e are divided.
func (s *sampling) divide(ti int, e program.Expr) {
	switch e := e.(type) {
	case program.Reg:
		s.of(holder{ti, int(e)}).bare = true
	case program.Unary:
		s.divide(ti, e.X)
	case program.Binary:
		if r, ok := e.X.(program.Reg); ok && (e.Op == program.Rem || e.Op == program.URem) {
			if k, ok := e.Y.(program.Const); ok {
				d := s.of(holder{ti, int(r)})
				d.bare = d.bare || d.divisor != 0 && d.divisor != int64(k)
				d.divisor, d.unsigned = int64(k), d.unsigned || e.Op == program.URem
				return
			}
		}
		s.divide(ti, e.X)
		s.divide(ti, e.Y)
	}
}

// command takes in a command: of edge i of a thread, or of its body, where i is -1.
func (s *sampling) command(ti, i int, c *program.Command) {
	goes := func(to []holder) {
		if reg, ok := alone(c.Value); ok {
			d := s.of(holder{ti, reg})
			d.flows = append(d.flows, passed{c.Value, to})
			return
		}
		s.mix(ti, c.Value)
	}
	s.divide(ti, c.Addr)
	s.divide(ti, c.Value)
	switch c.Op {
	case program.Atomic:
		for k := range c.Body {
			s.command(ti, -1, &c.Body[k])
		}
	case program.Check, program.Assert:
		if reg, ok := alone(c.Value); ok && !flowgraph.Placeholder(c) {
			d := s.of(holder{ti, reg})
			d.told = append(d.told, question{c.Value, false})
			return
		}
		s.mix(ti, c.Value)
	case program.Havoc:
		d := s.of(holder{ti, c.Reg})
		if i < 0 {
			d.written = true
			return
		}
		d.choices = append(d.choices, i)
	case program.Assign:
		s.of(holder{ti, c.Reg}).written = true
		goes([]holder{{ti, c.Reg}})
	case program.Load, program.Store:
		s.mix(ti, c.Addr)
		var cells []holder
		for _, k := range s.r.Access[c] {
			h := holder{-1, k}
			if c.Tags.Has(flowgraph.FreeTag) { // it does not look at what is there
				break
			}
			if cells = append(cells, h); !flowgraph.FitsTag(flowgraph.WordOf(&s.r.Cells[k]), c.Tags) {
				s.of(h).mixed = true
			}
			if c.Op == program.Load {
				d := s.of(h)
				d.flows = append(d.flows, passed{program.Reg(k), []holder{{ti, c.Reg}}})
			}
		}
		if c.Op == program.Store {
			goes(cells)
		} else {
			s.of(holder{ti, c.Reg}).written = true
		}
	default:
		s.mix(ti, c.Addr)
		s.mix(ti, c.Value)
	}
}

// evalAt is what an expression of one register is where that is v.
func evalAt(e program.Expr, v int64) int64 {
	return program.Eval(e, &program.Env{Reg: func(program.Reg) int64 { return v }})
}

// values are those of lo to hi that a register is to be chosen from, or nil: all.
func (s *sampling) values(reg holder, d *destiny, lo, hi int64, least int) []int64 {
	all := d.remainders(lo, hi) // which is as good as all values
	tried := all
	if tried == nil {
		tried = s.compared(reg, lo, hi)
	}
	if tried == nil {
		return nil
	}
	told, memory := s.told(reg, tried)
	switch {
	case told == nil:
		return all
	case len(told) < least && len(tried) >= least:
		told = tried[:least]
	}
	s.inMemory = s.inMemory || memory
	return told
}

// remainders are values of a register of which nothing but the remainders of one division is used, one for each of these.
func (d *destiny) remainders(lo, hi int64) []int64 {
	if d.bare || d.divisor <= 0 || d.divisor > maxRemainder || lo > 0 || hi < 0 || d.unsigned && lo < 0 {
		return nil
	}
	var values []int64
	for v := max(lo, 1-d.divisor); v <= min(hi, d.divisor-1); v++ {
		values = append(values, v)
	}
	return values
}

// compared are values of a register that is handed on as it is and compared with constants, or nil: at least one for each that
// can be told apart.
func (s *sampling) compared(reg holder, lo, hi int64) []int64 {
	told, _, ok := s.reach([]holder{reg})
	if !ok {
		return nil
	}
	values := []int64{lo, hi}
	for _, q := range told {
		if !compares(q.e) {
			return nil
		}
		program.Walk(q.e, func(e program.Expr) {
			if k, ok := e.(program.Const); ok {
				for _, v := range []int64{int64(k) - 1, int64(k), int64(k) + 1} {
					if lo <= v && v <= hi {
						values = append(values, v)
					}
				}
			}
		})
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// compares is true of an expression that compares a register with constants.
func compares(e program.Expr) bool {
	switch e := e.(type) {
	case program.Reg:
		return true
	case program.Unary:
		return e.Op == program.LogicalNot && compares(e.X)
	case program.Binary:
		switch e.Op {
		case program.LogicalAnd, program.LogicalOr:
			return compares(e.X) && compares(e.Y)
		case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
			return flowgraph.Atom(e.X) && flowgraph.Atom(e.Y)
		}
	}
	return false
}

// reach follows what holders hold to all that it is copied to: what is asked of it there; ok is false where it is used in another
// way, too.
func (s *sampling) reach(from []holder) (told []question, to []holder, ok bool) {
	seen := map[holder]bool{}
	for work := slices.Clone(from); len(work) > 0; {
		h := work[len(work)-1]
		if work = work[:len(work)-1]; seen[h] {
			continue
		}
		seen[h] = true
		to = append(to, h)
		d := s.destiny[h]
		if d == nil {
			continue
		}
		if d.mixed {
			return nil, nil, false
		}
		told = append(told, d.told...)
		for _, f := range d.flows {
			if _, copied := f.value.(program.Reg); !copied {
				told = append(told, question{f.value, true})
				continue
			}
			work = append(work, f.to...)
		}
	}
	return told, to, true
}

// told are those of the values of a register that are told apart, the least ones; nil: more is made of it than can be seen
// through, or there are too many. memory is whether others get to memory.
func (s *sampling) told(reg holder, values []int64) (some []int64, memory bool) {
	d := s.destiny[reg]
	if d.mixed {
		return nil, false
	}
	signs := make([][]byte, len(values))
	tell := func(by []question, value func(int64) int64) {
		for _, q := range by {
			for i, v := range values {
				answer := evalAt(q.e, value(v))
				if !q.whole {
					answer = program.Bool(answer != 0)
				}
				signs[i] = binary.AppendVarint(signs[i], answer)
			}
		}
	}
	tell(d.told, func(v int64) int64 { return v })
	for _, f := range d.flows {
		by, to, ok := s.reach(f.to)
		if !ok {
			tell([]question{{f.value, true}}, func(v int64) int64 { return v })
			continue
		}
		value := func(v int64) int64 { return evalAt(f.value, v) }
		for _, h := range to {
			memory = memory || h.thread < 0
			t := s.typeOf(h)
			if slices.ContainsFunc(values, func(v int64) bool { return t.Wrap(value(v)) != value(v) }) {
				return nil, false
			}
		}
		tell(by, value)
	}
	seen := map[string]bool{}
	for i, v := range values {
		if k := string(signs[i]); !seen[k] {
			seen[k] = true
			some = append(some, v)
		}
	}
	if len(some) > maxTold {
		return nil, false
	}
	return some, memory
}

func (s *sampling) typeOf(h holder) program.Type {
	if h.thread < 0 {
		return flowgraph.WordOf(&s.r.Cells[h.index])
	}
	return s.p.Threads[h.thread].Regs[h.index].Type
}
