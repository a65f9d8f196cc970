package imp

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A checker finds the errors in a process that do not depend on the values of
// constants, so that they are found in code that constants switch off, too.
type checker struct {
	*declarer
	*routine         // whose statements are being checked
	f        *family // nil: of a procedure that nobody calls
	frames   frames  // of the first thread
	scope    scope   // of the first thread; the others have the same names
	loops    int     // around the statement
	callers  []*subroutine
	calls    int
}

// check checks the bodies of all processes.
func (d *declarer) check() {
	for _, s := range d.subs {
		d.collect(&s.routine, s.body)
	}
	called := map[*subroutine]bool{}
	for _, f := range d.procs {
		d.collect(&f.routine, f.body)
		c := &checker{declarer: d, routine: &f.routine, f: f, scope: f.scopes[0], frames: f.frames[0]}
		for s := range c.frames {
			called[s] = true
			for name, l := range s.labels {
				f.labels[s.name+"."+name] = l // as properties see it
			}
		}
		c.statements(f.body, false)
	}
	d.uncalled(called)
}

// collect enters the labels, which a goto can name before they come.
func (d *declarer) collect(r *routine, ss []*stmt) {
	for _, s := range ss {
		for _, l := range s.labels {
			if old, ok := r.labels[l.name]; ok {
				hint := "the other one is at " + spot(old.at)
				d.fail(l.at, hint, "label %s is there twice in %s", l.name, r.what)
			}
			r.labels[l.name] = l
		}
		if g, ok := s.do.(*gotoStmt); ok {
			r.targets[g.to.name] = true
		}
		blocks(s.do, func(ss []*stmt) { d.collect(r, ss) })
	}
}

func (c *checker) statements(ss []*stmt, atomic bool) {
	for _, s := range ss {
		if atomic && len(s.labels) > 0 {
			c.fail(s.labels[0].at, "", "a label inside atomic: the block has no states within")
		}
		c.statement(s, atomic)
		_, inner := s.do.(*atomicStmt)
		loop := isLoop(s.do)
		c.loops += loop
		blocks(s.do, func(ss []*stmt) { c.statements(ss, atomic || inner) })
		c.loops -= loop
	}
}

func (c *checker) statement(s *stmt, atomic bool) {
	forbidden := ""
	switch do := s.do.(type) {
	case *simpleStmt:
		forbidden = do.op.String()
		if do.tags != (program.Tags{}) {
			forbidden = "sfence"
		}
	case *assignStmt:
		c.target(do.target)
		c.expr(do.value, false)
	case *ifStmt:
		for _, a := range do.arms {
			c.expr(a.cond, false)
		}
	case *whileStmt:
		forbidden = "while"
		c.expr(do.cond, false)
	case *forStmt:
		forbidden = "for"
		c.target(do.v)
		if c.scope.lookup(do.v.name).kind != localSymbol {
			c.fail(do.v.at, "declare it as local", "%s counts a loop and must be a local variable", do.v.name)
		}
		c.expr(do.from, false)
		c.expr(do.to, false)
		c.bound(do.to)
	case *gotoStmt:
		forbidden = "goto"
		if _, ok := c.labels[do.to.name]; !ok {
			c.fail(do.to.at, suggest.OneOf(do.to.name, c.labelNames(), "labels"), "%s has no label %s", c.what, do.to.name)
		}
	case *leaveStmt:
		forbidden = do.word
		c.leave(s, do)
	case *callStmt:
		forbidden = "a call"
		c.call(do)
	case *awaitStmt:
		forbidden = "await"
		c.expr(do.cond, false)
	case *assumeStmt:
		c.expr(do.cond, false)
	case *assertStmt:
		c.expr(do.cond, false)
	case *rmwStmt:
		c.expr(do.call, false)
	case *atomicStmt:
		forbidden = "atomic"
		if onlySkips(do.body) {
			c.fail(s.at, "for its effect as a fence write fence", "atomic without effect")
		}
	}
	if atomic && forbidden != "" {
		c.fail(s.at, "", "%s inside atomic", forbidden)
	}
}

func onlySkips(ss []*stmt) bool {
	for _, s := range ss {
		if _, ok := s.do.(*skipStmt); !ok || len(s.labels) > 0 {
			return false
		}
	}
	return true
}

// target checks what an assignment writes.
func (c *checker) target(r *ref) {
	sym := c.variable(r, false)
	if sym.kind == constantSymbol {
		c.fail(r.at, "", "%s is a constant: nothing can be assigned to it", r.name)
	}
}

// variable checks a name where a value is read or written.
func (c *checker) variable(r *ref, optional bool) *symbol {
	sym := c.scope.lookup(r.name)
	if sym == nil {
		hint := text.DidYouMean(r.name, c.scope.known(constantSymbol, sharedSymbol, localSymbol))
		if hint == "" {
			hint = "declare it: shared ones with variables, those of a process with local"
		}
		c.fail(r.at, hint, "%s is not declared", r.name)
	}
	if sym.kind == processSymbol || sym.kind == procedureSymbol {
		c.fail(r.at, "", "%s is %s, not a variable", r.name, sym)
	}
	c.indexed(r, sym)
	for _, i := range r.index {
		c.expr(i, optional)
	}
	return sym
}

// indexed checks that an element has as many indices as its array has dimensions.
func (d *declarer) indexed(r *ref, sym *symbol) {
	switch {
	case r.index == nil && sym.size > 0:
		d.fail(r.at, fmt.Sprintf("an element is %s%s", r.name, strings.Repeat("[0]", len(sym.dims))), "%s is an array: which element?", r.name)
	case r.index != nil && sym.size == 0:
		d.fail(r.at, "", "%s is %s: it has no elements", r.name, sym)
	case len(r.index) != len(sym.dims):
		d.fail(r.at, fmt.Sprintf("an element is %s%s", r.name, strings.Repeat("[0]", len(sym.dims))),
			"%s has %d dimensions, not %d", r.name, len(sym.dims), len(r.index))
	}
}

// expr checks an expression; optional is true where and and or may make its
// value superfluous.
func (c *checker) expr(e expr, optional bool) {
	switch e := e.(type) {
	case *ref:
		c.variable(e, optional)
		return
	case *binary:
		c.expr(e.x, optional)
		c.expr(e.y, optional || e.op == program.LogicalAnd || e.op == program.LogicalOr)
		return
	case *rmw:
		if optional {
			c.fail(e.at, "give it a statement of its own", "%s on the right of and or or: it would always be done", e.op)
		}
		if c.variable(e.target, optional); c.scope.lookup(e.target.name).kind != sharedSymbol {
			c.fail(e.target.at, "", "%s needs a shared variable; %s is %s", e.op, e.target.name, c.scope.lookup(e.target.name))
		}
		if (e.op == "fetch_add" || e.op == "fetch_sub") && c.scope.lookup(e.target.name).typ == program.BoolType {
			c.fail(e.target.at, "", "%s needs a number; %s is a bool", e.op, e.target.name)
		}
		for _, a := range e.args {
			c.expr(a, optional)
		}
		return
	}
	children(e, func(x expr) { c.expr(x, optional) })
}

// bound checks the upper bound of a for, which is evaluated in every round.
func (c *checker) bound(e expr) {
	switch e := e.(type) {
	case *ref:
		if c.scope.lookup(e.name).kind == sharedSymbol {
			c.fail(e.at, "copy it into a local variable before the loop", "the bound of a for cannot read %s, a shared variable", e.name)
		}
	case *choice, *rmw:
		c.fail(e.pos(), "assign it to a local variable before the loop", "the bound of a for is evaluated in every round")
	}
	children(e, c.bound)
}
