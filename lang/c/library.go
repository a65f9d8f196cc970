package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// libraryType is the type that the library has by that name, or nil: a program that brings its
// own functions brings its own types.
func (m *maker) libraryType(name string) *types.Type {
	x, ok := types.Library[name]
	if !ok || !m.u.isDeclared[x.Of] || m.u.isDefined[x.Of] {
		return nil
	}
	t := m.library[name]
	if t == nil {
		of := types.Int
		if x.Wide {
			of = types.Long
		}
		t = &types.Type{Kind: types.StructKind, Align: of.Align, Size: of.Size * int64(len(x.Fields)), Name: name, Whole: true, Library: true}
		for i, f := range x.Fields {
			t.Fields = append(t.Fields, types.Field{Name: f, Type: of, Offset: of.Size * int64(i)})
		}
		m.library[name] = t
	}
	return t
}

// libraryValue is what an initialiser makes of an object of the library: all of them are 0 but
// for the kind of a mutex, wherever the system's headers have it.
func (l *lowerer) libraryValue(t *types.Type, off int64, n cc.Node) []put {
	var kind int64
	walk(n, func(n cc.Node) bool {
		init, ok := n.(*cc.Initializer)
		if ok && init.Case == cc.InitializerExpr {
			if k, ok := l.u.constantMaybe(init.AssignmentExpression); ok && k != 0 {
				kind = k
			}
			return false
		}
		return true
	})
	var puts []put
	for _, f := range t.Fields {
		v := number(types.Int, 0)
		if f.Name == "__kind" && (kind == recursiveKind || kind == checkingKind) {
			v = number(types.Int, kind)
		}
		puts = append(puts, put{off: off + f.Offset, t: f.Type, v: v, at: n})
	}
	return puts
}

// The kinds of mutexes that are not normal ones.
const (
	recursiveKind = 1
	checkingKind  = 2
)

// specialMutexes is true of a program that may have mutexes that are not normal ones.
func (u *unit) specialMutexes() bool {
	if u.special == nil {
		special := u.findSpecial()
		u.special = &special
	}
	return *u.special
}

func (u *unit) findSpecial() bool {
	found := false
	look := func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionIdent {
				name := x.Token.SrcStr()
				found = found || strings.Contains(name, "RECURSIVE") || strings.Contains(name, "ERRORCHECK") || strings.Contains(name, "mtx_recursive")
			}
		case *cc.PostfixExpression:
			if x.Case != cc.PostfixExpressionCall {
				break
			}
			name, args := called(x), arguments(x)
			if (name == "pthread_mutexattr_settype" || name == "mtx_init") && len(args) == 2 {
				k, ok := u.constantMaybe(args[1])
				found = found || !ok || k == recursiveKind || k == checkingKind || name == "mtx_init" && k&1 != 0
			}
		}
		return !found
	}
	for _, f := range u.defined {
		walk(f.CompoundStatement, look)
	}
	for _, x := range u.globals {
		if x.init == nil {
			continue
		}
		walk(x.init, look)
		t := x.t
		for t.Kind == types.ArrayKind {
			t = t.Elem
		}
		if t.Library && strings.Contains(t.Name, "m") {
			for _, p := range u.cur.libraryValue(t, 0, x.init) {
				found = found || p.v.e != program.Const(0)
			}
		}
	}
	return found
}
