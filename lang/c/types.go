package c

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// A kind is the kind of a C type.
type kind uint8

const (
	voidKind kind = iota
	boolKind
	intKind   // every integer type but _Bool, enumerations among them
	floatKind // floats.go says what is known of it
	otherKind // scalars that are not modelled
	pointerKind
	arrayKind
	structKind
	unionKind
	functionKind
)

// A ctype is a type of C with its qualifiers. The parser's own types do not know
// what is atomic, so these are made from the declarations.
type ctype struct {
	kind   kind
	size   int64 // in bytes; of what has no size, 0
	align  int64
	signed bool // integers
	rank   int  // integers: conversion rank
	quals
	elem    *ctype   // what a pointer points to, the elements of an array, the result of a function
	len     int64    // arrays; -1: not known
	varied  *varied  // arrays whose size varies
	fields  []field  // structures and unions
	params  []*ctype // functions
	proto   bool     // functions: params is what they are called with
	vararg  bool     // functions
	name    string   // as messages call it
	whole   bool     // structures: the fields are known
	node    *cc.StructOrUnionSpecifier
	library bool // one of libraryTypes
	// A union with the attribute transparent_union.
	transparent bool
	// The qualified copies that were made of a structure before its members were known.
	copies *[]*ctype
}

// A quals is the qualifiers of a type.
type quals struct {
	atomic, konst bool
	change        bool // volatile; only _Generic and constant expressions care
}

// and is the qualifiers of both.
func (q quals) and(o quals) quals {
	return quals{q.atomic || o.atomic, q.konst || o.konst, q.change || o.change}
}

// A field is a member of a structure or a union.
type field struct {
	name   string // empty: an unnamed structure or union, whose members count as those of this one
	t      *ctype
	off    int64  // in bytes
	bits   int    // a bit-field: its width; else 0
	bitOff int    // a bit-field: where it begins in its unit
	unit   *ctype // a bit-field: what its unit is taken for
}

var (
	voidType    = &ctype{kind: voidKind, size: 1, align: 1, name: "void"}
	boolType    = &ctype{kind: boolKind, size: 1, align: 1, rank: 0, name: "_Bool"}
	charType    = &ctype{kind: intKind, size: 1, align: 1, signed: true, rank: 1, name: "char"}
	scharType   = &ctype{kind: intKind, size: 1, align: 1, signed: true, rank: 1, name: "signed char"}
	ucharType   = &ctype{kind: intKind, size: 1, align: 1, rank: 1, name: "unsigned char"}
	shortType   = &ctype{kind: intKind, size: 2, align: 2, signed: true, rank: 2, name: "short"}
	ushrtType   = &ctype{kind: intKind, size: 2, align: 2, rank: 2, name: "unsigned short"}
	intType     = &ctype{kind: intKind, size: 4, align: 4, signed: true, rank: 3, name: "int"}
	uintType    = &ctype{kind: intKind, size: 4, align: 4, rank: 3, name: "unsigned int"}
	longType    = &ctype{kind: intKind, size: 8, align: 8, signed: true, rank: 4, name: "long"}
	ulongType   = &ctype{kind: intKind, size: 8, align: 8, rank: 4, name: "unsigned long"}
	llongType   = &ctype{kind: intKind, size: 8, align: 8, signed: true, rank: 5, name: "long long"}
	ullngType   = &ctype{kind: intKind, size: 8, align: 8, rank: 5, name: "unsigned long long"}
	fltType     = &ctype{kind: floatKind, size: 4, align: 4, name: "floating point"}
	dblType     = &ctype{kind: floatKind, size: 8, align: 8, name: "floating point"}
	longDblType = &ctype{kind: floatKind, size: 16, align: 16, name: "floating point"}
	int128Type  = &ctype{kind: otherKind, size: 16, align: 16, name: "__int128"}
	voidPtr     = pointerTo(voidType)
)

func pointerTo(t *ctype) *ctype {
	return &ctype{kind: pointerKind, size: 8, align: 8, elem: t, name: strings.TrimSpace(t.name + " *")}
}

