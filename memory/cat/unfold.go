package cat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fencepost-verifier/fencepost/program"
)

// A model that takes sets of events apart, by match, forall or a condition, has other terms in every execution. Such a model
// is read anew for each: wherever it asks for the members of a set, it is told those that the set has there, and speaks of
// them one by one. Executions of which all these answers are the same have the model in common.

// Unfolds says what the model takes apart, and where; it is nil of a model that does not. Of a model that
// does there are no axioms before [Model.In] has been told of an execution.
func (m *Model) Unfolds() *program.Diagnostic {
	if m.unfolding == nil {
		return nil
	}
	return m.unfolding.what
}

// In is the model for an execution: m itself, unless it unfolds. Members gives, in an order that does not depend on the run, the events of a set, or, one
// after the other, the two of each pair of a relation; events are numbered from 0. The term is one of the model that comes with it,
// which has no axioms. The error is a [program.Diagnostic].
func (m *Model) In(members func(part *Model, t *Term) []int) (*Model, error) {
	if m.unfolding == nil {
		return m, nil
	}
	return m.unfolding.in(members)
}

// unfolding is what is known of a model that unfolds.
type unfolding struct {
	what *program.Diagnostic
	read func(r *resolver) (*Model, error)

	sync.Mutex
	first  *answered
	leaves int
}

// answered is what comes after some answers: another question, or the model.
type answered struct {
	question question
	then     map[string]*answered
	model    *Model
	err      error
}

// question is what a model asks for the members of; none has no term.
type question struct {
	part   *Model
	of     *Term
	answer string
}

// maxUnfolded bounds how many models are kept of one that unfolds.
const maxUnfolded = 1000

// errTwice is that a model has to be read again, with read-modify-writes that are one event. There are no models that do so
// and take sets apart: their members are events.
var errTwice = errors.New("cat: read again")

func (u *unfolding) in(members func(part *Model, t *Term) []int) (*Model, error) {
	var known []string
	u.Lock()
	at := u.first
	u.Unlock()
	for at != nil {
		if at.question.of == nil {
			return at.model, at.err
		}
		known = append(known, key(members(at.question.part, at.question.of)))
		u.Lock()
		at = at.then[known[len(known)-1]]
		u.Unlock()
	}
	var asked []question
	r := &resolver{members: func(part *Model, t *Term) []int {
		var a string
		if n := len(asked); n < len(known) {
			a = known[n]
		} else {
			a = key(members(part, t))
		}
		asked = append(asked, question{part, t, a})
		return unkey(a)
	}}
	m, err := u.read(r)
	u.Lock()
	u.note(asked, m, err)
	u.Unlock()
	return m, err
}

// note keeps what came out of questions.
func (u *unfolding) note(asked []question, m *Model, err error) {
	if u.leaves++; u.leaves > maxUnfolded {
		u.first, u.leaves = nil, 1
	}
	if u.first == nil {
		u.first = &answered{}
	}
	at := u.first
	for _, q := range asked {
		if at.then == nil {
			*at = answered{question: q, then: map[string]*answered{}}
		}
		if at.then[q.answer] == nil {
			at.then[q.answer] = &answered{}
		}
		at = at.then[q.answer]
	}
	at.model, at.err = m, err
}

func key(members []int) string {
	var b []byte
	for _, m := range members {
		b = binary.AppendUvarint(b, uint64(m))
	}
	return string(b)
}

func unkey(s string) (members []int) {
	for b := []byte(s); len(b) > 0; {
		m, n := binary.Uvarint(b)
		members, b = append(members, int(m)), b[n:]
	}
	return members
}

// single is one event, or one pair of events, as a model speaks of it: of the set or the relation of it alone.
type single struct{ *Term }

// EventName is the name of the set of the event of a number; Number is the number for such a name, or -1.
func EventName(n int) string { return fmt.Sprintf("#%d", n) }

// Number is that of the event which alone is in the predefined set of that name, or -1.
func Number(name string) int {
	n := -1
	if len(name) > 1 && name[0] == '#' {
		if _, err := fmt.Sscanf(name[1:], "%d", &n); err != nil {
			return -1
		}
	}
	return n
}

