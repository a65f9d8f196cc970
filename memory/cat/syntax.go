package cat

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// expr is an expression as the source has it.
type expr interface{ pos() program.Position }

// place is where an expression begins.
type place program.Position

func (p place) pos() program.Position { return program.Position(p) }

type (
	nameExpr struct {
		place
		name string
	}
	tagExpr struct {
		place
		name string // without the prime
	}
	emptyExpr struct{ place }
	tupleExpr struct {
		place
		parts []expr
	}
	setExpr struct { // {a, b}
		place
		parts []expr
	}
	unaryExpr struct {
		place
		op Op // Complement, Inverse, Plus, Star, Optional, Identity
		x  expr
	}
	binaryExpr struct {
		place
		op   Op // a Term's, or appending
		x, y expr
	}
	applyExpr struct {
		place
		fun  expr
		args []expr
	}
	letExpr struct {
		place
		rec      bool
		bindings []binding
		body     expr
	}
	funExpr struct {
		place
		param pattern
		body  expr
	}
	tryExpr struct {
		place
		x, otherwise expr
	}
	ifExpr struct {
		place
		cond    cond
		yes, no expr
	}
	matchExpr struct {
		place
		x       expr
		clauses []clause
	}
)

// appending is x ++ y: one more element of a set of sets or relations.
const appending Op = 255

// pattern is a name, or patterns in brackets for the parts of a tuple.
type pattern struct {
	place
	name  string // "" of a tuple, "_" of what nobody needs
	parts []pattern
}

func (p pattern) String() string {
	if p.name != "" {
		return p.name
	}
	parts := make([]string, len(p.parts))
	for i := range parts {
		parts[i] = p.parts[i].String()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// clause is a case of a match.
type clause struct {
	place
	kind       clauseKind
	tag        string // of a caseTag
	head, rest string // of a caseMore
	body       expr
	statements []statement // of a match that is a statement
}

type clauseKind uint8

const (
	caseAny   clauseKind = iota // _
	caseTag                     // 'tag
	caseEmpty                   // {}
	caseMore                    // head ++ rest
)

// cond is a condition that is decided when a model is read.
type cond struct {
	place
	op   string // "variant", "not", "&&", "||", "=", "subset", "in"
	x, y expr
	subs []cond
}

// binding is "pattern = body" or "name(params) = body".
type binding struct {
	place
	name     string
	tuple    *pattern // in place of a name
	function bool
	single   bool // one parameter without brackets
	params   []pattern
	body     expr
}

// statement is a part of a model.
type statement any

type (
	letStatement struct {
		rec      bool
		bindings []binding
		when     *axiomStatement // a condition on a recursion; may be nil
	}
	axiomStatement struct {
		axiom Axiom // but for the term
		body  expr
	}
	includeStatement struct {
		place
		file string
	}
	procedureStatement struct {
		place
		name   string
		params []pattern
		body   []statement
	}
	callStatement struct {
		place
		name string
		args []expr
		as   string // may be empty
	}
	ifStatement struct {
		cond    cond
		yes, no []statement
	}
	forallStatement struct {
		place
		name string
		in   expr
		body []statement
	}
	withStatement struct {
		place
		name string
		from expr
	}
	enumStatement struct {
		place
		name string
		tags []string
	}
	matchStatement struct{ match *matchExpr }
)