func arrayOf(t *ctype, n int64) *ctype {
	a := &ctype{kind: arrayKind, align: t.align, elem: t, len: n, name: fmt.Sprintf("%s[%d]", t.name, n)}
	if n >= 0 {
		a.size = n * t.size
	} else {
		a.name = t.name + "[]"
	}
	return a
}

// plain is t without qualifiers, as values have it.
func (t *ctype) plain() *ctype {
	if t.quals == (quals{}) {
		return t
	}
	c := *t
	if c.copies != nil && !c.whole {
		*c.copies = append(*c.copies, &c)
	}
	c.quals = quals{}
	c.name = strings.TrimPrefix(strings.TrimPrefix(c.name, "const "), "_Atomic ")
	return &c
}

// qualified is t with more qualifiers.
func (t *ctype) qualified(q quals) *ctype {
	if t.quals.and(q) == t.quals {
		return t
	}
	if t.kind == arrayKind { // the elements are meant
		a := arrayOf(t.elem.qualified(q), t.len)
		a.varied = t.varied
		return a
	}
	c := *t
	if c.copies != nil && !c.whole {
		*c.copies = append(*c.copies, &c)
	}
	c.quals = t.quals.and(q)
	if q.atomic && !t.atomic {
		c.name = "_Atomic " + c.name
	}
	if q.konst && !t.konst {
		c.name = "const " + c.name
	}
	return &c
}

func (t *ctype) integer() bool { return t.kind == intKind || t.kind == boolKind }
func (t *ctype) scalar() bool {
	return t.integer() || t.kind == pointerKind || t.kind == floatKind || t.kind == otherKind
}
func (t *ctype) aggregate() bool { return t.kind == structKind || t.kind == unionKind }

// decay is the type of a value of type t: arrays and functions are pointers.
func (t *ctype) decay() *ctype {
	switch t.kind {
	case arrayKind:
		return pointerTo(t.elem)
	case functionKind:
		return pointerTo(t)
	}
	return t.plain()
}

// word is the type of a register or a cell that holds a scalar of type t.
func (t *ctype) word() program.Type {
	switch t.kind {
	case boolKind:
		return program.BoolType
	case intKind:
		return program.Type{Bits: uint8(t.size * 8), Signed: t.signed}
	case floatKind: // of a width that no integer has, so that no access as one is taken for one
		return program.Type{Bits: uint8(min(t.size, 8)*8 - 3)}
	}
	return program.Uint64Type
}

// incomplete is true of what no object can be of.
func (t *ctype) incomplete() bool {
	switch t.kind {
	case voidKind, functionKind:
		return true
	case arrayKind:
		return t.len < 0 || t.elem.incomplete()
	case structKind, unionKind:
		return !t.whole
	}
	return false
}

// same is true of types that are one but for qualifiers.
func (t *ctype) same(o *ctype) bool { return t.matches(o, false) }

// matches is true of types that are one but for qualifiers; with exact, these count where the type is
// a part of another one: const int * is not int *.
func (t *ctype) matches(o *ctype, exact bool) bool {
	part := func(t, o *ctype) bool { return (!exact || t.quals == o.quals) && t.matches(o, exact) }
	switch {
	case t == o:
		return true
	case t.kind != o.kind:
		return false
	}
	switch t.kind {
	case floatKind, otherKind:
		return t.size == o.size && t.name == o.name
	case intKind:
		return t.size == o.size && t.signed == o.signed && t.rank == o.rank && (t.name == "char") == (o.name == "char")
	case pointerKind:
		return part(t.elem, o.elem)
	case arrayKind:
		return (t.len == o.len || t.len < 0 || o.len < 0) && part(t.elem, o.elem)
	case structKind, unionKind:
		return t.node == o.node && (!t.library || t.fields[0] == o.fields[0])
	case functionKind:
		if !part(t.elem, o.elem) || t.proto && o.proto && (len(t.params) != len(o.params) || t.vararg != o.vararg) {
			return false
		}
		for i := range min(len(t.params), len(o.params)) {
			if !t.params[i].matches(o.params[i], exact) {
				return false
			}
		}
		return true
	}
	return true
}

