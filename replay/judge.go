package replay

import (
	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Judge says what states of a system violate. Whoever wants to know asks one:
// there is no other place that says when a property is violated. A Judge holds no
// state of its own: several searches may ask the same one side by side.
type Judge struct {
	x        *abstract.System
	props    []program.Property
	conds    []abstract.Condition // by property; nil for Deadlock
	moments  []int                // the Forbid properties
	filter   abstract.Condition   // of final states; may be nil
	deadlock int                  // the first Deadlock property, or -1
	found    func(*abstract.State)
}

// NewJudge judges by props, which need not be those of the program of x. The
// filter on final states is that of the program.
func NewJudge(x *abstract.System, props []program.Property) *Judge {
	j := &Judge{x: x, props: props, conds: make([]abstract.Condition, len(props)), deadlock: -1}
	for i := range props {
		switch {
		case props[i].Kind != program.Deadlock:
			j.conds[i] = x.Condition(props[i].Cond)
		case j.deadlock < 0:
			j.deadlock = i
		}
		if props[i].Kind == program.Forbid {
			j.moments = append(j.moments, i)
		}
	}
	if f := x.Program.Filter; f != nil {
		j.filter = x.Condition(f)
	}
	return j
}

// NewLister is a judge for whoever wants to know in which states runs end: it tells
// found every one that the filter lets pass, once or more, when it is asked about its
// Ending. The properties and assertions of the program are none of its business then,
// faults are. The state is good until found returns.
func NewLister(x *abstract.System, found func(*abstract.State)) *Judge {
	j := NewJudge(x, nil)
	j.found = found
	return j
}

// Lists is true of a judge that somebody is told final states by.
func (j *Judge) Lists() bool { return j.found != nil }

// Asked is p as the judge judges it: without its properties where it [Judge.Lists], so
// that a property is no end of a run.
func (j *Judge) Asked(p *program.Program) *program.Program {
	if j.found == nil {
		return p
	}
	q := *p
	q.Properties = nil
	return &q
}

// Forbidden is the property that no run may come to s for, or nil.
func (j *Judge) Forbidden(s *abstract.State) *program.Property {
	for _, i := range j.moments {
		if j.conds[i](s) != 0 {
			return &j.props[i]
		}
	}
	return nil
}

// Counts is whether the final state s is one that the filter lets pass.
func (j *Judge) Counts(s *abstract.State) bool { return j.filter == nil || j.filter(s) != 0 }

// Ending is the property that the final state s violates by being final, or nil.
func (j *Judge) Ending(s *abstract.State) *program.Property {
	if !j.Counts(s) {
		return nil
	}
	if j.found != nil {
		j.found(s)
	}
	for i := range j.props {
		if pr := &j.props[i]; pr.Final() && pr.Violated(j.conds[i](s)) {
			return pr
		}
	}
	return nil
}

// Deadlock is the property that s violates where it is not final and no event leads
// on from it, or nil.
func (j *Judge) Deadlock(s *abstract.State) *program.Property {
	if j.deadlock < 0 || j.x.GivenUp(s) {
		return nil
	}
	return &j.props[j.deadlock]
}

// Violated is the first property that s violates, or nil.
func (j *Judge) Violated(s *abstract.State) *program.Property {
	final := j.x.Final(s)
	counts := final && j.Counts(s)
	for i := range j.props {
		pr := &j.props[i]
		switch {
		case pr.Kind == program.Deadlock:
			if !final && !j.x.GivenUp(s) && j.x.Stuck(s) {
				return pr
			}
		case (pr.Kind == program.Forbid || counts) && pr.Violated(j.conds[i](s)):
			return pr
		}
	}
	return nil
}
