package randprog

import (
	"math/rand/v2"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/program"
)

// Scramble changes p, which is structured, into what no front end would write
// but the model allows: edges between any two states, choices between a fence
// and something else, locks that are not given back, faults, assertions within
// atomic blocks, and properties about any register, cell or control state.
func Scramble(rng *rand.Rand, p *program.Program) {
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	for _, t := range p.Threads {
		cond := func() program.Expr {
			return program.Binary{Op: program.Ne, X: program.Reg(rng.IntN(len(t.Regs))), Y: program.Const(rng.IntN(3))}
		}
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			switch {
			case c.Op == program.Unlock && chance(30):
				*c = program.Skip()
			case c.Op == program.Assert && chance(30):
				c.Kind = program.Fault
			case c.Op == program.Fence && chance(30):
				c.Tags = program.NewTags([]string{program.TagMFence, program.TagSFence, program.TagLFence}[rng.IntN(3)])
			}
			for c.Op == program.Atomic && chance(30) {
				a := program.Command{Op: program.Assert, Value: cond(), Kind: program.AssertKind(rng.IntN(2))}
				k := rng.IntN(len(c.Body) + 1)
				body := append([]program.Command{}, c.Body[:k]...)
				c.Body = append(append(body, a), c.Body[k:]...)
			}
		}
		for range rng.IntN(4) {
			e := t.Edges[rng.IntN(len(t.Edges))]
			switch rng.IntN(8) {
			case 0:
				e.Cmd = program.Command{Op: program.Fence}
			case 1:
				e.Cmd = program.Skip()
			case 2:
				e.Cmd = program.Command{Op: program.Assign, Reg: rng.IntN(len(t.Regs)), Value: program.Const(rng.IntN(3))}
			case 3:
				e.Cmd = program.Command{Op: program.Check, Value: cond()}
			case 4:
				e.Cmd = program.Command{Op: program.Store, Addr: program.Const(p.Memory[rng.IntN(len(p.Memory))].Addr), Value: program.Const(rng.IntN(3))}
			case 5:
				e.Cmd = program.Command{Op: program.Unlock}
			}
			if chance(70) {
				e.To = program.StateID(rng.IntN(len(t.States)))
			}
			if chance(30) {
				e.From = program.StateID(rng.IntN(len(t.States)))
			}
			t.Edges = append(t.Edges, e)
		}
		rng.Shuffle(len(t.Edges), func(i, j int) { t.Edges[i], t.Edges[j] = t.Edges[j], t.Edges[i] })
	}
	if chance(25) {
		p.Properties = append(p.Properties, program.Property{Kind: program.Deadlock})
	}
	if chance(25) {
		p.Filter = progtest.Or(
			progtest.Eq(program.ThreadReg{Thread: 0, Reg: rng.IntN(len(p.Threads[0].Regs))}, int64(rng.IntN(3))),
			progtest.Eq(program.Mem{Addr: p.Memory[0].Addr}, int64(rng.IntN(3))))
	}
	for range rng.IntN(3) {
		term := func() program.Expr {
			ti := rng.IntN(len(p.Threads))
			t := p.Threads[ti]
			switch rng.IntN(4) {
			case 0:
				return progtest.Eq(program.ThreadReg{Thread: ti, Reg: rng.IntN(len(t.Regs))}, int64(rng.IntN(3)))
			case 1:
				return progtest.Eq(program.Mem{Addr: p.Memory[rng.IntN(len(p.Memory))].Addr}, int64(rng.IntN(3)))
			}
			var at program.At
			at.Thread = ti
			for q := range t.States {
				if chance(25) {
					at.States = append(at.States, program.StateID(q))
				}
			}
			return at
		}
		cond := progtest.And(term(), term())
		if chance(50) {
			cond = progtest.And(cond, term())
		}
		if chance(20) {
			cond = progtest.Or(cond, progtest.And(term(), term(), term()))
		}
		p.Properties = append(p.Properties, program.Property{Kind: program.Forbid, Cond: cond})
	}
}
