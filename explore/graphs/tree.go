package graphs

import (
	"slices"
	"sync"

	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// The parts of executions that are met along dependencies are a tree, in which each has an equal share for each of those that come
// of it at once and are not refuted. Nothing is shared between its branches but the program, so that others can have them.

// A child is a part of an execution that comes of another, with what is to be done next. Its number does not depend on which of
// its brothers are refuted.
type child struct {
	number int32
	s      *unfolding
	then   func(*unfolder, *unfolding)
}

// A gift is a child that is left to another worker, with who has been asked about parts.
type gift struct {
	child
	asked *memory.Refuter
}

// visit goes on with each of the children.
func (u *unfolder) visit(all []child) {
	if len(all) == 0 {
		return // it is a leaf
	}
	if u.walk != nil {
		u.walk.take(all)
		return
	}
	waiting := make([]int64, len(all))
	for i := range all[1:] {
		waiting[i+1] = all[i+1].s.bytes()
		u.held += waiting[i+1]
	}
	depth, share := len(u.path), u.share
	u.share /= float64(len(all))
	for i, c := range all {
		u.held -= waiting[i]
		if u.over() {
			continue
		}
		u.path = append(u.path[:depth], c.number)
		if all[i].s = nil; i > 0 && u.crew != nil && u.part.Settled() && u.crew.Hungry() && u.crew.Give(crew.Task[gift]{Path: u.path, Part: u.share, Of: gift{c, u.part}}) {
			continue
		}
		u.child(c)
	}
	u.path, u.share, u.branched = u.path[:depth], share, true
}

// trials is how many parts there are until it is settled which axioms are asked of parts; until then one worker is alone, so that
// which parts are dropped does not depend on how many there are.
const trials = 500

// child goes on with one child, to which the path leads.
func (u *unfolder) child(c child) {
	u.branched = false
	if u.judge != nil {
		if u.judge.visits++; u.judge.visits == u.trials && !u.part.Settled() {
			u.part.Settle()
		}
	}
	c.then(u, c.s)
	if u.crew == nil {
		return
	}
	if !u.branched && !u.over() {
		u.crew.Done(u.share)
	}
	if u.judge.found != nil && u.foundAt == nil {
		u.foundAt = slices.Clone(u.path)
	}
	u.tell()
}

// tell tells the others what was counted.
func (u *unfolder) tell() {
	u.crew.Count(u.judge.executions-u.told.executions, u.judge.blocked-u.told.blocked)
	u.told.executions, u.told.blocked = u.judge.executions, u.judge.blocked
	u.crew.Show()
}

// pollsPerLook is how often nobody looks whether others have found something.
const pollsPerLook = 32

// over is true where nothing more is to be done below here.
func (u *unfolder) over() bool {
	if u.enumeration.over() || u.cancelled {
		return true
	}
	if u.crew == nil || u.crew.Size() == 1 {
		return false
	}
	if u.polls++; u.polls >= pollsPerLook {
		u.polls = 0
		u.cancelled = u.crew.Stopped() || u.crew.Later(u.path)
	}
	return u.cancelled
}

// explore explores all that comes of s, with so many workers, and leaves what they came to in u.
func (u *unfolder) explore(s *unfolding, workers int, progress func(string)) {
	u.crew = crew.New(workers, progress, crew.Task[gift]{Path: []int32{}, Part: 1, Of: gift{child: child{s: s, then: (*unfolder).run}}})
	u.limit /= int64(workers)
	var found *verdict.Execution
	var all sync.WaitGroup
	others := make([]*unfolder, workers-1)
	for i := range others {
		others[i] = u.another()
		all.Go(func() { others[i].toil(&found) })
	}
	u.toil(&found)
	all.Wait()
	for _, o := range others {
		u.judge.join(o.judge)
		u.cut = u.cut || o.cut
		u.peak += o.peak
		if u.err == nil {
			u.err = o.err
		}
	}
	u.judge.found = found
}

// toil explores one part after the other. What it finds it leaves where it is told, if nobody has found it before.
func (u *unfolder) toil(found **verdict.Execution) {
	for {
		t, ok := u.crew.Take()
		if !ok {
			return
		}
		if u.crew.Later(t.Path) {
			continue
		}
		u.path, u.share, u.cancelled, u.depth, u.held = t.Path, t.Part, false, 0, 0
		if t.Of.asked != nil && !u.part.Settled() {
			u.part = t.Of.asked.Like()
		}
		u.child(t.Of.child)
		if f := u.judge.found; f != nil {
			u.crew.Found(u.foundAt, func() { *found = f })
			u.judge.found, u.foundAt, u.stopped = nil, nil, u.err != nil
		}
		if u.err != nil {
			u.crew.Stop()
		}
	}
}

// another explores the same tree.
func (u *unfolder) another() *unfolder {
	x := *u.enumeration
	x.texts, x.end = map[*program.Command]commandText{}, x.system.NewState()
	x.judge = replay.NewJudge(x.system, x.p.Properties)
	o := &unfolder{enumeration: &x, part: x.def.PartRefuter(), trials: u.trials, mayWrite: u.mayWrite, judge: u.judge.another(&x), crew: u.crew}
	x.yield = o.judge.ending(&x)
	return o
}
