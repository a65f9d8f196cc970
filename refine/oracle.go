package refine

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// An Oracle says where lazy TSO reachability introduces store buffering next
// (thesis 3.1). Next returns paths of different threads, which may be extended side
// by side, or none: then the program reaches the same states, with empty buffers,
// under SC and under TSO. It must not return none for another reason; where it
// gives up, ok is false.
//
// origin tells, by thread and edge, which edge of the program at the outset one
// stands for, or -1.
type Oracle interface {
	Next(ctx context.Context, p *program.Program, origin [][]int) (paths []Path, ok bool, err error)
}

// NewRobustnessOracle is the oracle of the thesis, section 3.1.2: the path of a
// witness against robustness, for each thread that has one.
//
// A thread with loops has endlessly many paths. For lack of a better reason to
// prefer some, witnesses whose path goes round loops (of the program at the outset)
// less often come first: each bound on the rounds leaves finitely many paths, and
// none comes twice.
func NewRobustnessOracle(opts Options) Oracle {
	return &robustnessOracle{opts: opts.withDefaults()}
}

type robustnessOracle struct {
	opts   Options
	rounds int
	back   [][]bool // by thread and edge of the program at the outset
}

func (o *robustnessOracle) Next(ctx context.Context, p *program.Program, origin [][]int) ([]Path, bool, error) {
	if o.back == nil {
		for i, t := range p.Threads {
			o.back = append(o.back, program.FindLoops(t, program.Live(p, i, false)).Back)
		}
	}
	x, err := newRobustness(p, o.opts)
	if err != nil {
		return nil, false, err
	}
	x.prefixes = true
	x.findThreats()
	for {
		var paths []Path
		bounded := false
		for _, th := range x.threats {
			th.limit(o.rounds, func(e int) bool {
				was := origin[th.thread][e]
				return was >= 0 && o.back[th.thread][was]
			})
			w, err := x.search(ctx, []*threat{th})
			if err != nil {
				return nil, false, err
			}
			if w != nil {
				paths = append(paths, w.path())
			}
			bounded = bounded || th.bounded
		}
		if len(paths) > 0 {
			return paths, true, nil
		}
		if x.incomplete {
			return nil, false, nil
		}
		if !bounded {
			return nil, true, nil
		}
		// Is there anything beyond the bound?
		more := false
		for _, th := range x.threats {
			if !th.bounded {
				continue
			}
			th.limit(-1, nil)
			w, err := x.search(ctx, []*threat{th})
			if err != nil {
				return nil, false, err
			}
			more = more || w != nil
		}
		if x.incomplete {
			return nil, false, nil
		}
		if !more {
			return nil, true, nil
		}
		o.rounds = max(1, 2*o.rounds)
	}
}

// path is the edges of the attacker from its first delayed store to its last load.
func (w *witness) path() Path {
	p := Path{Thread: w.attacker}
	on := false
	for _, m := range w.moves {
		if m.Thread != w.attacker {
			continue
		}
		if on = on || m.kind == delayMove; on {
			p.Edges = append(p.Edges, m.Edge)
		}
	}
	return p
}

// limit lets the attacker take only so many of certain edges while it delays; less
// than 0: as many as it likes. bounded says whether that excludes anything.
func (th *threat) limit(rounds int, counts func(edge int) bool) {
	th.rounds, th.counts, th.bounded = rounds, counts, false
}

// NewEnumerationOracle returns the paths that could matter one by one, short ones
// first (thesis 6.2), without looking for a witness. It knows only what the
// automata show: see threat.
func NewEnumerationOracle() Oracle { return enumerationOracle{} }

type enumerationOracle struct{}

func (enumerationOracle) Next(_ context.Context, p *program.Program, _ [][]int) ([]Path, bool, error) {
	r, err := program.Analyse(p)
	if err != nil {
		return nil, false, err
	}
	var paths []Path
	for _, th := range threats(p, r) {
		var best []int
		for _, a := range th.attacks {
			if path := shortestDelay(p.Threads[a.Thread], a); best == nil || path != nil && len(path) < len(best) {
				best = path
			}
		}
		if best != nil {
			paths = append(paths, Path{th.thread, best})
		}
	}
	return paths, true, nil
}

// shortestDelay is a shortest path from the store of an attack to its load, without
// a fence.
func shortestDelay(t *program.Thread, a Attack) []int {
	by := make([]int, len(t.States)) // the edge by which a state is reached
	for q := range by {
		by[q] = -1
	}
	start, end := t.Edges[a.Store].To, t.Edges[a.Load].From
	queue := []program.StateID{start}
	seen := make([]bool, len(t.States))
	seen[start] = true
	out := t.Out()
	for len(queue) > 0 && !seen[end] {
		q := queue[0]
		queue = queue[1:]
		for _, e := range out[q] {
			if to := t.Edges[e].To; !seen[to] && !drains(&t.Edges[e].Cmd) {
				seen[to], by[to] = true, e
				queue = append(queue, to)
			}
		}
	}
	if !seen[end] {
		return nil
	}
	path := []int{a.Load}
	for q := end; q != start; q = t.Edges[by[q]].From {
		path = append(path, by[q])
	}
	path = append(path, a.Store)
	slices.Reverse(path)
	return path
}
