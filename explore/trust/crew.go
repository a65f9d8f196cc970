package trust

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A task is a part of the tree to be explored: what is below the graph that the path leads to.
type task struct {
	path []int32
	part float64
}

// A crew is explorers that share a tree. Nothing is shared but what is left to do: who has
// nothing is given a child by another, as a path, and follows it. Each graph is counted by
// who explores it, so that the sums do not depend on who does what.
type crew struct {
	opts  Options
	size  int
	start time.Time

	hungry atomic.Bool // somebody has nothing to do, and nothing is waiting to be done
	over   atomic.Bool // everybody is to stop
	leaves atomic.Int64
	full   atomic.Int64 // executions and others, as far as the workers have told
	rest   atomic.Int64

	mu       sync.Mutex
	come     sync.Cond // when there is a task, or there will be none
	tasks    []task
	idle     int
	fraction float64
	best     []int32 // the path to the violation found, the smallest
	finder   *explorer
	shown    time.Time
	recent   []float64 // what the total seemed to be
}

func newCrew(opts Options, size int) *crew {
	c := &crew{opts: opts, size: size, start: time.Now(), shown: time.Now(), tasks: []task{{part: 1}}}
	if opts.Model.Certifies() { // where graphs come from several others there is no tree
		c.tasks[0].part = 0
	}
	c.come.L = &c.mu
	return c
}

// take waits for a task.
func (c *crew) take() (task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle++
	for len(c.tasks) == 0 && c.idle < c.size && !c.over.Load() {
		c.hungry.Store(true)
		c.come.Wait()
	}
	if len(c.tasks) == 0 || c.over.Load() {
		c.come.Broadcast()
		return task{}, false
	}
	c.idle--
	t := c.tasks[0] // the largest, as a rule
	c.tasks = c.tasks[1:]
	return t, true
}

// give hands the child, which is this part of the tree, to whoever has nothing to do.
func (x *explorer) give(part float64) bool {
	c := x.crew
	if part <= 0 || !c.hungry.Load() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle <= len(c.tasks) {
		c.hungry.Store(false)
		return false
	}
	c.tasks = append(c.tasks, task{slices.Clone(x.path), part})
	c.hungry.Store(c.idle > len(c.tasks))
	c.come.Signal()
	return true
}

// done takes account of a part of the tree that is explored.
func (c *crew) done(part float64) {
	c.mu.Lock()
	c.fraction += part
	c.mu.Unlock()
}

// later is true of a path that is not before that to the violation that is known.
func (c *crew) later(path []int32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best != nil && slices.Compare(path, c.best) >= 0
}

// explore explores all, and leaves what it came to in x.
func (x *explorer) explore() {
	c := x.crew
	if c.size == 1 {
		x.toil()
	} else {
		var wg sync.WaitGroup
		others := make([]*explorer, c.size-1)
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
		t, ok := x.crew.take()
		if !ok {
			break
		}
		if x.crew.later(t.path) {
			continue
		}
		x.goal, x.part, x.path, x.cancelled = t.path, t.part, x.path[:0], false
		x.tree = position{only: every, weight: t.part, guided: len(t.path) > 0}
		x.tour()
		x.tell()
		if x.found != nil {
			x.report()
		}
		if x.stopped != "" || x.err != nil {
			x.crew.over.Store(true)
		}
	}
	x.tell()
}

// report tells the others of the violation that was found.
func (x *explorer) report() {
	c := x.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.best == nil || slices.Compare(x.found.path, c.best) < 0 {
		c.best, c.finder = x.found.path, x
		x.violation = x.found
	}
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
	x.crew.full.Add(full - x.toldFull)
	x.crew.rest.Add(rest - x.toldRest)
	x.toldFull, x.toldRest = full, rest
}

// show reports progress now and then: how many graphs there were, which part of the tree is
// explored, and how many graphs there seem to be. The last samples of that are its spread.
func (c *crew) show() {
	if c.opts.Progress == nil || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.shown) < 200*time.Millisecond {
		return
	}
	c.shown = now
	full, rest := c.full.Load(), c.rest.Load()
	line := fmt.Sprintf("%s executions, %s blocked", verdict.Thousands(full), verdict.Thousands(rest))
	if c.fraction > 0 {
		if len(c.recent) == 20 {
			c.recent = slices.Delete(c.recent, 0, 1)
		}
		c.recent = append(c.recent, float64(full+rest)/c.fraction)
		line += fmt.Sprintf("; %s of about %s", percent(c.fraction), approx(c.recent[len(c.recent)-1]))
		if lo, hi := approx(slices.Min(c.recent)), approx(slices.Max(c.recent)); lo != hi {
			line += fmt.Sprintf(" (%s to %s)", lo, hi)
		}
	}
	c.opts.Progress(line)
}

// percent is a part of one, rounded down.
func percent(part float64) string {
	switch {
	case part >= 1:
		return "100 %"
	case part >= 0.1:
		return fmt.Sprintf("%d %%", int(part*100))
	case part >= 0.001:
		return fmt.Sprintf("%.1f %%", math.Floor(part*1000)/10)
	}
	return fmt.Sprintf("%.1g %%", part*100)
}

// approx is a number of graphs that is not known exactly, to two places.
func approx(n float64) string {
	if n >= 1e15 {
		return fmt.Sprintf("%.1e", n)
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(max(n, 1)))-1))
	return verdict.Thousands(int64(math.Round(n/unit) * unit))
}
