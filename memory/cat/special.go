package cat

import "strings"

// A specialFunction is one whose arguments or results are not one set or relation.
type specialFunction struct {
	params []string
	apply  func(r *resolver, name *nameExpr, args []expr, names *scope) (value, error)
}

// special are these functions. A model may have one of its own by the same name.
var special map[string]*specialFunction

func init() {
	one, two := []string{"x"}, []string{"x", "y"}
	special = map[string]*specialFunction{
		"tag2events": {one, (*resolver).taggedBy}, "tag2instrs": {one, (*resolver).taggedBy},
		"classes-loc": {one, (*resolver).locationClasses}, "partition": {one, (*resolver).locationClasses},
		"classes": {one, (*resolver).classesOf}, "lift": {two, (*resolver).lift}, "delift": {one, (*resolver).delift},
		"linearisations": {two, (*resolver).linearisations}, "co_locs": {two, (*resolver).locationOrders},
		"generate_orders": {two, (*resolver).generateOrders}, "generate_cos": {one, (*resolver).generateOrders},
		"cross":            {one, (*resolver).crossed},
		"different-values": {one, (*resolver).unknowable},
	}
}

// special is the value of such a function.
func (r *resolver) special(name *nameExpr, args []expr, names *scope) (value, error) {
	f := special[name.name]
	if len(args) == 1 && len(f.params) > 1 {
		if t, ok := args[0].(*tupleExpr); ok {
			args = t.parts
		}
	}
	if len(args) != len(f.params) {
		return nil, r.errorf(name.pos(), "", "'%s' takes %s, not %d", name.name, arguments(len(f.params)), len(args))
	}
	return f.apply(r, name, args, names)
}

// taggedBy is the events that bear a tag.
func (r *resolver) taggedBy(name *nameExpr, args []expr, names *scope) (value, error) {
	vs, err := r.values(args, names)
	if err != nil {
		return nil, err
	}
	t, ok := vs[0].(tag)
	if !ok {
		return nil, r.errorf(name.pos(), "such as "+name.name+"('once)", "'%s' takes a tag", name.name)
	}
	// The sets of a vocabulary begin with a capital letter.
	set := strings.ToUpper(string(t[:1])) + string(t[1:])
	return r.name(&nameExpr{name.place, set}, names)
}

func (r *resolver) unknowable(name *nameExpr, _ []expr, _ *scope) (value, error) {
	return nil, r.errorf(name.pos(), "a model can speak of all of them at once only",
		"what '%s' gives depends on the execution, so that it cannot be taken apart", name.name)
}
