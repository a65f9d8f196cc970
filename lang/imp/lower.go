package imp

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// A step is one or more commands on parallel edges: the ways in which it can go.
type step []program.Command

// A target is the state before a statement. Own is true where that state
// belongs to the statement, so that being there means being about to execute
// it; a statement that takes no step of its own, such as skip or goto, has the
// state of what comes next.
type target struct {
	state int
	own   bool
}

// A lowering turns the body of a process into the automaton of one thread.
type lowering struct {
	*builder
	evaluator
	frames frames
	act    *activation
}

// lowerThread fills in thread n of the family.
func lowerThread(d *declarer, f *family, n int, edges *int) {
	t := d.prog.Threads[f.first+n]
	full := func() { d.fail(f.at, "", "process %s is too large", f.name) }
	l := &lowering{
		builder:   &builder{edges: edges, full: full},
		evaluator: evaluator{declarer: d, thread: t, scope: f.scopes[n], temps: map[program.Type][]int{}},
		frames:    f.frames[n],
	}
	if f.param != "" {
		d.member = t.Name
		defer func() { d.member = "" }()
	}
	end := l.State(f.end)
	l.act = &activation{routine: &f.routine, labels: map[string]int{}, exit: end}
	initial := l.statements(f.body, target{end, false})
	l.Finish(t, initial.state, end)
}

// label is the state of a label.
func (l *lowering) label(name string, at program.Position) int {
	q, ok := l.act.labels[name]
	if !ok {
		q = l.State(at)
		l.act.labels[name] = q
	}
	return q
}

// statements puts a list of statements before next. The result is next's only
// where no statement of the list is about to be executed there.
func (l *lowering) statements(ss []*stmt, next target) target {
	next.own = false
	for i := len(ss) - 1; i >= 0; i-- {
		before := l.statement(ss[i], next)
		if before.state == next.state {
			before.own = before.own || next.own
		}
		next = before
	}
	return next
}

func (l *lowering) statement(s *stmt, next target) target {
	e := l.action(s, target{next.state, false})
	if len(s.labels) == 0 {
		return e
	}
	// Being at the label must not be the same as being at what comes next,
	// which can be reached by other ways.
	if !e.own {
		q := l.State(s.at)
		l.edge(q, e.state, program.Skip(), s.at)
		e = target{q, true}
	}
	q := l.Find(e.state)
	var names []string
	for _, lb := range s.labels {
		l.Bind(l.label(lb.name, s.at), q)
		names = append(names, l.act.prefix+lb.name)
	}
	// Those of the first statement within are there already.
	l.States[q].Labels = append(names, l.States[q].Labels...)
	return e
}

func (l *lowering) action(s *stmt, next target) target {
	switch do := s.do.(type) {
	case *skipStmt:
		return next
	case *gotoStmt:
		return target{l.label(do.to.name, s.at), false}
	case *leaveStmt:
		return l.leave(s, do)
	case *callStmt:
		return l.call(s, do, next)
	case *simpleStmt:
		return l.steps([]step{{{Op: do.op, Tags: do.tags, Pos: s.at}}}, next, s.at)
	case *assignStmt, *rmwStmt, *assumeStmt, *assertStmt:
		return l.steps(l.straight(s), next, s.at)
	case *ifStmt:
		return l.ifStatement(do, next)
	case *whileStmt:
		return l.while(do, next)
	case *forStmt:
		return l.forLoop(s, do, next)
	case *awaitStmt:
		return l.await(do, next)
	case *chooseStmt:
		return l.choose(s, do, next)
	case *atomicStmt:
		return l.atomic(s, do, next)
	}
	panic(fmt.Sprintf("imp: unknown statement %T", s.do))
}

// steps puts straight-line code before next.
func (l *lowering) steps(code []step, next target, at program.Position) target {
	if len(code) == 0 {
		return next
	}
	last := code[len(code)-1]
	if len(last) == 1 && isBlocked(&last[0]) {
		// Nothing comes after it, so it leads nowhere.
		q := l.State(at)
		l.edge(q, q, last[0], at)
		return target{l.chain(code[:len(code)-1], q, at), true}
	}
	return target{l.chain(code, next.state, at), true}
}