// extended is a structure that ends in an array without a length, with as many elements as so many
// bytes have room for; nil of other types.
func (t *ctype) extended(bytes int64) *ctype {
	if t.kind != structKind || len(t.fields) == 0 || bytes <= t.size {
		return nil
	}
	last := t.fields[len(t.fields)-1]
	if last.t.kind != arrayKind || last.t.len != 0 || last.t.elem.size == 0 {
		return nil
	}
	c := *t
	c.fields = slices.Clone(t.fields)
	last.t = arrayOf(last.t.elem, (bytes-last.off)/last.t.elem.size)
	c.fields[len(c.fields)-1] = last
	c.size = last.off + last.t.size
	return &c
}

// find is the member of that name, as a path from t; nil where there is none.
func (t *ctype) find(name string) []field {
	for _, f := range t.fields {
		if f.name == name {
			return []field{f}
		}
		if f.name == "" && f.t.aggregate() {
			if path := f.t.find(name); path != nil {
				return append([]field{f}, path...)
			}
		}
	}
	return nil
}

// A maker makes types of declarations.
type maker struct {
	u       *unit
	structs map[*cc.StructOrUnionSpecifier]*ctype
	typedef map[*cc.Declarator]*ctype
	tags    map[tag]*cc.StructOrUnionSpecifier
	library map[string]*ctype
	packed  map[*cc.EnumType]bool // enumerations that are as small as their values allow
	// laying is how many structures are laid out, one as a member of the other, and mentioned are those that have been
	// mentioned meanwhile, as what a member points to may have the structure itself for a member.
	laying    int
	mentioned []*ctype
	// parameters are read, of functions inside each other's
	unnamed    int // more than 0: in a type without a name
	parameters int
}

type tag struct {
	scope *cc.Scope
	name  string
}

// A specifier is what declaration specifiers say.
type specifier struct {
	t       *ctype
	static  bool
	extern  bool
	typedef bool
	thread  bool
	inline  bool
	auto    bool
}

// specifiers reads declaration specifiers. They may be nil: int.
func (m *maker) specifiers(n *cc.DeclarationSpecifiers) specifier {
	var s specifier
	var words []*cc.TypeSpecifier
	var quals quals
	var last *cc.TypeSpecifier // right before n
	for ; n != nil; last, n = n.TypeSpecifier, n.DeclarationSpecifiers {
		switch n.Case {
		case cc.DeclarationSpecifiersStorage:
			switch n.StorageClassSpecifier.Case {
			case cc.StorageClassSpecifierTypedef:
				s.typedef = true
			case cc.StorageClassSpecifierStatic:
				s.static = true
			case cc.StorageClassSpecifierExtern:
				s.extern = true
			case cc.StorageClassSpecifierThreadLocal:
				s.thread = true
			case cc.StorageClassSpecifierAuto:
				s.auto = true
			}
		case cc.DeclarationSpecifiersTypeSpec:
			words = append(words, n.TypeSpecifier)
		case cc.DeclarationSpecifiersTypeQual:
			quals = quals.and(qualifier(n.TypeQualifier))
			m.pack(last, n.TypeQualifier.AttributeSpecifierList)
		case cc.DeclarationSpecifiersAttr:
			m.pack(last, n.AttributeSpecifierList)
		case cc.DeclarationSpecifiersFunc:
			s.inline = true
		}
	}
	s.t = m.base(words).qualified(quals)
	return s
}

func qualifier(q *cc.TypeQualifier) quals {
	return quals{q.Case == cc.TypeQualifierAtomic, q.Case == cc.TypeQualifierConst, q.Case == cc.TypeQualifierVolatile}
}

