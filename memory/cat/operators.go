package cat

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// want is t where its type may be the one that is wanted.
func (r *resolver) want(t *Term, typ Type, e expr) (*Term, error) {
	switch {
	case t.typ == typ:
		return t, nil
	case t.typ != Any:
		hint := ""
		if typ == Relation {
			hint = "[S] is the relation of every event of the set S with itself"
		}
		return nil, r.errorf(e.pos(), hint, "%s is %v, %v is expected here", subject(e), t.typ, typ)
	case t.op == Empty:
		return r.b.term(Empty, typ, "", nil, nil), nil
	}
	// The types of recursive names are being found; the term is dropped later.
	return r.b.add(&Term{op: Variable, typ: typ, name: t.name, open: t.open}), nil
}

// subject is e as an error message speaks of it.
func subject(e expr) string {
	switch e := e.(type) {
	case *nameExpr:
		return "'" + e.name + "'"
	case *applyExpr:
		if f, ok := e.fun.(*nameExpr); ok {
			return "'" + f.name + "(...)'"
		}
	}
	return "this"
}

// recursive is the name of a let rec that t depends on.
func recursive(t *Term) string {
	if t.op == Variable {
		return t.name
	}
	for _, x := range []*Term{t.x, t.y} {
		if x != nil && x.open {
			return recursive(x)
		}
	}
	return ""
}

func (r *resolver) nonMonotone(t *Term, e expr, where string) error {
	return r.errorf(e.pos(), "a recursive definition must grow as what it defines grows, or it has no least solution",
		"'%s' is defined by recursion and must not occur %s", recursive(t), where)
}

func (r *resolver) unary(e *unaryExpr, names *scope) (*Term, error) {
	x, err := r.expr(e.x, names)
	if err != nil {
		return nil, err
	}
	switch e.op {
	case Complement:
		if x.open {
			return nil, r.nonMonotone(x, e.x, "under ~")
		}
		if x.typ == Any {
			x, err = r.want(x, Relation, e.x)
		}
	case Identity:
		x, err = r.want(x, Set, e.x)
	default:
		x, err = r.want(x, Relation, e.x)
	}
	if err != nil {
		return nil, err
	}
	return r.b.unary(e.op, x), nil
}

func (r *resolver) binary(e *binaryExpr, names *scope) (value, error) {
	vs, err := r.values([]expr{e.x, e.y}, names)
	if err != nil {
		return nil, err
	}
	if e.op == Union {
		xs, ok1 := vs[0].(list)
		ys, ok2 := vs[1].(list)
		if ok1 && ok2 && len(xs)+len(ys) > 0 {
			return union(xs, ys), nil
		}
	}
	x, err := r.term(vs[0], e.x)
	if err != nil {
		return nil, err
	}
	y, err := r.term(vs[1], e.y)
	if err != nil {
		return nil, err
	}
	typ := Any
	switch e.op {
	case Sequence:
		typ = Relation
	case Product:
		typ = Set
	default:
		if typ = x.typ; typ == Any {
			typ = y.typ
		}
		if e.op == Difference && y.open {
			return nil, r.nonMonotone(y, e.y, `on the right of \`)
		}
	}
	if typ == Any {
		return r.either(x, y), nil
	}
	r.merges = r.merges || e.op == Intersection && merges(x, y)
	if y.typ != Any && y.typ != typ && x.typ == typ && typ == Relation && e.op != Sequence {
		// Of a set and a relation the set is the likelier mistake, but say
		// what the other side is.
		return nil, r.errorf(e.y.pos(), "[S] is the relation of every event of the set S with itself",
			"%s is a set, while the left side is a relation", subject(e.y))
	}
	if x, err = r.want(x, typ, e.x); err != nil {
		return nil, err
	}
	if y, err = r.want(y, typ, e.y); err != nil {
		return nil, err
	}
	return r.b.binary(e.op, x, y), nil
}

// either is what two terms of unknown type give together: 0, or something that
// depends on a recursive name.
func (r *resolver) either(x, y *Term) *Term {
	if x.open {
		return x
	}
	return y
}

func (r *resolver) apply(e *applyExpr, names *scope) (value, error) {
	name, ok := e.fun.(*nameExpr)
	if ok && lookup(names, name.name) == nil {
		if f, ok := builtins[name.name]; ok {
			if len(e.args) != 1 {
				pos := e.pos()
				if len(e.args) > 1 {
					pos = e.args[1].pos()
				}
				return nil, r.errorf(pos, "", "'%s' takes one argument", name.name)
			}
			x, err := r.expr(e.args[0], names)
			if err != nil {
				return nil, err
			}
			if x, err = r.want(x, f.arg, e.args[0]); err != nil {
				return nil, err
			}
			return f.apply(&r.b, x), nil
		}
		if special[name.name] != nil {
			return r.special(name, e.args, names)
		}
	}
	fun, err := r.value(e.fun, names)
	if err != nil {
		return nil, err
	}
	f, ok := fun.(*function)
	if !ok {
		return nil, r.errorf(e.pos(), "write ';' for the sequence of two relations", "%s is %s, not a function", subject(e.fun), kind(fun))
	}
	args, err := r.values(e.args, names)
	if err != nil {
		return nil, err
	}
	if len(args) == 1 && len(f.params) != 1 { // a tuple is as good as its parts
		if parts, ok := components(args[0]); ok {
			args = parts
		}
	}
	if len(args) > 1 && len(f.params) == 1 && !f.tuple {
		args = []value{tuple(args)}
	}
	if len(args) != len(f.params) {
		return nil, r.errorf(e.pos(), "it is "+f.usage(), "'%s' takes %s, not %d", f.name, arguments(len(f.params)), len(args))
	}
	src := r.src
	inner := f.names
	for i, a := range args {
		r.src = f.src
		if inner, err = r.bindPattern(&f.params[i], a, inner); err != nil {
			return nil, err
		}
		r.src = src
	}
	r.src = f.src
	v, err := r.value(f.body, inner)
	r.src = src
	return v, r.within(err, f.name, src, e.pos())
}

// within adds to an error in whose call it is, the innermost only.
func (r *resolver) within(err error, name string, src *program.Source, pos program.Position) error {
	d, ok := err.(*program.Diagnostic)
	if !ok || strings.Contains(d.Hint, "in the call") {
		return err
	}
	hint := fmt.Sprintf("in the call of '%s' at %s:%d:%d", name, src.Name, pos.Line, pos.Col)
	if d.Hint != "" {
		hint = d.Hint + "\n  " + hint
	}
	wrapped := &program.Diagnostic{Source: d.Source, Pos: d.Pos, Msg: d.Msg, Hint: hint}
	if err == r.missing {
		r.missing = wrapped
	}
	return wrapped
}

func arguments(n int) string {
	if n == 1 {
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}
