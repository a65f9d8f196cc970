package graphs

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// How many executions there are is estimated from walks through the tree of parts of executions. Of most parts nothing comes, since a
// read waits for a write that never does, so that a walk to one child after the other hardly ever comes to an execution. So a walk
// is broad: it takes one part along of each class of parts at a depth, which stands for all that were met of its class, and is taken at random
// by what each of them stands for (Chen, "Heuristic sampling: a method for predicting the performance of tree searching programs",
// SIAM Journal on Computing 21, 1992). The expectation is right whatever the classes are; the more alike what comes of the parts of a class, the
// less walks differ.

// A class is of parts that are alike: as far from the root, with as many reads that wait for a write, and as many threads that are at their ends, and events that are settled.
type class struct{ delayed, reads, writes, ended int }

func (s *unfolding) class() (c class) {
	for e := range s.holes {
		c.delayed += int(program.Bool(s.holes[e].delayed))
		if h := &s.holes[e]; h.settled && h.Kind == memory.Read {
			c.reads++
		} else if h.settled {
			c.writes++
		}
	}
	for k := range s.threads {
		c.ended += int(program.Bool(s.threads[k].ended))
	}
	return c
}

// A walk is what a walk has come to at one depth.
type walk struct {
	rng  *rand.Rand
	next []sample // by class
	of   float64  // what the part stands for of which children come
}

// A sample is a part that stands for so many of its class.
type sample struct {
	class
	child
	weight float64
}

// take takes children along.
func (w *walk) take(all []child) {
	for _, c := range all {
		k := c.s.class()
		i, there := slices.BinarySearchFunc(w.next, k, func(a sample, k class) int {
			return cmp.Or(a.delayed-k.delayed, a.reads-k.reads, a.writes-k.writes, a.ended-k.ended)
		})
		if !there {
			w.next = slices.Insert(w.next, i, sample{k, c, w.of})
			continue
		}
		if w.next[i].weight += w.of; w.rng.Float64()*w.next[i].weight < w.of {
			w.next[i].child = c
		}
	}
}

// Estimates tells how many executions [Check] would count, from that many walks. The result has no verdict but Unknown, and says why where
// nothing is known.
func Estimates(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, walks int) (*crew.Estimate, *verdict.Result, error) {
	x, j, r, err := prepare(ctx, p, def, opts, verdict.FinalStates)
	if x == nil {
		return nil, r, err
	}
	u, begin := x.unfold(j)
	u.walk = &walk{rng: rand.New(rand.NewPCG(1, 2))}
	var all [][2]float64
	for range walks {
		n := u.walkDown(begin.clone())
		if x.err != nil {
			break
		}
		all = append(all, n)
	}
	switch why := Reason(x.err); {
	case why != "":
		return nil, verdict.Unknown(p, def.Model, why), nil
	case x.err != nil && ctx.Err() == nil:
		return nil, nil, x.err
	case len(all) == 0:
		return nil, verdict.Unknown(p, def.Model, "no walk through the tree of executions came to an end"), nil
	}
	return crew.Estimated(all), verdict.Unknown(p, def.Model, "executions were estimated and not explored"), nil
}

// walkDown is how many executions there seem to be, and how many others, as far as one walk from s tells.
func (u *unfolder) walkDown(s *unfolding) (n [2]float64) {
	level := []sample{{child: child{s: s, then: (*unfolder).run}, weight: 1}}
	for len(level) > 0 && u.err == nil {
		u.walk.next = nil
		for _, part := range level {
			full, rest := u.judge.executions, u.judge.blocked+u.judge.cut
			u.walk.of, u.stopped = part.weight, false
			part.then(u, part.s)
			n[0] += part.weight * float64(u.judge.executions-full)
			n[1] += part.weight * float64(u.judge.blocked+u.judge.cut-rest)
		}
		level = u.walk.next
	}
	return n
}
