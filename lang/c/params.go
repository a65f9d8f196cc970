package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// A parameter is one of a function that is defined.
type parameter struct {
	d *cc.Declarator // nil: it has no name
	t *types.Type
}

// parameters lists the parameters of a function definition.
func (u *unit) parameters(def *cc.FunctionDefinition) []parameter {
	if ps, ok := u.params[def]; ok {
		return ps
	}
	ps := u.findParameters(def)
	u.params[def] = ps
	return ps
}

func (u *unit) findParameters(def *cc.FunctionDefinition) []parameter {
	dd := def.Declarator.DirectDeclarator
	for dd != nil {
		switch dd.Case {
		case cc.DirectDeclaratorFuncParam:
			if dd.DirectDeclarator.Case == cc.DirectDeclaratorDecl && dd.DirectDeclarator.Declarator.Pointer != nil {
				dd = dd.DirectDeclarator.Declarator.DirectDeclarator
				continue
			}
			var ps []parameter
			if dd.ParameterTypeList == nil {
				return nil
			}
			for l := dd.ParameterTypeList.ParameterList; l != nil; l = l.ParameterList {
				p := l.ParameterDeclaration
				if p.Declarator == nil {
					if t := u.maker.parameter(p); t.Kind != types.VoidKind {
						ps = append(ps, parameter{t: t})
					}
					continue
				}
				ps = append(ps, parameter{p.Declarator, u.parameterType(p)})
			}
			return ps
		case cc.DirectDeclaratorFuncIdent:
			return u.oldParameters(def)
		case cc.DirectDeclaratorDecl:
			dd = dd.Declarator.DirectDeclarator
		default:
			dd = dd.DirectDeclarator
		}
	}
	return nil
}

// oldParameters lists the parameters of a function whose declarations follow its declarator.
func (u *unit) oldParameters(def *cc.FunctionDefinition) []parameter {
	known := map[string]*types.Type{}
	for l := def.DeclarationList; l != nil; l = l.DeclarationList {
		u.declare(l.Declaration, func(x *declared) {
			if !x.spec.typedef {
				known[x.d.Name()] = x.t.Decay()
			}
		})
	}
	ft, ok := def.Declarator.Type().(*cc.FunctionType)
	if !ok {
		u.refuse(def, "a function that is declared in this way")
	}
	var ps []parameter
	for _, p := range ft.Parameters() {
		t := known[p.Name()]
		if t == nil {
			t = types.Int
		}
		ps = append(ps, parameter{p.Declarator, t})
	}
	return ps
}

func (u *unit) parameterType(p *cc.ParameterDeclaration) *types.Type {
	x := u.declared[p.Declarator]
	if x == nil {
		x = &declared{d: p.Declarator, specs: p.DeclarationSpecifiers, t: u.maker.parameter(p)}
		u.declared[p.Declarator] = x
	}
	if x.t.Incomplete() {
		u.fail(p, "", "the parameter %s has a type without a size", p.Declarator.Name())
	}
	return x.t
}
