package imp

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A checker finds the errors in a process that do not depend on the values of
// constants, so that they are found in code that constants switch off, too.
type checker struct {
	*declarer
	f     *family
	scope scope // of the first thread; the others have the same names
}

// check checks the bodies of all processes.
func (d *declarer) check() {
	for _, f := range d.procs {
		c := &checker{d, f, f.scopes[0]}
		f.labels, f.targets = map[string]label{}, map[string]bool{}
		c.collect(f.body)
		c.statements(f.body, false)
	}
}

// collect enters the labels, which a goto can name before they come.
func (c *checker) collect(ss []*stmt) {
	for _, s := range ss {
		for _, l := range s.labels {
			if old, ok := c.f.labels[l.name]; ok {
				hint := fmt.Sprintf("the other one is at %d:%d", old.at.Line, old.at.Col)
				c.fail(l.at, hint, "label %s is there twice in process %s", l.name, c.f.name)
			}
			c.f.labels[l.name] = l
		}
		blocks(s.do, c.collect)
	}
}

func (c *checker) statements(ss []*stmt, atomic bool) {
	for _, s := range ss {
		if atomic && len(s.labels) > 0 {
			c.fail(s.labels[0].at, "", "a label inside atomic: the block has no states within")
		}
		c.statement(s, atomic)
		_, inner := s.do.(*atomicStmt)
		blocks(s.do, func(ss []*stmt) { c.statements(ss, atomic || inner) })
	}
}

func (c *checker) statement(s *stmt, atomic bool) {
	forbidden := ""
	switch do := s.do.(type) {
	case *simpleStmt:
		forbidden = do.op.String()
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
		if _, ok := c.f.labels[do.to.name]; !ok {
			c.fail(do.to.at, suggest.OneOf(do.to.name, labelNames(c.f), "labels"), "process %s has no label %s", c.f.name, do.to.name)
		}
		c.f.targets[do.to.name] = true
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

func labelNames(f *family) []string {
	names := make([]string, 0, len(f.labels))
	for n := range f.labels {
		names = append(names, n)
	}
	return names
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
	switch {
	case sym.kind == processSymbol:
		c.fail(r.at, "", "%s is a process, not a variable", r.name)
	case r.index == nil && sym.size > 0:
		c.fail(r.at, fmt.Sprintf("an element is %s[0]", r.name), "%s is an array: which element?", r.name)
	case r.index != nil && sym.size == 0:
		c.fail(r.at, "", "%s is %s: it has no elements", r.name, sym)
	}
	if r.index != nil {
		c.expr(r.index, optional)
	}
	return sym
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
		if e.op == "fetch_add" && c.scope.lookup(e.target.name).typ == program.BoolType {
			c.fail(e.target.at, "", "fetch_add needs a number; %s is a bool", e.target.name)
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
