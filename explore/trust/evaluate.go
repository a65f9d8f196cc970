package trust

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// evaluated is a checker that knows no more than the definition of the model, and evaluates
// it on the whole graph.
type evaluated struct {
	x    *explorer
	deps bool // whether the model mentions dependencies
}

func newEvaluated(x *explorer) *evaluated {
	c := &evaluated{x: x}
	for _, name := range strings.Fields("addr data ctrl") {
		c.deps = c.deps || x.def.Cat.Mentions(name)
	}
	return c
}

func (c *evaluated) added(*graph, int32)            {}
func (c *evaluated) floor(*graph, int32, int32) int { return 0 }

func (c *evaluated) holds(g *graph, a, r int32) bool {
	return c.x.def.Consistent(c.x.graph(g, c.x.all(), c.deps))
}

// newChecker is the checker for the model.
func newChecker(x *explorer) checker {
	switch m := x.opts.Model; {
	case x.opts.Evaluate && !m.Certifies():
	case x.blocks:
		if (m == memory.SC || m.Operational() && x.p.Arch == program.X86) && !x.p.Parts() && !x.p.Exclusives() {
			return &atOnce{newBuffered(m, len(x.threads))}
		}
	case m.Operational():
		return newBuffered(m, len(x.threads))
	case m == memory.RA:
		return newCausal(x)
	case m == memory.RC11, m.Certifies():
		return newRC11(x)
	}
	return newEvaluated(x)
}
