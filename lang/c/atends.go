package c

import (
	"cmp"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// What GCC's attributes say is to be called: functions before main and after it, and functions
// where a variable goes out of scope.

// attributeOf is the attribute of that name in a declaration, or nil.
func attributeOf(name string, nodes ...cc.Node) *cc.AttributeValue {
	var found *cc.AttributeValue
	for _, n := range nodes {
		walk(n, func(n cc.Node) bool {
			switch x := n.(type) {
			case *cc.AttributeValue:
				if strings.Trim(x.Token.SrcStr(), "_") == name {
					found = x
				}
			case *cc.ParameterList, *cc.Initializer, *cc.CompoundStatement, *cc.StructOrUnionSpecifier:
				return false
			}
			return found == nil
		})
	}
	return found
}

// attributed is attributeOf, for programs that mention it at all.
func (u *unit) attributed(name string, nodes ...cc.Node) *cc.AttributeValue {
	there, known := u.spelled[name]
	if !known {
		there = u.tree.Mentions(name)
		u.spelled[name] = there
	}
	if !there {
		return nil
	}
	return attributeOf(name, nodes...)
}

// A hook is a function that is called before main or after it.
type hook struct {
	name     string
	priority int64
}

// lastPriority is that of functions that name none.
const lastPriority = 65535

// hooks are the functions with the attribute, in the order in which constructors are called.
func (u *unit) hooks(attribute string) []hook {
	if hs, ok := u.hooked[attribute]; ok {
		return hs
	}
	priorities := map[string]int64{}
	note := func(a *cc.AttributeValue, name string) {
		if a == nil {
			return
		}
		priorities[name] = lastPriority
		if a.Case == cc.AttributeValueExpr && a.ArgumentExpressionList != nil {
			priorities[name] = u.constant(a.ArgumentExpressionList.AssignmentExpression)
		}
	}
	var hs []hook
	for l := u.ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		switch d := l.ExternalDeclaration; d.Case {
		case cc.ExternalDeclarationFuncDef:
			f := d.FunctionDefinition
			note(u.attributed(attribute, f.DeclarationSpecifiers, f.Declarator), f.Declarator.Name())
			hs = append(hs, hook{name: f.Declarator.Name()})
		case cc.ExternalDeclarationDecl:
			if a := u.attributed(attribute, d.Declaration); a != nil {
				for l := d.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
					note(a, l.InitDeclarator.Declarator.Name())
				}
			}
		}
	}
	hs = slices.DeleteFunc(hs, func(h hook) bool { return priorities[h.name] == 0 })
	for i := range hs {
		hs[i].priority = priorities[hs[i].name]
	}
	slices.SortStableFunc(hs, func(a, b hook) int { return cmp.Compare(a.priority, b.priority) })
	u.hooked[attribute] = hs
	return hs
}

// construct calls what is to be called before main.
func (l *lowerer) construct() {
	for _, h := range l.u.hooks("constructor") {
		l.callHook(h)
	}
}

// destruct calls what is to be called after it.
func (l *lowerer) destruct() {
	for _, h := range slices.Backward(l.u.hooks("destructor")) {
		l.callHook(h)
	}
}

func (l *lowerer) callHook(h hook) {
	def := l.u.defined[h.name]
	if len(l.u.parameters(def)) > 0 {
		l.u.refuse(def.Declarator, "a constructor with parameters")
	}
	l.at(def.Declarator)
	l.call(def.Declarator, h.name, nil)
}

// A guarded variable has a function that is called where it goes out of scope.
type guarded struct {
	v  value // its address
	fn string
}

// guardVariable notes the function that a variable is given to where it goes out of scope.
func (l *lowerer) guardVariable(x *declared, v *variable) {
	fn := ""
	if a := x.cleanup.ArgumentExpressionList; a != nil {
		if p, ok := unwrap(a.AssignmentExpression).(*cc.PrimaryExpression); ok {
			fn = p.Token.SrcStr()
		}
	}
	if l.u.defined[fn] == nil || v.obj == nil {
		l.u.refuse(x.d, "this attribute cleanup")
	}
	l.frame.guards = append(l.frame.guards, guarded{v: value{t: types.PointerTo(v.t), e: v.obj.Address()}, fn: fn})
}

// leaveGuards calls the functions of the variables that go out of scope, down to so many that stay.
func (l *lowerer) leaveGuards(n cc.Node, stay int) {
	f := l.frame
	for i := len(f.guards) - 1; i >= stay; i-- {
		g := f.guards[i]
		l.callDefined(n, g.fn, []value{g.v})
	}
}
