// Package types is the types of C, as they are on x86-64: how large their values are and how they are aligned, where
// the members of structures and unions lie and the bits of bit-fields, what qualifiers add, which types are the same,
// and what the types of operands are converted to.
//
// What comes in is the parts of a type, in the order in which declarations name them; a [Type] comes out. Reading
// declarations is the business of package c, and so is what to say of those that cannot be.
//
// The type of struct { char c; int n : 3; } is made like this, and has 4 bytes:
//
//	t := types.Pending(types.StructKind, "struct", node)
//	lay := t.Layout(types.Attributes{})
//	lay.Place("c", types.Char, types.Attributes{})
//	lay.PlaceBits("n", types.Int, 3, types.Attributes{})
//	ok := lay.End()
package types

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Kind is the kind of a C type.
type Kind uint8

// The kinds.
const (
	VoidKind Kind = iota
	BoolKind
	IntegerKind // every integer type but _Bool, enumerations among them
	FloatKind   // floating point
	OtherKind   // scalars that are not modelled
	PointerKind
	ArrayKind
	StructKind
	UnionKind
	FunctionKind
)

// A Type is a type of C with its qualifiers. The parser's own types do not know
// what is atomic, so these are made from the declarations.
type Type struct {
	Kind   Kind
	Size   int64 // in bytes; of what has no size, 0
	Align  int64
	Signed bool // integers
	Rank   int  // integers: conversion rank
	Qualifiers
	Elem      *Type   // what a pointer points to, the elements of an array, the result of a function
	Len       int64   // arrays; -1: not known
	Varied    *Varied // arrays whose size varies
	Fields    []Field // structures and unions
	Params    []*Type // functions
	Prototype bool    // functions: Params is what they are called with
	Variadic  bool    // functions
	Name      string  // as messages call it
	Whole     bool    // structures: the fields are known
	Node      Specified
	Library   bool // of the library, which says what it consists of: its node is none
	TwoWords  bool // a number of two words, which is a structure of these, the low one first
	// A union with the attribute transparent_union.
	Transparent bool
	// The qualified copies that were made of a structure before its members were known.
	copies *[]*Type
}

// A Specified is where a structure or a union is specified, which tells it from others.
type Specified = *cc.StructOrUnionSpecifier

// A Qualifiers is the qualifiers of a type.
type Qualifiers struct {
	Atomic, Const bool
	Volatile      bool // volatile; only _Generic and constant expressions care
}

// And is the qualifiers of both.
func (q Qualifiers) And(o Qualifiers) Qualifiers {
	return Qualifiers{q.Atomic || o.Atomic, q.Const || o.Const, q.Volatile || o.Volatile}
}

// A Field is a member of a structure or a union.
type Field struct {
	Name      string // empty: an unnamed structure or union, whose members count as those of this one
	Type      *Type
	Offset    int64 // in bytes
	Bits      int   // a bit-field: its width; else 0
	BitOffset int   // a bit-field: where it begins in its unit
	Unit      *Type // a bit-field: what its unit is taken for
	Run       int   // a bit-field: the same number for those that stand side by side, with neither another member nor one of no bits between them
}

// The basic types, as they are on x86-64.
var (
	Void             = &Type{Kind: VoidKind, Size: 1, Align: 1, Name: "void"}
	Bool             = &Type{Kind: BoolKind, Size: 1, Align: 1, Rank: 0, Name: "_Bool"}
	Char             = &Type{Kind: IntegerKind, Size: 1, Align: 1, Signed: true, Rank: 1, Name: "char"}
	SignedChar       = &Type{Kind: IntegerKind, Size: 1, Align: 1, Signed: true, Rank: 1, Name: "signed char"}
	UnsignedChar     = &Type{Kind: IntegerKind, Size: 1, Align: 1, Rank: 1, Name: "unsigned char"}
	Short            = &Type{Kind: IntegerKind, Size: 2, Align: 2, Signed: true, Rank: 2, Name: "short"}
	UnsignedShort    = &Type{Kind: IntegerKind, Size: 2, Align: 2, Rank: 2, Name: "unsigned short"}
	Int              = &Type{Kind: IntegerKind, Size: 4, Align: 4, Signed: true, Rank: 3, Name: "int"}
	UnsignedInt      = &Type{Kind: IntegerKind, Size: 4, Align: 4, Rank: 3, Name: "unsigned int"}
	Long             = &Type{Kind: IntegerKind, Size: 8, Align: 8, Signed: true, Rank: 4, Name: "long"}
	UnsignedLong     = &Type{Kind: IntegerKind, Size: 8, Align: 8, Rank: 4, Name: "unsigned long"}
	LongLong         = &Type{Kind: IntegerKind, Size: 8, Align: 8, Signed: true, Rank: 5, Name: "long long"}
	UnsignedLongLong = &Type{Kind: IntegerKind, Size: 8, Align: 8, Rank: 5, Name: "unsigned long long"}
	Float            = &Type{Kind: FloatKind, Size: 4, Align: 4, Name: "floating point"}
	Double           = &Type{Kind: FloatKind, Size: 8, Align: 8, Name: "floating point"}
	LongDouble       = &Type{Kind: FloatKind, Size: 16, Align: 16, Name: "floating point"}
	Int128           = twoWords("__int128", true)
	UnsignedInt128   = twoWords("unsigned __int128", false)
	VoidPointer      = PointerTo(Void)
)

