package c

import (
	"math"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// A maker makes types of declarations.
type maker struct {
	u       *unit
	structs map[*cc.StructOrUnionSpecifier]*types.Type
	typedef map[*cc.Declarator]*types.Type
	tags    map[tag]*cc.StructOrUnionSpecifier
	library map[string]*types.Type
	packed  map[*cc.EnumType]bool // enumerations that are as small as their values allow
	// laying is how many structures are laid out, one as a member of the other, and mentioned are those that have been
	// mentioned meanwhile, as what a member points to may have the structure itself for a member.
	laying    int
	mentioned []*types.Type
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
	t       *types.Type
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
	var quals types.Qualifiers
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
			quals = quals.And(qualifier(n.TypeQualifier))
			m.pack(last, n.TypeQualifier.AttributeSpecifierList)
		case cc.DeclarationSpecifiersAttr:
			m.pack(last, n.AttributeSpecifierList)
		case cc.DeclarationSpecifiersFunc:
			s.inline = true
		}
	}
	s.t = m.base(words).Qualified(quals)
	return s
}

func qualifier(q *cc.TypeQualifier) types.Qualifiers {
	return types.Qualifiers{Atomic: q.Case == cc.TypeQualifierAtomic, Const: q.Case == cc.TypeQualifierConst, Volatile: q.Case == cc.TypeQualifierVolatile}
}

