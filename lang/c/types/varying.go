package types

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Varied is how many elements an array has whose size varies.
type Varied struct {
	Count program.Expr      // nil: it is not known, as of a parameter of a function that has not been called
	Size  cc.ExpressionNode // what says so
}

// VaryingSize is what messages call an array whose size varies.
const VaryingSize = "an array whose size varies"

// Varying is an array of elements of type t, as many as v says.
func Varying(t *Type, v *Varied) *Type {
	a := ArrayOf(t, -1)
	a.Name, a.Varied = VaryingSize, v
	return a
}

// Varies is true of an array whose size is computed.
func (t *Type) Varies() bool { return t.Kind == ArrayKind && (t.Varied != nil || t.Elem.Varies()) }

// HasVarying is true of a type that is made of one.
func (t *Type) HasVarying() bool {
	switch t.Kind {
	case ArrayKind, PointerKind:
		return t.Varies() || t.Elem.HasVarying()
	}
	return false
}

// Element is what arrays of arrays are made of.
func (t *Type) Element() *Type {
	for t.Kind == ArrayKind {
		t = t.Elem
	}
	return t
}
