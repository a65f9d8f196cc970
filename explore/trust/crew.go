package trust

import (
	"sync"
	"sync/atomic"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/replay"
)

// A graphCrew is explorers that share a tree. Each follows the path of a task from the empty graph, and each graph is counted by who
// explores it.
type graphCrew struct {
	*crew.Crew[struct{}]
	leaves atomic.Int64
	finder *explorer
}

func newCrew(opts Options, size int) *graphCrew {
	root := crew.Task[struct{}]{Part: 1}
	if opts.Model.Certifies() { // where graphs come from several others there is no tree
		root.Part = 0
	}
	return &graphCrew{Crew: crew.New(size, opts.Progress, root)}
}

// give hands the child, which is this part of the tree, to whoever has nothing to do.
func (x *explorer) give(part float64) bool {
	return part > 0 && x.crew.Hungry() && x.crew.Give(crew.Task[struct{}]{Path: x.path, Part: part})
}

// explore explores all, and leaves what it came to in x.
func (x *explorer) explore() {
	c := x.crew
	if c.Size() == 1 {
		x.toil()
	} else {
		var wg sync.WaitGroup
		others := make([]*explorer, c.Size()-1)
		for i := range others {
			others[i] = x.another()
			wg.Go(others[i].toil)
		}
		x.toil()
		wg.Wait()
		for _, o := range others {
			x.join(o)
			o.budget.Close()
		}
	}
	x.found = nil
	if c.finder != nil {
		x.found = c.finder.violation
	}
}

// toil explores one part after the other.
func (x *explorer) toil() {
	for {
		t, ok := x.crew.Take()
		if !ok {
			break
		}
		if x.crew.Later(t.Path) {
			continue
		}
		x.goal, x.part, x.path, x.cancelled = t.Path, t.Part, x.path[:0], false
		x.tree = position{only: every, weight: t.Part, guided: len(t.Path) > 0}
		x.tour()
		x.tell()
		if x.found != nil {
			x.report()
		}
		if x.stopped != "" || x.err != nil {
			x.crew.Stop()
		}
	}
	x.tell()
}

// report tells the others of the violation that was found.
func (x *explorer) report() {
	x.crew.Found(x.found.path, func() { x.crew.finder, x.violation = x, x.found })
	x.found = nil
}

// another is an explorer of the same tree.
func (x *explorer) another() *explorer {
	y := &explorer{ctx: x.ctx, p: x.p, opts: x.opts, def: x.def, ranges: x.ranges, threads: x.threads, classes: x.classes, once: x.once,
		system: x.system, end: x.system.NewState(), forbids: x.forbids, blocks: x.blocks, writes: x.writes, onceIn: x.onceIn, torn: x.torn,
		exclusives: x.exclusives, kept: x.kept, wide: x.wide, mutex: x.mutex, takes: x.takes, races: x.races, alike: x.alike, sums: x.sums, rules: x.rules, crew: x.crew, total: x.total, budget: x.total.Child(0)}
	if x.finals != nil {
		y.finals = x.finals
		y.judge = replay.NewLister(y.system, y.finals)
	} else {
		y.judge = replay.NewJudge(y.system, y.p.Properties)
	}
	if x.hang != nil {
		var err error
		if y.hang, err = newHang(y); err != nil {
			y.stop("an interrupt", "")
		}
	}
	if x.lb != nil {
		y.lb = newLBWatch(x.lb.first)
	}
	y.g = newGraph(y.ranges.Cells, len(y.threads))
	y.startThreads()
	y.check = newChecker(y)
	return y
}

// join adds what o came to.
func (x *explorer) join(o *explorer) {
	x.executions += o.executions
	x.blocked += o.blocked
	x.cut, x.cutRounds = x.cut+o.cut, x.cutRounds+o.cutRounds
	x.dropped += o.dropped
	x.visits += o.visits
	x.revisits += o.revisits
	x.deepest = max(x.deepest, o.deepest)
	x.most = max(x.most, o.most)
	if x.lb != nil {
		x.lb.join(o.lb)
	}
	if x.inextensible == "" {
		x.inextensible = o.inextensible
	}
	x.midway = x.midway || o.midway
	if x.stopped == "" {
		x.stopped, x.advice = o.stopped, o.advice
	}
	if x.err == nil {
		x.err = o.err
	}
}

// alone lets f be called by one explorer at a time.
func alone[T any](f func(T)) func(T) {
	var mu sync.Mutex
	return func(v T) {
		mu.Lock()
		defer mu.Unlock()
		f(v)
	}
}

// oneAtATime is opts and found for several explorers.
func oneAtATime(opts Options, found func(*abstract.State)) (Options, func(*abstract.State)) {
	if opts.Graph != nil {
		opts.Graph = alone(opts.Graph)
	}
	if found != nil {
		found = alone(found)
	}
	return opts, found
}

// tell tells how many graphs were explored since it was last told.
func (x *explorer) tell() {
	full, rest := x.executions, x.blocked+x.cut
	x.crew.Count(full-x.toldFull, rest-x.toldRest)
	x.toldFull, x.toldRest = full, rest
}