// qualifierList reads the specifiers of a member or a type name.
func (m *maker) qualifierList(n *cc.SpecifierQualifierList) *types.Type {
	var words []*cc.TypeSpecifier
	var quals types.Qualifiers
	var last *cc.TypeSpecifier // right before n
	for ; n != nil; last, n = n.TypeSpecifier, n.SpecifierQualifierList {
		switch n.Case {
		case cc.SpecifierQualifierListTypeSpec:
			words = append(words, n.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			quals = quals.And(qualifier(n.TypeQualifier))
			m.pack(last, n.TypeQualifier.AttributeSpecifierList)
		}
	}
	return m.base(words).Qualified(quals)
}

// base is the type that type specifiers name.
func (m *maker) base(words []*cc.TypeSpecifier) *types.Type {
	var long, short, signed, unsigned, char, single, double, int128 int
	var other *cc.TypeSpecifier
	for _, w := range words {
		switch w.Case {
		case cc.TypeSpecifierVoid:
			return types.Void
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
			return types.Bool
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
			return m.typeName(w.AtomicTypeSpecifier.TypeName).Qualified(types.Qualifiers{Atomic: true})
		case cc.TypeSpecifierUint128:
			return types.UnsignedInt128
		case cc.TypeSpecifierInt128:
			int128++
		case cc.TypeSpecifierFloat, cc.TypeSpecifierFloat32: // which _Complex may follow
			single++
		case cc.TypeSpecifierDouble, cc.TypeSpecifierFloat64, cc.TypeSpecifierFloat32x:
			double++
		case cc.TypeSpecifierFloat64x:
			return types.LongDouble
		default:
			other = w
		}
	}
	pick := func(s, us *types.Type) *types.Type {
		if unsigned > 0 {
			return us
		}
		return s
	}
	switch {
	case other != nil:
		return otherType(other.Token.SrcStr(), single > 0, long > 0)
	case int128 > 0:
		return pick(types.Int128, types.UnsignedInt128)
	case single > 0:
		return types.Float
	case double > 0 && long > 0:
		return types.LongDouble
	case double > 0:
		return types.Double
	case char > 0 && signed > 0:
		return types.SignedChar
	case char > 0:
		return pick(types.Char, types.UnsignedChar)
	case short > 0:
		return pick(types.Short, types.UnsignedShort)
	case long > 1:
		return pick(types.LongLong, types.UnsignedLongLong)
	case long > 0:
		return pick(types.Long, types.UnsignedLong)
	}
	return pick(types.Int, types.UnsignedInt)
}

// otherType is a type that is not modelled, of float or of long double where these stand beside it.
func otherType(name string, single, long bool) *types.Type {
	size := int64(16)
	switch name {
	case "_Decimal32":
		size = 4
	case "_Decimal64":
		size = 8
	case "_Complex", "__complex", "__complex__":
		if single {
			size = 8
		} else if long {
			size = 32
		}
		return &types.Type{Kind: types.OtherKind, Size: size, Align: size / 2, Name: "the type " + name}
	}
	return &types.Type{Kind: types.OtherKind, Size: size, Align: size, Name: "the type " + name}
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

func (m *maker) typedefType(d *cc.Declarator) *types.Type {
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
	m.typedef[d] = types.Int // of what is defined by itself
	t := m.declarator(m.specifiers(dd.specs).t, d)
	if t.HasVarying() {
		m.u.refuse(d, "a type with a name for "+types.VaryingSize)
	}
	m.typedef[d] = t
	return t
}

// pack heeds an attribute right behind the } of an enumeration, which makes it as small as its values allow.
func (m *maker) pack(w *cc.TypeSpecifier, list *cc.AttributeSpecifierList) {
	if list == nil || w == nil || w.Case != cc.TypeSpecifierEnum || w.EnumSpecifier.Case != cc.EnumSpecifierDef {
		return
	}
	var lay types.Attributes
	m.attributes(&lay, list)
	if e, ok := w.EnumSpecifier.Type().(*cc.EnumType); ok && lay.Packed {
		m.packed[e] = true
	}
}

// smallest is the type of a packed enumeration.
func smallest(e *cc.EnumType) *types.Type {
	signed := []*types.Type{types.SignedChar, types.Short, types.Int}
	for i, t := range []*types.Type{types.UnsignedChar, types.UnsignedShort, types.UnsignedInt} {
		bits := uint(t.Size * 8)
		if e.Min() >= 0 && e.Max() < 1<<bits {
			return t
		}
		if e.Min() < 0 && e.Min() >= -1<<(bits-1) && (int64(e.Max()) < 1<<(bits-1)) {
			return signed[i]
		}
	}
	return nil
}

// enumeration is the type of an enum: as GCC and Clang have it, one without values below 0 is unsigned.
func (m *maker) enumeration(n *cc.EnumSpecifier) *types.Type {
	if n.EnumTypeSpecifier != nil { // which C has since 2023
		m.u.refuse(n.EnumTypeSpecifier, "an enumeration with a type of its own")
	}
	if t := n.Type(); t != nil && t.Kind() != cc.InvalidKind {
		if e, ok := t.(*cc.EnumType); ok && e.UnderlyingType() != nil {
			if small := smallest(e); m.packed[e] && small != nil {
				return small
			}
			least, greatest := m.u.limits(n, e)
			switch {
			case least >= 0 && greatest <= math.MaxUint32:
				return types.UnsignedInt
			case least >= 0:
				return types.UnsignedLong
			case least < math.MinInt32 || greatest > math.MaxInt32:
				return types.Long
			}
		}
	}
	return types.Int
}

// structure is the type of a struct or a union.
func (m *maker) structure(n *cc.StructOrUnionSpecifier) *types.Type {
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
		kind, word := types.StructKind, "struct"
		if def.StructOrUnion.Case == cc.StructOrUnionUnion {
			kind, word = types.UnionKind, "union"
		}
		t = types.Pending(kind, strings.TrimSpace(word+" "+def.Token.SrcStr()), def)
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
func (m *maker) complete(t *types.Type) {
	if !t.IsPending() {
		return
	}
	if t = m.structs[t.Node]; !t.Whole && t.Node.Case == cc.StructOrUnionSpecifierDef && t.Fields == nil {
		m.members(t, t.Node)
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
func (m *maker) members(t *types.Type, n *cc.StructOrUnionSpecifier) {
	t.Fields = []types.Field{}
	m.laying++
	defer func() {
		for m.laying--; m.laying == 0 && len(m.mentioned) > 0; {
			t := m.mentioned[0]
			m.mentioned = m.mentioned[1:]
			m.complete(t)
		}
	}()
	var whole types.Attributes
	m.attributes(&whole, n.AttributeSpecifierList)
	m.attributes(&whole, n.AttributeSpecifierList2)
	whole.Most = m.u.tree.Packed[n]
	lay := t.Layout(whole)
	for l := n.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		d := l.StructDeclaration
		if d.Case != cc.StructDeclarationDecl {
			continue
		}
		base := m.qualifierList(d.SpecifierQualifierList)
		said := m.qualifierLayout(d.SpecifierQualifierList)
		m.attributes(&said, d.AttributeSpecifierList)
		if d.StructDeclaratorList == nil {
			if m.complete(base); declaresMembers(d.SpecifierQualifierList) {
				lay.Place("", base, said)
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
				if ft.TwoWords {
					m.u.refuse(sd, "a bit-field of type "+ft.Name)
				}
				if w < 0 || w > ft.Size*8 || !ft.Integer() {
					m.u.fail(sd, "", "a bit-field of %d bits", w)
				}
				if w == 0 && whole.Most == 0 {
					lay.Close(ft)
					continue
				}
				if w == 0 || !lay.PlaceBits(name, ft, int(w), said) {
					m.u.refuse(n, "a bit-field that is packed in two ways")
				}
				continue
			}
			if ft.HasVarying() {
				m.u.refuse(sd, types.VaryingSize)
			}
			if ft.Kind == types.ArrayKind && ft.Len < 0 { // a flexible array member
				ft = types.ArrayOf(ft.Elem, 0)
			} else if ft.Incomplete() {
				m.u.fail(sd, "", "the member %s has a type without a size", name)
			}
			lay.Place(name, ft, said)
		}
	}
	if !lay.End() {
		m.u.refuse(n, "bit-fields whose bytes begin or end within those of others")
	}
	if t.Size > lowered.MaxObject {
		m.u.fail(n, "", "%s has more than %d bytes", t.Name, lowered.MaxObject)
	}
}

// declaresMembers is true of a structure or a union without a name and without a tag, whose members are those of the one that it is in (C11,
// 6.7.2.1p13). With a tag it declares that, and no member.
func declaresMembers(n *cc.SpecifierQualifierList) bool {
	for ; n != nil; n = n.SpecifierQualifierList {
		if s := n.TypeSpecifier; s != nil && s.Case == cc.TypeSpecifierStructOrUnion {
			return s.StructOrUnionSpecifier.Case == cc.StructOrUnionSpecifierDef && s.StructOrUnionSpecifier.Token.SrcStr() == ""
		}
	}
	return false
}

// typeName is a type that is written without a name, as in a cast.
func (m *maker) typeName(n *cc.TypeName) *types.Type {
	t := m.qualifierList(n.SpecifierQualifierList)
	m.complete(t)
	m.unnamed++
	defer func() { m.unnamed-- }()
	return m.abstract(t, n.AbstractDeclarator)
}

func (m *maker) abstract(t *types.Type, n *cc.AbstractDeclarator) *types.Type {
	if n == nil {
		return t
	}
	t = m.pointer(t, n.Pointer)
	return m.directAbstract(t, n.DirectAbstractDeclarator)
}

func (m *maker) directAbstract(t *types.Type, n *cc.DirectAbstractDeclarator) *types.Type {
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

func (m *maker) pointer(t *types.Type, n *cc.Pointer) *types.Type {
	for ; n != nil; n = n.Pointer {
		if n.Case == cc.PointerBlock {
			m.u.refuse(n, "a block")
		}
		t = types.PointerTo(t)
		for q := n.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			if q.TypeQualifier != nil {
				t = t.Qualified(qualifier(q.TypeQualifier))
			}
		}
	}
	return t
}

// declarator is the type of what d declares, given that of its specifiers.
func (m *maker) declarator(t *types.Type, d *cc.Declarator) *types.Type {
	if d == nil {
		return t
	}
	return m.direct(m.pointer(t, d.Pointer), d.DirectDeclarator)
}

func (m *maker) direct(t *types.Type, n *cc.DirectDeclarator) *types.Type {
	switch n.Case {
	case cc.DirectDeclaratorIdent:
		return t
	case cc.DirectDeclaratorDecl:
		return m.declarator(t, n.Declarator)
	case cc.DirectDeclaratorFuncParam:
		return m.direct(m.function(t, n.ParameterTypeList), n.DirectDeclarator)
	case cc.DirectDeclaratorFuncIdent:
		return m.direct(&types.Type{Kind: types.FunctionKind, Align: 1, Elem: t, Name: t.Name + " ()"}, n.DirectDeclarator)
	}
	if m.parameters > 0 && n.DirectDeclarator.Case == cc.DirectDeclaratorIdent {
		return types.ArrayOf(t, -1) // a pointer: how many there are makes no difference
	}
	return m.direct(m.array(t, n.AssignmentExpression, n), n.DirectDeclarator)
}

func (m *maker) array(t *types.Type, size cc.ExpressionNode, at cc.Node) *types.Type {
	if t.Incomplete() && !t.Varies() {
		m.u.fail(at, "", "an array whose elements have no size")
	}
	if size == nil {
		return types.ArrayOf(t, -1)
	}
	if m.parameters > 0 && (namesParameter(size) || t.Varies()) {
		return types.Varying(t, &types.Varied{Size: size})
	}
	n, ok := m.u.constantMaybe(size)
	if !ok {
		return types.Varying(t, &types.Varied{Count: m.u.cur.varyingCount(size), Size: size})
	}
	switch {
	case n < 0:
		m.u.fail(at, "", "an array of %d elements", n)
	case t.Size > 0 && n > lowered.MaxObject/t.Size:
		m.u.fail(at, "", "an array of %d elements of %d bytes: objects have up to %d bytes", n, t.Size, lowered.MaxObject)
	}
	return types.ArrayOf(t, n)
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

func (m *maker) function(result *types.Type, l *cc.ParameterTypeList) *types.Type {
	f := &types.Type{Kind: types.FunctionKind, Align: 1, Elem: result, Name: result.Name + " (...)"}
	if l == nil {
		return f
	}
	f.Prototype = true
	f.Variadic = l.Case == cc.ParameterTypeListVar
	for p := l.ParameterList; p != nil; p = p.ParameterList {
		t := m.parameter(p.ParameterDeclaration)
		if t.Kind == types.VoidKind {
			continue
		}
		f.Params = append(f.Params, t)
	}
	return f
}

func (m *maker) parameter(p *cc.ParameterDeclaration) *types.Type {
	t := m.specifiers(p.DeclarationSpecifiers).t
	m.parameters++
	defer func() { m.parameters-- }()
	if p.Case == cc.ParameterDeclarationDecl {
		t = m.declarator(t, p.Declarator)
	} else {
		t = m.abstract(t, p.AbstractDeclarator)
	}
	if t.Kind == types.ArrayKind || t.Kind == types.FunctionKind {
		return t.Decay()
	}
	return t
}