// twoWords is an integer of two words.
func twoWords(name string, signed bool) *Type {
	return &Type{Kind: StructKind, Size: 16, Align: 16, Signed: signed, Name: name, Whole: true, TwoWords: true, Rank: LongLong.Rank + 1,
		Fields: []Field{{Name: "low", Type: UnsignedLong}, {Name: "high", Type: UnsignedLong, Offset: 8}}}
}

// PointerTo is a pointer to t.
func PointerTo(t *Type) *Type {
	return &Type{Kind: PointerKind, Size: 8, Align: 8, Elem: t, Name: strings.TrimSpace(t.Name + " *")}
}

// ArrayOf is an array of so many elements of type t; -1: of a number that is not known.
func ArrayOf(t *Type, n int64) *Type {
	a := &Type{Kind: ArrayKind, Align: t.Align, Elem: t, Len: n, Name: fmt.Sprintf("%s[%d]", t.Name, n)}
	if n >= 0 {
		a.Size = n * t.Size
	} else {
		a.Name = t.Name + "[]"
	}
	return a
}

// Plain is t without qualifiers, as values have it.
func (t *Type) Plain() *Type {
	if t.Qualifiers == (Qualifiers{}) {
		return t
	}
	c := *t
	if c.copies != nil && !c.Whole {
		*c.copies = append(*c.copies, &c)
	}
	c.Qualifiers = Qualifiers{}
	c.Name = strings.TrimPrefix(strings.TrimPrefix(c.Name, "const "), "_Atomic ")
	return &c
}

// Qualified is t with more qualifiers.
func (t *Type) Qualified(q Qualifiers) *Type {
	if t.Qualifiers.And(q) == t.Qualifiers {
		return t
	}
	if t.Kind == ArrayKind { // the elements are meant
		a := ArrayOf(t.Elem.Qualified(q), t.Len)
		a.Varied = t.Varied
		return a
	}
	c := *t
	if c.copies != nil && !c.Whole {
		*c.copies = append(*c.copies, &c)
	}
	c.Qualifiers = t.Qualifiers.And(q)
	if q.Atomic && !t.Atomic {
		c.Name = "_Atomic " + c.Name
	}
	if q.Const && !t.Const {
		c.Name = "const " + c.Name
	}
	return &c
}

// Number is true of integers of whatever width.
func (t *Type) Number() bool { return t.Integer() || t.TwoWords }

// Integer is true of _Bool, the integer types and enumerations, but for those of two words.
func (t *Type) Integer() bool { return t.Kind == IntegerKind || t.Kind == BoolKind }

// Scalar is true of what has one value: numbers and pointers.
func (t *Type) Scalar() bool {
	return t.Integer() || t.Kind == PointerKind || t.Kind == FloatKind || t.Kind == OtherKind
}

// Aggregate is true of structures and unions.
func (t *Type) Aggregate() bool { return t.Kind == StructKind || t.Kind == UnionKind }

// Decay is the type of a value of type t: arrays and functions are pointers.
func (t *Type) Decay() *Type {
	switch t.Kind {
	case ArrayKind:
		return PointerTo(t.Elem)
	case FunctionKind:
		return PointerTo(t)
	}
	return t.Plain()
}