// taken is the members of a term, one by one.
func (r *resolver) taken(t *Term, e expr) ([]value, error) {
	if vs, ok := r.gathered[t]; ok {
		return vs, nil
	}
	switch {
	case t.vanishes():
		return nil, nil
	case t.open:
		return nil, r.errorf(e.pos(), "", "the elements of %s depend on '%s', which is being defined by recursion", subject(e), recursive(t))
	case r.chosen(t):
		return nil, r.errorf(e.pos(), "", "the elements of %s depend on an order that the model takes; they cannot be taken apart", subject(e))
	}
	if r.apart == nil {
		r.apart = r.errorf(e.pos(), "", "what %s consists of depends on the execution", subject(e))
	}
	if r.members == nil {
		return nil, r.apart
	}
	part := &Model{Source: r.model.Source, terms: slices.Clip(r.b.terms)}
	var vs []value
	numbers := r.members(part, t)
	if t.typ == Set {
		for _, n := range numbers {
			vs = append(vs, single{r.event(n)})
		}
	} else {
		for i := 0; i+1 < len(numbers); i += 2 {
			vs = append(vs, r.couple(r.event(numbers[i]), r.event(numbers[i+1])))
		}
	}
	return vs, nil
}

func (r *resolver) event(n int) *Term { return r.b.term(Base, Set, EventName(n), nil, nil) }

func (r *resolver) couple(x, y *Term) single { return single{r.b.term(Product, Relation, "", x, y)} }

// chosen is whether a term depends on an order that the model takes.
func (r *resolver) chosen(t *Term) bool {
	return r.orders > 0 && t.depends(func(x *Term) bool { return x.op == Order })
}

// singles is what values make a set of that are single events, or pairs of them; Any of others.
func (r *resolver) singles(vs []value) Type {
	typ := Any
	for i, v := range vs {
		if pair, ok := v.(tuple); ok {
			vs[i] = r.pair(pair)
		}
		one, ok := vs[i].(single)
		if !ok || typ != Any && one.typ != typ {
			return Any
		}
		typ = one.typ
	}
	return typ
}

// pair is a tuple of two events as one pair, and others as they are.
func (r *resolver) pair(t tuple) value {
	if len(t) == 2 {
		x, okX := t[0].(single)
		y, okY := t[1].(single)
		if okX && okY && x.typ == Set && y.typ == Set {
			return r.couple(x.Term, y.Term)
		}
	}
	return t
}

// components is what a tuple consists of, or the two events of a pair.
func components(v value) (tuple, bool) {
	if one, ok := v.(single); ok && one.typ == Relation {
		return tuple{single{one.x}, single{one.y}}, true
	}
	t, ok := v.(tuple)
	return t, ok
}

// gather is the set, or the relation, of these and no others.
func (r *resolver) gather(vs []value, typ Type) *Term {
	t := r.b.term(Empty, typ, "", nil, nil)
	for i, v := range vs {
		if i == 0 {
			t = v.(single).Term
		} else {
			t = r.b.binary(Union, t, v.(single).Term)
		}
	}
	if r.gathered == nil {
		r.gathered = map[*Term][]value{}
	}
	if len(vs) > 0 {
		r.gathered[t] = vs
	}
	return t
}

// parts is classes, each the set of its events.
func (r *resolver) parts(c classes, e expr) ([]value, error) {
	pairs, err := r.taken(c.same, e)
	if err != nil {
		return nil, err
	}
	var all []value
	of := map[*Term][]value{} // by the first event of a class
	var firsts []*Term
	seen := map[*Term]bool{}
	for _, p := range pairs {
		x, y := p.(single).x, p.(single).y
		if seen[x] && of[x] == nil {
			continue
		}
		if of[x] == nil {
			firsts = append(firsts, x)
		}
		seen[x], seen[y] = true, true
		of[x] = append(of[x], single{y})
	}
	for _, x := range firsts {
		all = append(all, r.gather(of[x], Set))
	}
	return all, nil
}
