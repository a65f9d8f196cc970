package explore

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/reduce"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A job is what the workers of a search share.
type job struct {
	ctx    context.Context
	opts   Options
	p      *program.Program  // that is searched
	x      *abstract.System  // of p, or of its gathering
	rows   *reduce.Gathering // nil: there are none
	layout *states.Layout
	props  []program.Property
	dead   [][][]flow.Reset // by thread and edge: what the edge leaves dead
	writes [][]bool         // by thread and edge: whether it may write memory, not a buffer

	reduction reduce.Reduction // whose forks the workers have
	favours   reduce.Favouring // the reduction, where there are favourites; else nil
	symmetry  *reduce.Symmetry // nil: none is made use of
	note      string           // about the symmetry
	rotation  *reduce.Rotation // nil: there are no wheels

	*replay.Judge // tells of one final state at a time

	budget *states.Budget
	common
}

// A search is one search, or one worker of it. Its states are packed by the
// layout and live in the store.
type search struct {
	*job
	red   reduce.Reduction
	store states.Set
	hang  *replay.Hang // nil unless it is asked for

	circles *circles // nil where none need be looked for

	agenda    // what is still to be expanded
	expansion // of one state
	retrace   // when it looks for the way to a state
	tally     // how far it is
	ending    // how it came to its end
}

func newSearch(ctx context.Context, p *program.Program, opts Options, found func(*abstract.State)) (*search, error) {
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	if opts.Reduction == "" || opts.Reduction == DynamicPOR {
		opts.Reduction = Persistent
	}
	start := time.Now()
	p, _ = p.Joined() // as the system has it
	x, err := abstract.CompileContext(ctx, p, opts.Model, opts.Abstraction, opts.Buffer)
	if err != nil {
		return nil, err
	}
	whole := p
	var rows *reduce.Gathering
	alike := 2
	if opts.Symmetry == SomeSymmetry {
		alike = 3
	}
	if opts.Symmetry != NoSymmetry && found == nil && symmetric(opts) == "" && reduce.Likes(p) >= alike {
		if rows = reduce.Gather(p, x.Ranges, p.Properties); rows != nil {
			p = rows.Program
			if x, err = abstract.CompileContext(program.Known(ctx, p, rows.Ranges), p, opts.Model, opts.Abstraction, opts.Buffer); err != nil {
				return nil, err
			}
		}
	}
	j := &job{ctx: ctx, opts: opts, p: whole, x: x, rows: rows, layout: states.NewLayout(x), budget: states.Within(opts.Budget, opts.MemoryLimit),
		common: common{start: start, pulse: verdict.NewPulse(opts.Progress)}}
	if j.Judge = replay.NewJudge(x, p.Properties); found != nil {
		var mu sync.Mutex
		j.Judge = replay.NewLister(x, func(s *abstract.State) {
			mu.Lock()
			defer mu.Unlock()
			found(s)
		})
	}
	asked := j.Asked(p)
	j.props = asked.Properties
	for _, t := range p.Threads {
		writes := make([]bool, len(t.Edges))
		for i := range t.Edges {
			op := t.Edges[i].Cmd.Op
			writes[i] = op == program.Atomic || op == program.Store && x.Buffer.Immediate()
		}
		j.writes = append(j.writes, writes)
	}
	if j.dead = flow.NoneDead(p); !opts.NoLive {
		j.dead = flow.Dead(asked, found != nil)
	}
	task := &reduce.Task{System: x, Props: j.props, Dead: j.dead}
	var ok bool
	if j.reduction, ok = reduce.New(opts.Reduction, task); !ok {
		return nil, fmt.Errorf("there is no reduction %q", opts.Reduction)
	}
	if j.favours, ok = j.reduction.(reduce.Favouring); ok {
		j.opts.Workers = 1
	}
	s := j.worker()
	s.milestones = opts.Milestones
	if opts.Symmetry != NoSymmetry {
		var why string
		if why = s.asymmetric(); why == "" {
			j.symmetry, why = reduce.NewSymmetry(task, j.reduction)
		}
		j.note = j.symmetry.Note(p, why)
		if opts.Symmetry == SomeSymmetry && (j.symmetry == nil || j.symmetry.Orders() < 6) {
			j.symmetry, j.note = nil, ""
		}
	}
	if !opts.NoRotation && !opts.NoLive && !s.Lists() && opts.Abstraction == nil {
		live := make([][]program.RegSet, len(p.Threads))
		for t := range p.Threads {
			live[t] = flow.Live(asked, t, false)
		}
		j.rotation = reduce.NewRotation(task, live)
	}
	if opts.Compact {
		if h, ok := states.NewShards(j.budget, rand.Uint64(), true, opts.Spill); ok {
			s.store = h
		} else {
			s.outOfMemory()
		}
	} else {
		s.store = states.NewFlat(j.budget)
	}
	return s, nil
}

// worker is a search, or a part of one, that has done nothing yet.
func (j *job) worker() *search {
	s := &search{job: j, red: j.reduction.Fork(),
		expansion: expansion{cur: j.x.NewState(), next: j.x.NewState(), perm: make([]int, j.x.Threads())}}
	if j.opts.hang {
		s.hang = replay.NewHang(j.x)
		if !j.opts.Compact && replay.Changing(j.x.Program) {
			s.circles = new(circles)
		}
	}
	return s
}

// asymmetric is why the search can make no use of symmetries; "" where it can.
func (s *search) asymmetric() string {
	switch {
	case s.Lists():
		return "final states are listed one by one"
	case s.favours != nil:
		return "the reduction has a favourite thread"
	}
	return symmetric(s.opts)
}

// symmetric is why a search with the options cannot, whatever is searched.
func symmetric(opts Options) string {
	if opts.Abstraction != nil || opts.Model == memory.PSO {
		return "the store buffers are neither those of sc nor those of tso"
	}
	return ""
}

// run searches until everything is visited, a violation is found or the search
// has to stop.
func (s *search) run() error {
	s.x.Initial(s.next)
	s.trace = s.trace[:0]
	s.nextFavourite = -1
	if s.opts.Compact {
		s.compact()
		return s.err
	}
	s.reach()
	if s.opts.DepthFirst && !s.done() {
		s.depthFirst()
	} else {
		s.breadthFirst()
	}
	if !s.done() && len(s.level)+len(s.later) > 0 {
		s.parallel()
	}
	return s.err
}

// failure is why the store does not work, if it does not.
func (s *search) failure() error {
	if h, ok := s.store.(*states.Hand); ok {
		return h.Failure()
	}
	return nil
}

// close frees what the operating system knows of, and hands the memory back.
func (s *search) close(err *error) {
	if h, ok := s.store.(*states.Hand); ok {
		if e := h.Close(); *err == nil {
			*err = e
		}
	}
	s.budget.Close()
}
