package explore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

func describeTrace(r *executions) string {
	s := ""
	for i := range r.events {
		e := &r.events[i]
		if e.pick >= 0 {
			s += fmt.Sprintf("  %d: P%d pick %d\n", i, e.proc, e.pick)
			continue
		}
		c := "flush"
		if e.proc < r.threads {
			c = r.edge(e.proc, e.step.Edge).Cmd.Format(r.x.Program, r.x.Program.Threads[e.proc])
		}
		s += fmt.Sprintf("  %d: P%d %s out %d foot %+v races %v clock %v\n", i, e.proc, c, e.out, e.foot, e.races, e.clock)
	}
	return s
}

func TestDebug(t *testing.T) {
	for _, shape := range executionShapes {
		if shape.name != *dbgShape {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(*dbgSeed), 77))
		p := randprog.New(rng, shape.opts)
		if shape.scramble {
			scramble(rng, p)
		}
		debugProgram(t, p, memory.Model(*dbgModel))
	}
}

func debugProgram(t *testing.T, p *program.Program, m memory.Model) {
	t.Log(dump(p))
	all := exploreWith(t, p, ExecutionOptions{Model: m, MaxEvents: 14}, func(r *executions) algorithm { return &interleavings{r} })
	for a, w := range algorithms {
		got := exploreWith(t, p, ExecutionOptions{Model: m, MaxEvents: 14}, w)
		t.Log(a, got.res.Stats, len(got.traces.seen))
		n := 0
		for k, d := range all.traces.seen {
			if _, ok := got.traces.seen[k]; !ok && n < 3 {
				n++
				t.Logf("missing:\n%s", d)
			}
		}
		n = 0
		for _, d := range got.traces.again {
			if n < 2 {
				n++
				t.Logf("again:\n%s", d)
			}
		}
		if *dbgAll {
			for _, d := range got.traces.order {
				t.Logf("%v\n%s", a, d)
			}
		}
	}
}