// isBlocked is true of a check that never holds.
func isBlocked(c *program.Command) bool {
	k, ok := c.Value.(program.Const)
	return c.Op == program.Check && ok && k == 0
}

// straight is the code of a statement without branches.
func (l *lowering) straight(s *stmt) []step {
	l.begin()
	switch do := s.do.(type) {
	case *assignStmt:
		l.assign(do.target, do.value, s.at)
	case *rmwStmt:
		l.readModifyWrite(do.call, -1, nil)
	case *assumeStmt:
		if c := l.condition(do.cond); !isTrue(c) {
			l.emit(program.Command{Op: program.Check, Value: c, Pos: s.at})
		}
	case *assertStmt:
		if c := l.condition(do.cond); !isTrue(c) {
			l.emit(program.Command{Op: program.Assert, Value: c, Text: do.text, Pos: s.at})
		}
	}
	return l.code
}

// branch puts the code of a condition before the two states that it leads to.
func (l *lowering) branch(code []step, cond program.Expr, at program.Position, yes, no target) target {
	switch {
	case isTrue(cond):
	case isFalse(cond):
		yes = no
	case l.Find(yes.state) == l.Find(no.state):
		yes.own = yes.own && no.own
	default:
		q := l.State(at)
		l.edge(q, yes.state, program.Command{Op: program.Check, Value: cond, Pos: at}, at)
		l.edge(q, no.state, program.Command{Op: program.Check, Value: negation(cond), Pos: at}, at)
		yes = target{q, true}
	}
	return l.steps(code, yes, at)
}

// A guard is a condition that was evaluated.
type guard struct {
	code []step
	cond program.Expr
}

func (l *lowering) guard(e expr) guard {
	l.begin()
	cond := l.condition(e)
	return guard{l.code, cond}
}

func (l *lowering) ifStatement(s *ifStmt, next target) target {
	guards := make([]guard, len(s.arms))
	dead := false // what follows an arm that is always taken
	deadArm := make([]bool, len(s.arms))
	for i, a := range s.arms {
		if deadArm[i] = dead; !dead {
			guards[i] = l.guard(a.cond)
			deadArm[i] = isFalse(guards[i].cond)
			dead = isTrue(guards[i].cond)
		} else {
			guards[i].cond = program.Const(0)
		}
	}
	e := l.block(s.els, next, dead)
	for i := len(s.arms) - 1; i >= 0; i-- {
		yes := l.block(s.arms[i].body, next, deadArm[i])
		e = l.branch(guards[i].code, guards[i].cond, s.arms[i].cond.pos(), yes, e)
	}
	return e
}

// block is statements, but what is dead is left out: what is wrong with its
// values is wrong for other values of the constants only.
func (l *lowering) block(ss []*stmt, next target, dead bool) target {
	if dead && !l.entered(ss) {
		return next
	}
	return l.statements(ss, next)
}

// entered is true where a goto leads into the statements.
func (l *lowering) entered(ss []*stmt) bool {
	if len(l.act.targets) == 0 {
		return false
	}
	for _, s := range ss {
		for _, lb := range s.labels {
			if l.act.targets[lb.name] {
				return true
			}
		}
		found := false
		blocks(s.do, func(ss []*stmt) { found = found || l.entered(ss) })
		if found {
			return true
		}
	}
	return false
}

