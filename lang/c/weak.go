package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What is declared with the attribute weak, or by #pragma weak, need not be defined: its address is null then. The program is all
// there is, so it is known which of both it is; and a weak definition is the one that counts.

// findWeak takes in what is declared to be weak, and functions that are other names of defined ones.
func (u *unit) findWeak() {
	u.weaks = map[string]bool{}
	labels := map[string]string{}
	for _, name := range u.tree.Weak {
		u.weaks[name] = true
	}
	for l := u.ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		d := l.ExternalDeclaration
		if d.Case != cc.ExternalDeclarationDecl || d.Declaration.Case != cc.DeclarationDecl {
			continue
		}
		for l := d.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			id := l.InitDeclarator
			name := id.Declarator.Name()
			of := func(attribute string) *cc.AttributeValue {
				return u.attributed(attribute, d.Declaration.DeclarationSpecifiers, id.AttributeSpecifierList, id.Declarator, d.Declaration.AttributeSpecifierList)
			}
			u.weaks[name] = u.weaks[name] || of("weak") != nil
			if a := of("weakref"); a != nil {
				u.refuse(id.Declarator, "the attribute weakref")
			}
			if a := of("alias"); a != nil {
				target := ""
				if a.Case == cc.AttributeValueExpr && a.ArgumentExpressionList != nil {
					target, _ = stringOf(a.ArgumentExpressionList.AssignmentExpression)
				}
				u.alias(id.Declarator, strings.TrimRight(target, "\x00"), "this attribute alias")
			}
			if id.Asm != nil {
				u.labelled(id.Declarator, strings.Trim(id.Asm.Token3.SrcStr(), `"`), labels)
			}
		}
	}
}

// alias defines the function as the one that is called target. It is refused as what is not modelled where that is not a function, or both are.
func (u *unit) alias(d *cc.Declarator, target, what string) {
	f := u.defined[target]
	if f == nil || u.defined[d.Name()] != nil {
		u.refuse(d, what)
	}
	u.defined[d.Name()], u.isDefined[d.Name()] = f, true
}

// labelled is a name that has another one in assembly, which matters only where the program has something of that name, too: labels has
// which variable was declared with which label.
func (u *unit) labelled(d *cc.Declarator, label string, labels map[string]string) {
	name := d.Name()
	if label == name || label == "" {
		return
	}
	if d.Type().Kind() == cc.Function {
		if u.defined[label] != nil {
			u.alias(d, label, "this name in assembly")
		}
		return
	}
	if before, again := labels[label]; again && before != name || u.globals[label] != nil {
		u.refuse(d, "this name in assembly, which is another variable's, too")
	}
	labels[label] = name
}

// absent is true of a function, or a variable, that is weak and not defined.
func (u *unit) absent(name string) bool {
	if !u.weaks[name] || u.defined[name] != nil || u.isBuiltin(name) || attribute(name) {
		return false
	}
	x := u.globals[name]
	return x != nil && (x.t.Kind == types.FunctionKind || x.spec.extern && x.init == nil)
}

// callAbsent is a call of such a function.
func (l *lowerer) callAbsent(n *cc.PostfixExpression, name string, args []cc.ExpressionNode) value {
	evaluateAll(l, args)
	l.at(n)
	l.assert(program.Const(0), "%s is called, which is weak and has no definition", name)
	return l.zero(l.u.globals[name].t.Elem.Plain())
}
