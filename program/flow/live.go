package flow

import "github.com/fencepost-verifier/fencepost/program"

// Live is, for every control state of a thread, the registers whose value may
// still be read: by a later command before it is written, by a property, or by
// the filter on final states.
// With keepFinal, all registers of the source are live where the thread ends,
// as whoever lists final states needs it.
//
// A register that is not live may hold anything: searches set it to its initial
// value, so that states that differ in nothing else are one.
func Live(p *program.Program, thread int, keepFinal bool) []program.RegSet {
	t := p.Threads[thread]
	out := t.Out()
	live := program.NewRegSets(len(t.States), len(t.Regs))
	observe := func(q int, cond program.Expr) {
		program.Walk(cond, func(e program.Expr) {
			if r, ok := e.(program.ThreadReg); ok && r.Thread == thread {
				live[q].Add(r.Reg)
			}
		})
	}
	for q := range live {
		final := len(out[q]) == 0 || t.States[q].Kind == program.Unstarted
		for i := range p.Properties {
			if pr := &p.Properties[i]; !pr.Final() || final {
				observe(q, pr.Cond)
			}
		}
		if final {
			observe(q, p.Filter)
		}
		if final && keepFinal {
			for r := range t.Regs {
				if !t.Regs[r].Temp {
					live[q].Add(r)
				}
			}
		}
	}
	t.Live(live)
	return live
}