func (l *lowering) while(s *whileStmt, next target) target {
	g := l.guard(s.cond)
	at := s.cond.pos()
	head := l.State(at)
	up := target{head, false}
	if s.up != nil && !isFalse(g.cond) {
		up = l.statement(s.up, up)
	}
	outer := l.act.loops
	l.act.loops = append(outer[:len(outer):len(outer)], loop{next.state, up.state})
	body := l.block(s.body, target{up.state, false}, isFalse(g.cond))
	l.act.loops = outer
	e := l.branch(g.code, g.cond, at, body, next)
	if isFalse(g.cond) {
		l.Bind(head, e.state)
		return e
	}
	if l.Find(e.state) == head {
		// An endless loop without a step would be no loop.
		l.edge(head, head, program.Skip(), at)
		return target{head, true}
	}
	l.Bind(head, e.state)
	return e
}

// choose is the first steps of all branches as edges of one state.
func (l *lowering) choose(s *stmt, do *chooseStmt, next target) target {
	q := l.State(s.at)
	for _, b := range do.branches {
		l.absorb(q, l.statements(b, next), s.at)
	}
	if out := l.States[q].Out; len(out) == 1 && out[0].Cmd.IsSkip() {
		return target{int(out[0].To), false} // nothing to choose from
	}
	return target{q, true}
}

// forLoop is "v := from; while v <= to do body; v := v + 1 od".
func (l *lowering) forLoop(s *stmt, do *forStmt, next target) target {
	l.begin()
	if v := l.scope.lookup(do.v.name); v != nil {
		if k, ok := l.condition(do.to).(program.Const); ok && endless(int64(k), l.scope.unsigned(do.to), v.typ) {
			l.fail(do.to.pos(), "give it a larger type", "%s never exceeds %s: the loop would not end", do.v.name, l.scope.format(do.to, int64(k)))
		}
	}
	one := &number{at: s.at, value: 1}
	up := &stmt{at: s.at, do: &assignStmt{do.v, &binary{s.at, program.Add, do.v, one}}}
	loop := &stmt{at: s.at, do: &whileStmt{
		cond: &binary{s.at, program.Le, do.v, do.to},
		body: do.body,
		up:   up,
	}}
	first := &stmt{at: s.at, do: &assignStmt{do.v, do.from}}
	return l.statements([]*stmt{first, loop}, next)
}

// endless is true where no number of the type is greater than k.
func endless(k int64, unsigned bool, t program.Type) bool {
	switch {
	case t == program.Uint64Type:
		return k == -1 && unsigned
	case unsigned && k < 0:
		return true
	}
	return k >= t.Max()
}

// await evaluates its condition again until it holds.
func (l *lowering) await(s *awaitStmt, next target) target {
	g := l.guard(s.cond)
	at := s.cond.pos()
	if isTrue(g.cond) {
		return l.steps(g.code, next, at)
	}
	if len(g.code) == 0 {
		// Nothing can change what it reads.
		return l.steps([]step{{{Op: program.Check, Value: g.cond, Pos: at}}}, next, at)
	}
	head := l.State(at)
	if yes, no := swaps(g); yes != nil {
		// What it has done says whether the condition holds, so that the loop only waits.
		q := l.State(at)
		l.edge(q, next.state, *yes, at)
		l.edge(q, head, *no, at)
		e := l.steps(g.code[:len(g.code)-1], target{q, true}, at)
		l.Bind(head, e.state)
		return target{e.state, true}
	}
	e := l.branch(g.code, g.cond, at, next, target{head, false})
	l.Bind(head, e.state)
	return target{e.state, true}
}

// swaps is a compare-and-swap that a condition ends with and comes down to: as it is done where
// the condition holds then, and where it does not; nil where the condition is another.
func swaps(g guard) (yes, no *program.Command) {
	last := g.code[len(g.code)-1]
	r, ok := g.cond.(program.Reg)
	if !ok || len(last) != 2 {
		return nil, nil
	}
	for i := range last {
		for _, c := range last[i].Body {
			if k, ok := c.Value.(program.Const); ok && c.Op == program.Assign && c.Reg == int(r) {
				if k != 0 {
					yes = &last[i]
				} else {
					no = &last[i]
				}
			}
		}
	}
	if yes == nil || no == nil {
		return nil, nil
	}
	return yes, no
}