// qualifierList reads the specifiers of a member or a type name.
func (m *maker) qualifierList(n *cc.SpecifierQualifierList) *ctype {
	var words []*cc.TypeSpecifier
	var quals quals
	var last *cc.TypeSpecifier // right before n
	for ; n != nil; last, n = n.TypeSpecifier, n.SpecifierQualifierList {
		switch n.Case {
		case cc.SpecifierQualifierListTypeSpec:
			words = append(words, n.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			quals = quals.and(qualifier(n.TypeQualifier))
			m.pack(last, n.TypeQualifier.AttributeSpecifierList)
		}
	}
	return m.base(words).qualified(quals)
}

// base is the type that type specifiers name.
func (m *maker) base(words []*cc.TypeSpecifier) *ctype {
	var long, short, signed, unsigned, char, double int
	for _, w := range words {
		switch w.Case {
		case cc.TypeSpecifierVoid:
			return voidType
		case cc.TypeSpecifierChar:
			char++
		case cc.TypeSpecifierShort:
			short++
		case cc.TypeSpecifierInt:
		case cc.TypeSpecifierLong:
			long++
		case cc.TypeSpecifierSigned:
			signed++
		case cc.TypeSpecifierUnsigned:
			unsigned++
		case cc.TypeSpecifierBool:
			return boolType
		case cc.TypeSpecifierStructOrUnion:
			return m.structure(w.StructOrUnionSpecifier)
		case cc.TypeSpecifierEnum:
			return m.enumeration(w.EnumSpecifier)
		case cc.TypeSpecifierTypeName:
			d := m.named(w)
			if d == nil {
				m.u.fail(w, "", "there is no type %s", w.Token.SrcStr())
			}
			return m.typedefType(d)
		case cc.TypeSpecifierTypeofExpr:
			return m.u.typeof(w.ExpressionList)
		case cc.TypeSpecifierTypeofType:
			return m.typeName(w.TypeName)
		case cc.TypeSpecifierAtomic:
			return m.typeName(w.AtomicTypeSpecifier.TypeName).qualified(quals{atomic: true})
		case cc.TypeSpecifierInt128, cc.TypeSpecifierUint128:
			return int128Type
		case cc.TypeSpecifierFloat, cc.TypeSpecifierFloat32:
			return fltType
		case cc.TypeSpecifierDouble, cc.TypeSpecifierFloat64, cc.TypeSpecifierFloat32x:
			double++
		case cc.TypeSpecifierFloat64x:
			return longDblType
		default:
			return &ctype{kind: otherKind, size: 16, align: 16, name: "the type " + w.Token.SrcStr()}
		}
	}
	pick := func(s, us *ctype) *ctype {
		if unsigned > 0 {
			return us
		}
		return s
	}
	switch {
	case double > 0 && long > 0:
		return longDblType
	case double > 0:
		return dblType
	case char > 0 && signed > 0:
		return scharType
	case char > 0:
		return pick(charType, ucharType)
	case short > 0:
		return pick(shortType, ushrtType)
	case long > 1:
		return pick(llongType, ullngType)
	case long > 0:
		return pick(longType, ulongType)
	}
	return pick(intType, uintType)
}

// named is the typedef that a type name means.
func (m *maker) named(w *cc.TypeSpecifier) *cc.Declarator {
	name, seq := w.Token.SrcStr(), w.Token.Seq()
	for s := w.LexicalScope(); s != nil; s = s.Parent {
		var found *cc.Declarator
		for _, n := range s.Nodes[name] {
			if d, ok := n.(*cc.Declarator); ok && d.IsTypename() && d.Visible() <= seq {
				found = d
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func (m *maker) typedefType(d *cc.Declarator) *ctype {
	if t, ok := m.typedef[d]; ok {
		return t
	}
	dd, ok := m.u.declared[d]
	if !ok {
		m.u.fail(d, "", "the type %s cannot be made out", d.Name())
	}
	if t := m.libraryType(d.Name()); t != nil {
		m.typedef[d] = t
		return t
	}
	m.typedef[d] = intType // of what is defined by itself
	t := m.declarator(m.specifiers(dd.specs).t, d)
	if t.hasVarying() {
		m.u.refuse(d, "a type with a name for "+varyingSize)
	}
	m.typedef[d] = t
	return t
}

// pack heeds an attribute right behind the } of an enumeration, which makes it as small as its values allow.
func (m *maker) pack(w *cc.TypeSpecifier, list *cc.AttributeSpecifierList) {
	if list == nil || w == nil || w.Case != cc.TypeSpecifierEnum || w.EnumSpecifier.Case != cc.EnumSpecifierDef {
		return
	}
	var lay layout
	m.attributes(&lay, list)
	if e, ok := w.EnumSpecifier.Type().(*cc.EnumType); ok && lay.packed {
		m.packed[e] = true
	}
}

// smallest is the type of a packed enumeration.
func smallest(e *cc.EnumType) *ctype {
	signed := []*ctype{scharType, shortType, intType}
	for i, t := range []*ctype{ucharType, ushrtType, uintType} {
		bits := uint(t.size * 8)
		if e.Min() >= 0 && e.Max() < 1<<bits {
			return t
		}
		if e.Min() < 0 && e.Min() >= -1<<(bits-1) && (int64(e.Max()) < 1<<(bits-1)) {
			return signed[i]
		}
	}
	return nil
}

// enumeration is the type of an enum: int, or unsigned int where a value asks for it.
func (m *maker) enumeration(n *cc.EnumSpecifier) *ctype {
	if n.EnumTypeSpecifier != nil { // which C has since 2023
		m.u.refuse(n.EnumTypeSpecifier, "an enumeration with a type of its own")
	}
	if t := n.Type(); t != nil && t.Kind() != cc.InvalidKind {
		if e, ok := t.(*cc.EnumType); ok && e.UnderlyingType() != nil {
			if small := smallest(e); m.packed[e] && small != nil {
				return small
			}
			switch e.UnderlyingType().Kind() {
			case cc.UInt:
				return uintType
			case cc.Long, cc.LongLong:
				return longType
			case cc.ULong, cc.ULongLong:
				return ulongType
			}
		}
	}
	return intType
}

// structure is the type of a struct or a union.
func (m *maker) structure(n *cc.StructOrUnionSpecifier) *ctype {
	def := n
	if n.Case == cc.StructOrUnionSpecifierTag {
		def = m.definition(n)
	} else if name := n.Token.SrcStr(); name != "" {
		// One tag of one scope is one type.
		key := tag{n.LexicalScope(), name}
		if first, ok := m.tags[key]; ok {
			def = first
		} else {
			m.tags[key] = n
		}
	}
	t, ok := m.structs[def]
	if !ok {
		t = &ctype{kind: structKind, align: 1, node: def, copies: &[]*ctype{}}
		word := "struct"
		if def.StructOrUnion.Case == cc.StructOrUnionUnion {
			t.kind, word = unionKind, "union"
		}
		t.name = strings.TrimSpace(word + " " + def.Token.SrcStr())
		m.structs[def] = t
	}
	if m.laying > 0 && n != def {
		m.mentioned = append(m.mentioned, t)
	} else {
		m.complete(t)
	}
	return t
}

// complete lays out a structure that is defined somewhere.
func (m *maker) complete(t *ctype) {
	if t.copies == nil || t.node == nil {
		return
	}
	if t = m.structs[t.node]; !t.whole && t.node.Case == cc.StructOrUnionSpecifierDef && t.fields == nil {
		m.members(t, t.node)
	}
}

// definition is where the structure that n mentions is defined, or n.
func (m *maker) definition(n *cc.StructOrUnionSpecifier) *cc.StructOrUnionSpecifier {
	name := n.Token.SrcStr()
	var mention *cc.StructOrUnionSpecifier
	for s := n.LexicalScope(); s != nil; s = s.Parent {
		for _, x := range s.Nodes[name] {
			if d, ok := x.(*cc.StructOrUnionSpecifier); ok {
				if d.Case == cc.StructOrUnionSpecifierDef {
					key := tag{s, name}
					if first, ok := m.tags[key]; ok {
						return first
					}
					m.tags[key] = d
					return d
				}
				mention = d
			}
		}
	}
	if mention == nil {
		mention = n
	}
	return mention
}

// members lays out a structure or a union as the ABI of x86-64 has it.
func (m *maker) members(t *ctype, n *cc.StructOrUnionSpecifier) {
	t.fields = []field{}
	m.laying++
	defer func() {
		for m.laying--; m.laying == 0 && len(m.mentioned) > 0; {
			t := m.mentioned[0]
			m.mentioned = m.mentioned[1:]
			m.complete(t)
		}
	}()
	var off int64 // in bits
	var whole layout
	m.attributes(&whole, n.AttributeSpecifierList)
	m.attributes(&whole, n.AttributeSpecifierList2)
	t.transparent = whole.transparent && t.kind == unionKind
	place := func(name string, ft *ctype, bits int, lay layout) {
		align := ft.align
		if whole.packed || lay.packed {
			align = 1
		}
		align = max(align, lay.align)
		if t.kind == unionKind {
			off = 0
		}
		if bits > 0 {
			unit := ft.size * 8
			if off/unit != (off+int64(bits)-1)/unit {
				if align < ft.align {
					m.u.refuse(n, "a bit-field that is packed over the end of its unit")
				}
				off = (off + unit - 1) / unit * unit
			}
			start := off / unit * unit
			if name != "" { // one without a name is a gap
				t.fields = append(t.fields, field{name: name, t: ft, off: start / 8, bits: bits, bitOff: int(off - start)})
			}
			off += int64(bits)
		} else {
			off = (off + 8*align - 1) / (8 * align) * (8 * align)
			t.fields = append(t.fields, field{name: name, t: ft, off: off / 8})
			off += 8 * ft.size
		}
		if bits == 0 || name != "" { // a gap asks for nothing
			t.align = max(t.align, align)
		}
		t.size = max(t.size, (off+7)/8)
	}
	for l := n.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		d := l.StructDeclaration
		if d.Case != cc.StructDeclarationDecl {
			continue
		}
		base := m.qualifierList(d.SpecifierQualifierList)
		lay := m.qualifierLayout(d.SpecifierQualifierList)
		m.attributes(&lay, d.AttributeSpecifierList)
		if d.StructDeclaratorList == nil {
			m.complete(base)
			if base.aggregate() {
				place("", base, 0, lay)
			}
			continue
		}
		for sl := d.StructDeclaratorList; sl != nil; sl = sl.StructDeclaratorList {
			sd := sl.StructDeclarator
			ft := base
			name := ""
			if sd.Declarator == nil || sd.Declarator.Pointer == nil {
				m.complete(base)
			}
			if sd.Declarator != nil {
				ft = m.declarator(base, sd.Declarator)
				name = sd.Declarator.Name()
			}
			if sd.Case == cc.StructDeclaratorBitField {
				w := m.u.constant(sd.ConstantExpression)
				if w < 0 || w > ft.size*8 || !ft.integer() {
					m.u.fail(sd, "", "a bit-field of %d bits", w)
				}
				if w == 0 {
					unit := ft.size * 8
					off = (off + unit - 1) / unit * unit
					continue
				}
				place(name, ft, int(w), lay)
				continue
			}
			if ft.hasVarying() {
				m.u.refuse(sd, varyingSize)
			}
			if ft.kind == arrayKind && ft.len < 0 { // a flexible array member
				ft = arrayOf(ft.elem, 0)
			} else if ft.incomplete() {
				m.u.fail(sd, "", "the member %s has a type without a size", name)
			}
			place(name, ft, 0, lay)
		}
	}
	t.align = max(t.align, whole.align)
	t.size = (t.size + t.align - 1) / t.align * t.align
	t.whole = true
	if !t.units() {
		m.u.refuse(n, "bit-fields whose bytes begin or end within those of others")
	}
	m.u.overhang = m.u.overhang || slices.ContainsFunc(t.fields, func(f field) bool { return f.bits > 0 && f.off+f.unit.size > t.size })
	for _, c := range *t.copies {
		c.fields, c.size, c.align, c.whole = t.fields, t.size, t.align, true
	}
	t.copies = nil
	if t.size > maxObject {
		m.u.fail(n, "", "%s has more than %d bytes", t.name, maxObject)
	}
}

// typeName is a type that is written without a name, as in a cast.
func (m *maker) typeName(n *cc.TypeName) *ctype {
	t := m.qualifierList(n.SpecifierQualifierList)
	m.complete(t)
	m.unnamed++
	defer func() { m.unnamed-- }()
	return m.abstract(t, n.AbstractDeclarator)
}

func (m *maker) abstract(t *ctype, n *cc.AbstractDeclarator) *ctype {
	if n == nil {
		return t
	}
	t = m.pointer(t, n.Pointer)
	return m.directAbstract(t, n.DirectAbstractDeclarator)
}

func (m *maker) directAbstract(t *ctype, n *cc.DirectAbstractDeclarator) *ctype {
	if n == nil {
		return t
	}
	switch n.Case {
	case cc.DirectAbstractDeclaratorDecl:
		return m.abstract(t, n.AbstractDeclarator)
	case cc.DirectAbstractDeclaratorFunc:
		return m.directAbstract(m.function(t, n.ParameterTypeList), n.DirectAbstractDeclarator)
	}
	return m.directAbstract(m.array(t, n.AssignmentExpression, n), n.DirectAbstractDeclarator)
}

func (m *maker) pointer(t *ctype, n *cc.Pointer) *ctype {
	for ; n != nil; n = n.Pointer {
		if n.Case == cc.PointerBlock {
			m.u.refuse(n, "a block")
		}
		t = pointerTo(t)
		for q := n.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			if q.TypeQualifier != nil {
				t = t.qualified(qualifier(q.TypeQualifier))
			}
		}
	}
	return t
}

// declarator is the type of what d declares, given that of its specifiers.
func (m *maker) declarator(t *ctype, d *cc.Declarator) *ctype {
	if d == nil {
		return t
	}
	return m.direct(m.pointer(t, d.Pointer), d.DirectDeclarator)
}

func (m *maker) direct(t *ctype, n *cc.DirectDeclarator) *ctype {
	switch n.Case {
	case cc.DirectDeclaratorIdent:
		return t
	case cc.DirectDeclaratorDecl:
		return m.declarator(t, n.Declarator)
	case cc.DirectDeclaratorFuncParam:
		return m.direct(m.function(t, n.ParameterTypeList), n.DirectDeclarator)
	case cc.DirectDeclaratorFuncIdent:
		return m.direct(&ctype{kind: functionKind, align: 1, elem: t, name: t.name + " ()"}, n.DirectDeclarator)
	}
	if m.parameters > 0 && n.DirectDeclarator.Case == cc.DirectDeclaratorIdent {
		return arrayOf(t, -1) // a pointer: how many there are makes no difference
	}
	return m.direct(m.array(t, n.AssignmentExpression, n), n.DirectDeclarator)
}

func (m *maker) array(t *ctype, size cc.ExpressionNode, at cc.Node) *ctype {
	if t.incomplete() && !t.varies() {
		m.u.fail(at, "", "an array whose elements have no size")
	}
	if size == nil {
		return arrayOf(t, -1)
	}
	if m.parameters > 0 && (namesParameter(size) || t.varies()) {
		return varying(t, &varied{dim: size})
	}
	n, ok := m.u.constantMaybe(size)
	if !ok {
		return varying(t, &varied{count: m.u.cur.varyingCount(size), dim: size})
	}
	switch {
	case n < 0:
		m.u.fail(at, "", "an array of %d elements", n)
	case t.size > 0 && n > maxObject/t.size:
		m.u.fail(at, "", "an array of %d elements of %d bytes: objects have up to %d", n, t.size, maxObject)
	}
	return arrayOf(t, n)
}

// namesParameter is true of a size that is known where a function is called.
func namesParameter(size cc.ExpressionNode) bool {
	found := false
	walk(size, func(n cc.Node) bool {
		p, ok := n.(*cc.PrimaryExpression)
		found = found || ok && p.Case == cc.PrimaryExpressionIdent && resolved(p) != nil && resolved(p).IsParam()
		return !found
	})
	return found
}

func (m *maker) function(result *ctype, l *cc.ParameterTypeList) *ctype {
	f := &ctype{kind: functionKind, align: 1, elem: result, name: result.name + " (...)"}
	if l == nil {
		return f
	}
	f.proto = true
	f.vararg = l.Case == cc.ParameterTypeListVar
	for p := l.ParameterList; p != nil; p = p.ParameterList {
		t := m.parameter(p.ParameterDeclaration)
		if t.kind == voidKind {
			continue
		}
		f.params = append(f.params, t)
	}
	return f
}

func (m *maker) parameter(p *cc.ParameterDeclaration) *ctype {
	t := m.specifiers(p.DeclarationSpecifiers).t
	m.parameters++
	defer func() { m.parameters-- }()
	if p.Case == cc.ParameterDeclarationDecl {
		t = m.declarator(t, p.Declarator)
	} else {
		t = m.abstract(t, p.AbstractDeclarator)
	}
	if t.kind == arrayKind || t.kind == functionKind {
		return t.decay()
	}
	return t
}