// Word is the type of a register or a cell that holds a scalar of type t.
func (t *Type) Word() program.Type {
	switch t.Kind {
	case BoolKind:
		return program.BoolType
	case IntegerKind:
		return program.Type{Bits: uint8(t.Size * 8), Signed: t.Signed}
	case FloatKind: // of a width that no integer has, so that no access as one is taken for one
		return program.Type{Bits: uint8(min(t.Size, 8)*8 - 3)}
	}
	return program.Uint64Type
}

// Incomplete is true of what no object can be of.
func (t *Type) Incomplete() bool {
	switch t.Kind {
	case VoidKind, FunctionKind:
		return true
	case ArrayKind:
		return t.Len < 0 || t.Elem.Incomplete()
	case StructKind, UnionKind:
		return !t.Whole
	}
	return false
}

// Same is true of types that are one but for qualifiers.
func (t *Type) Same(o *Type) bool { return t.Matches(o, false) }

// Matches is true of types that are one but for qualifiers; with exact, these count where the type is
// a part of another one: const int * is not int *.
func (t *Type) Matches(o *Type, exact bool) bool {
	part := func(t, o *Type) bool { return (!exact || t.Qualifiers == o.Qualifiers) && t.Matches(o, exact) }
	switch {
	case t == o:
		return true
	case t.Kind != o.Kind:
		return false
	}
	switch t.Kind {
	case FloatKind, OtherKind:
		return t.Size == o.Size && t.Name == o.Name
	case IntegerKind:
		return t.Size == o.Size && t.Signed == o.Signed && t.Rank == o.Rank && (t.Name == "char") == (o.Name == "char")
	case PointerKind:
		return part(t.Elem, o.Elem)
	case ArrayKind:
		return (t.Len == o.Len || t.Len < 0 || o.Len < 0) && part(t.Elem, o.Elem)
	case StructKind, UnionKind:
		return t.Node == o.Node && t.TwoWords == o.TwoWords && t.Signed == o.Signed && (!t.Library || t.Fields[0] == o.Fields[0])
	case FunctionKind:
		if !part(t.Elem, o.Elem) || t.Prototype && o.Prototype && (len(t.Params) != len(o.Params) || t.Variadic != o.Variadic) {
			return false
		}
		for i := range min(len(t.Params), len(o.Params)) {
			if !t.Params[i].Matches(o.Params[i], exact) {
				return false
			}
		}
		return true
	}
	return true
}

// Extended is a structure that ends in an array without a length, with as many elements as so many
// bytes have room for; nil of other types.
func (t *Type) Extended(bytes int64) *Type {
	if t.Kind != StructKind || len(t.Fields) == 0 || bytes <= t.Size {
		return nil
	}
	last := t.Fields[len(t.Fields)-1]
	if last.Type.Kind != ArrayKind || last.Type.Len != 0 || last.Type.Elem.Size == 0 {
		return nil
	}
	c := *t
	c.Fields = slices.Clone(t.Fields)
	last.Type = ArrayOf(last.Type.Elem, (bytes-last.Offset)/last.Type.Elem.Size)
	c.Fields[len(c.Fields)-1] = last
	c.Size = last.Offset + last.Type.Size
	return &c
}

// Find is the member of that name, as a path from t; nil where there is none.
func (t *Type) Find(name string) []Field {
	for _, f := range t.Fields {
		if f.Name == name {
			return []Field{f}
		}
		if f.Name == "" && f.Type.Aggregate() {
			if path := f.Type.Find(name); path != nil {
				return append([]Field{f}, path...)
			}
		}
	}
	return nil
}

// UnsignedOf is the unsigned integer of so many bytes.
func UnsignedOf(bytes int64) *Type {
	return map[int64]*Type{1: UnsignedChar, 2: UnsignedShort, 4: UnsignedInt, 8: UnsignedLong}[bytes]
}

// SignedOf is the signed integer of so many bytes.
func SignedOf(bytes int64) *Type {
	return map[int64]*Type{1: SignedChar, 2: Short, 4: Int, 8: Long}[bytes]
}

// HasUnion is true of types with members in one another's place.
func (t *Type) HasUnion() bool {
	switch t.Kind {
	case ArrayKind:
		return t.Elem.HasUnion()
	case UnionKind:
		return true
	case StructKind:
		for _, f := range t.Fields {
			if f.Type.HasUnion() {
				return true
			}
		}
	}
	return false
}
