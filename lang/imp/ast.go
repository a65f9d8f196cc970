package imp

import "github.com/fencepost-verifier/fencepost/program"

// A file is a parsed source.
type file struct {
	at     program.Position
	name   string
	consts []*constant
	vars   []*variables
	procs  []*process
	subs   []*procedure
	props  []*property
}

// A constant is one "name = value" of a const line.
type constant struct {
	at    program.Position
	name  string
	value expr
}

// variables are declared together: x = y = 0.
type variables struct {
	typ  program.Type
	vars []variable
	init expr   // of every variable and element; nil: 0
	list []expr // {1, 2, 3}: of the elements, one each
	at   program.Position
}

// A variable is one declared name.
type variable struct {
	at    program.Position
	name  string
	sizes []expr // of the dimensions; none: not an array
}

// A process is a thread, or a family of threads: one for each value of param
// in lo..hi.
type process struct {
	at      program.Position
	name    string
	param   string // "" for a single thread
	paramAt program.Position
	lo, hi  expr
	locals  []*variables
	body    []*stmt
	end     program.Position
}

// A procedure is a list of statements with a name. Where it is called, they stand.
type procedure struct {
	at     program.Position
	name   string
	params []param
	locals []*variables
	body   []*stmt
	end    program.Position
}

// A param of a procedure is a local variable of its, or, where it is var, another
// name for what the caller gives.
type param struct {
	at   program.Position
	name string
	typ  program.Type
	ref  bool
}

// A property is a condition on the whole program. Free names of cond range
// over the indices of the families that they select from.
type property struct {
	at     program.Position
	kind   program.PropertyKind
	cond   expr
	hang   bool // it is the word hang alone, which may be a name
	all    bool // for all indices, whatever the kind
	filter expr // of the indices, after for; may be nil
	text   string
}

// A stmt is a statement with the labels before it.
type stmt struct {
	at     program.Position
	labels []label
	do     action
	// The bytes of the source that it takes up, and where the action begins.
	off, doOff, end int
}

// A list is where a list of statements stands.
type list struct {
	stmts       []*stmt
	last, close token // the last token of the list or before it, and the one after it
}

type label struct {
	at   program.Position
	name string
}

// An action is what a statement does: one of the types below.
type action interface{}

type (
	skipStmt struct{}

	// simpleStmt is fence, sfence, lock or unlock.
	simpleStmt struct {
		op   program.Op
		tags program.Tags
	}

	assignStmt struct {
		target *ref
		value  expr
	}

	ifStmt struct {
		arms []arm
		els  []*stmt
	}

	whileStmt struct {
		cond expr
		body []*stmt
		up   *stmt // what ends every round of a for; nil: nothing
	}

	forStmt struct {
		v        *ref
		from, to expr
		body     []*stmt
	}

	gotoStmt struct{ to label }

	// leaveStmt is break, continue or return.
	leaveStmt struct {
		word  string
		value expr // that a procedure returns; may be nil
	}

	callStmt struct {
		at     program.Position
		name   string
		args   []expr
		result *ref // nil: nobody wants it
	}

	awaitStmt  struct{ cond expr }
	assumeStmt struct{ cond expr }
	assertStmt struct {
		cond expr
		text string
	}

	chooseStmt struct{ branches [][]*stmt }
	atomicStmt struct{ body []*stmt }

	// rmwStmt is a cas, xchg or fetch_.. whose result nobody wants.
	rmwStmt struct{ call *rmw }
)

// An arm is a condition of an if and what it leads to.
type arm struct {
	cond expr
	body []*stmt
}

// An expr is an expression: one of the types below.
type expr interface {
	pos() program.Position // where it begins
}

type (
	number struct {
		at       program.Position
		value    int64
		unsigned bool // it is 2^63 or more
	}

	// ref is a name, with an index for each dimension for an element of an array.
	ref struct {
		at    program.Position
		name  string
		index []expr
	}

	unary struct {
		at program.Position
		op program.UnaryOp
		x  expr
	}

	binary struct {
		opAt program.Position
		op   program.BinaryOp
		x, y expr
	}

	// choice is any(lo..hi).
	choice struct {
		at     program.Position
		lo, hi expr
	}

	// rmw is cas(target, args[0], args[1]), xchg(target, args[0]) or, for
	// fetch_add and its kin, fetch_add(target, args[0]).
	rmw struct {
		at     program.Position
		op     string
		target *ref
		args   []expr
	}

	// result is what a procedure has returned.
	result struct {
		at  program.Position
		reg int
	}

	// location is P@label; properties only.
	location struct {
		proc  *ref
		label label
	}

	// remote is the register P.r; properties only.
	remote struct {
		proc *ref
		reg  *ref
	}
)

func (e *number) pos() program.Position   { return e.at }
func (e *ref) pos() program.Position      { return e.at }
func (e *unary) pos() program.Position    { return e.at }
func (e *binary) pos() program.Position   { return e.x.pos() }
func (e *choice) pos() program.Position   { return e.at }
func (e *rmw) pos() program.Position      { return e.at }
func (e *result) pos() program.Position   { return e.at }
func (e *location) pos() program.Position { return e.proc.at }
func (e *remote) pos() program.Position   { return e.proc.at }

// children calls f for the operands of e, left to right.
func children(e expr, f func(expr)) {
	switch e := e.(type) {
	case *ref:
		for _, i := range e.index {
			f(i)
		}
	case *unary:
		f(e.x)
	case *binary:
		f(e.x)
		f(e.y)
	case *choice:
		f(e.lo)
		f(e.hi)
	case *rmw:
		f(e.target)
		for _, a := range e.args {
			f(a)
		}
	case *location:
		f(e.proc)
	case *remote:
		f(e.proc)
		f(e.reg)
	}
}

// blocks calls f for the statement lists inside a statement.
func blocks(do action, f func([]*stmt)) {
	switch s := do.(type) {
	case *ifStmt:
		for i := range s.arms {
			f(s.arms[i].body)
		}
		f(s.els)
	case *whileStmt:
		f(s.body)
	case *forStmt:
		f(s.body)
	case *chooseStmt:
		for _, b := range s.branches {
			f(b)
		}
	case *atomicStmt:
		f(s.body)
	}
}
