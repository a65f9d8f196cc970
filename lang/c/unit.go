package c

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A unit is a program that is being read.
type unit struct {
	src        *program.Source
	tree       *syntax.Tree
	ast        *cc.AST
	opts       *Options
	maker      *maker
	lowered    *lowered.Unit
	operations *operations.Unit

	declared              map[*cc.Declarator]*declared
	globals               map[string]*declared // objects with a name at file scope
	defined               map[string]*cc.FunctionDefinition
	isDeclared, isDefined map[string]bool   // functions
	small                 *bool             // see smallSemaphores; nil: not looked yet
	assignedNames         map[string]bool   // see isAssigned; nil: not looked yet
	looksAtArguments      *bool             // see given; nil: not looked yet
	special               *bool             // there are mutexes that are not normal ones; nil: not looked yet
	cancelling            *bool             // threads are cancelled; nil: not looked yet
	destroying            *bool             // keys are made with functions for their values; nil: not looked yet
	named                 map[string]bool   // by the first of the names, whether functions name one of them
	weaks                 map[string]bool   // what is declared to be weak
	makers                map[string]bool   // functions that make threads; nil: not looked yet
	spelled               map[string]bool   // attributes whose names are anywhere in the text
	hooked                map[string][]hook // by attribute: see atends.go
	statics               map[*cc.Declarator]*lowered.Object
	nested, tooLarge      bool                               // functions call themselves; it is too large; see shallow.go
	known                 findings                           // by earlier readings
	orders                map[cc.ExpressionNode]observedPart // the parts of which others can tell the order, if this reading has shown more of them; see observe
	declares              map[*lowered.Object]cc.Node        // what declares the local variables that may have a second place
	renewable, renewed    bool                               // a barrier is initialised, or may be so again, whose memory does not tell; see mayRenew
	visibles              map[*cc.StructOrUnionSpecifier][]types.Field
	memberships           map[*cc.StructOrUnionSpecifier]*program.Members
	members               map[string]bool // those that are named anywhere
	params                map[*cc.FunctionDefinition][]parameter
	asyncs                map[*cc.Statement]*async
	sequences             map[cc.ExpressionNode][]cc.ExpressionNode // what is in no order in them; see sequenced
	rivals                map[cc.ExpressionNode][]rival             // of places: what is accessed in no order with them
	settled               map[cc.ExpressionNode]cc.ExpressionNode   // operations whose parts may be evaluated in any order; the first of these
	groups                map[cc.ExpressionNode]int                 // of parts in no order, by the first one; see inPart
	parts                 [][]cc.ExpressionNode                     // of each group
	partOf                map[cc.ExpressionNode]cc.ExpressionNode   // the first argument, of those of functions of the library; see partsOfCall
	sureEvents            []partEvent                               // of which others can tell the order, whatever they are; see findParts
	lostEvents            []partEvent                               // that are not evaluated if parts are from left to right
	busy                  map[cc.ExpressionNode]bool                // parts with several events
	toldApart             map[cc.ExpressionNode]observedPart        // what has been found of parts; see find
	tagged                bool                                      // accesses have tags for their parts
	callsIn               map[cc.ExpressionNode]bool                // see calls
	contestants           map[siblings][]int                        // see [lowerer.contestants]
	effects               map[evaluation]*effects                   // see effectsOf
	touches               map[*cc.FunctionDefinition]touches        // see callTouches
	pointed               map[*cc.Declarator]bool                   // see pointedAt
	linked                map[string]*cc.Declarator                 // see variableOf
	enumeratorBefore      map[*cc.Enumerator]*cc.Enumerator         // of the same enumeration; see enumeratorValue
	enumeratorValues      map[*cc.Enumerator]cc.Value               // that are known
	casts                 map[[2]typeKey]bool                       // see takenFor
	takenFunctions        []*cc.FunctionDefinition                  // otherwise than to be called; see takeFunction
	unlisted              bool                                      // pointers may lead to functions that are not among these
	refusals              map[refusalKey]*program.Diagnostic
	refused               map[*cc.Declarator]*program.Diagnostic // variables that are not modelled
	literals              map[string]*lowered.Object
	compounds             map[*cc.PostfixExpression]*lowered.Object // compound literals at file scope
	fnID                  map[string]int64                          // the addresses of functions
	fnName                []string
	nests                 map[*cc.Declarator]*cc.FunctionDefinition // functions inside functions
	around                map[string]*frame                         // by name: what they are inside of
	nestedUses, anyCalls  []mentioned
	labels                map[labelKey]*lowered.Object // those whose addresses are taken

	aligned *int64 // the largest alignment that the text asks for; nil: not looked yet

	atexits int64            // calls of atexit in the text; -1: not counted yet
	handles bool             // there is a function for a signal
	here    program.Position // what is being read

	cur       *lowerer // the one that is at work
	threads   []*thread
	taken     bool
	escaping  map[*cc.FunctionDefinition]map[*cc.Declarator]bool
	assigning map[*cc.FunctionDefinition]map[*cc.Declarator]bool
	texts     *textUses
	// A pointer to dates is converted to one to void, and one of these to one to numbers (see [lowerer.keepsDates]).
	dateAsVoid, voidAsBytes bool
	jumping                 map[*cc.FunctionDefinition]bool
	walking                 map[*cc.FunctionDefinition]map[*cc.Declarator]bool
	leads                   map[*cc.FunctionDefinition]map[*cc.Declarator]bool // see leading
	leadsBack               map[*cc.FunctionDefinition]bool                    // see givesLeading
	lacksValues             *bool                                              // see valueless.go
	joining                 map[*cc.FunctionDefinition]map[*cc.Declarator]bool
	rounding                map[*cc.FunctionDefinition]*rounds
	recursive               map[*cc.FunctionDefinition]bool
}

// A declared is what the declaration of an identifier says.
type declared struct {
	d     *cc.Declarator
	specs *cc.DeclarationSpecifiers
	init  *cc.Initializer
	spec  specifier
	t     *types.Type
	obj   *lowered.Object
	// What is to be called where the variable goes out of scope; may be nil.
	cleanup *cc.AttributeValue
}

func newUnit(src *program.Source, t *syntax.Tree, opts *Options) *unit {
	u := &unit{
		src: src, tree: t, ast: t.AST, opts: opts,
		declared:    map[*cc.Declarator]*declared{},
		globals:     map[string]*declared{},
		defined:     map[string]*cc.FunctionDefinition{},
		isDeclared:  map[string]bool{},
		isDefined:   map[string]bool{},
		statics:     map[*cc.Declarator]*lowered.Object{},
		declares:    map[*lowered.Object]cc.Node{},
		params:      map[*cc.FunctionDefinition][]parameter{},
		sequences:   map[cc.ExpressionNode][]cc.ExpressionNode{},
		rivals:      map[cc.ExpressionNode][]rival{},
		settled:     map[cc.ExpressionNode]cc.ExpressionNode{},
		groups:      map[cc.ExpressionNode]int{},
		partOf:      map[cc.ExpressionNode]cc.ExpressionNode{},
		busy:        map[cc.ExpressionNode]bool{},
		callsIn:     map[cc.ExpressionNode]bool{},
		contestants: map[siblings][]int{},
		effects:     map[evaluation]*effects{},
		touches:     map[*cc.FunctionDefinition]touches{},
		linked:      map[string]*cc.Declarator{},
		asyncs:      map[*cc.Statement]*async{},
		refused:     map[*cc.Declarator]*program.Diagnostic{},
		refusals:    map[refusalKey]*program.Diagnostic{},
		visibles:    map[*cc.StructOrUnionSpecifier][]types.Field{},
		literals:    map[string]*lowered.Object{},
		compounds:   map[*cc.PostfixExpression]*lowered.Object{},
		fnID:        map[string]int64{},
		nests:       map[*cc.Declarator]*cc.FunctionDefinition{},
		around:      map[string]*frame{},
		escaping:    map[*cc.FunctionDefinition]map[*cc.Declarator]bool{},
		assigning:   map[*cc.FunctionDefinition]map[*cc.Declarator]bool{},
		jumping:     map[*cc.FunctionDefinition]bool{},
		walking:     map[*cc.FunctionDefinition]map[*cc.Declarator]bool{},
		leads:       map[*cc.FunctionDefinition]map[*cc.Declarator]bool{},
		leadsBack:   map[*cc.FunctionDefinition]bool{},
		joining:     map[*cc.FunctionDefinition]map[*cc.Declarator]bool{},
		rounding:    map[*cc.FunctionDefinition]*rounds{},
		recursive:   map[*cc.FunctionDefinition]bool{},
		hooked:      map[string][]hook{},
		spelled:     map[string]bool{},
		labels:      map[labelKey]*lowered.Object{},
		atexits:     -1,
		memberships: map[*cc.StructOrUnionSpecifier]*program.Members{},
	}
	u.maker = &maker{
		u:       u,
		structs: map[*cc.StructOrUnionSpecifier]*types.Type{},
		typedef: map[*cc.Declarator]*types.Type{},
		tags:    map[tag]*cc.StructOrUnionSpecifier{},
		library: map[string]*types.Type{},
		packed:  map[*cc.EnumType]bool{},
	}
	u.lowered = lowered.New(src, opts.lowered(), func(format string, args ...any) { u.failAt(u.here, "", format, args...) })
	u.operations = operations.New(u.lowered, layout{u}, opts.Unroll, opts.Races)
	u.cur = newLowerer(u, -1, "")
	return u
}

// pos is where n begins.
func (u *unit) pos(n cc.Node) program.Position {
	if n == nil {
		return u.here
	}
	if p := u.tree.Locate(n.Position()); p.IsValid() {
		return p
	}
	return u.here
}

// fail ends the reading with a message about n.
func (u *unit) fail(n cc.Node, hint, format string, args ...any) {
	panic(text.Failure{Diagnostic: u.diagnose(n, hint, format, args...)})
}

func (u *unit) diagnose(n cc.Node, hint, format string, args ...any) *program.Diagnostic {
	d := &program.Diagnostic{Source: u.tree.File(u.here.File), Pos: u.here, Hint: hint, Msg: fmt.Sprintf(format, args...)}
	if n == nil {
		return d
	}
	p := n.Position()
	if src := u.tree.File(p.Filename); p.Filename != "" && src.Text != "" {
		d.Source, d.Pos = src, program.Position{Line: p.Line, Col: p.Column}
	}
	return d
}

func (u *unit) failAt(p program.Position, hint, format string, args ...any) {
	text.Fail(u.tree.File(p.File), p, hint, format, args...)
}

// collect takes in the declarations at file scope.
func (u *unit) collect() {
	// A structure can be asked for before its turn, with the types in it.
	for l := u.ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		if d := l.ExternalDeclaration; d.Case == cc.ExternalDeclarationFuncDef {
			u.isDefined[d.FunctionDefinition.Declarator.Name()] = !u.inlineOnly(d.FunctionDefinition)
		} else if d.Case == cc.ExternalDeclarationDecl && d.Declaration.Case == cc.DeclarationDecl {
			for l := d.Declaration.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
				id := l.InitDeclarator
				u.isDeclared[id.Declarator.Name()] = true
				u.declared[id.Declarator] = &declared{d: id.Declarator, specs: d.Declaration.DeclarationSpecifiers, init: id.Initializer}
			}
		}
	}
	for l := u.ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		switch d := l.ExternalDeclaration; d.Case {
		case cc.ExternalDeclarationFuncDef:
			f := d.FunctionDefinition
			if u.inlineOnly(f) {
				continue
			}
			if first := u.defined[f.Declarator.Name()]; first != nil {
				u.fail(f.Declarator, "", "%s is defined twice", f.Declarator.Name())
			}
			if !ofFunction(f.Declarator) {
				u.fail(f.Declarator, "write "+f.Declarator.Name()+"(void) where it has no parameters", "%s has a body and no list of parameters", f.Declarator.Name())
			}
			u.declared[f.Declarator] = &declared{d: f.Declarator, specs: f.DeclarationSpecifiers}
			u.defined[f.Declarator.Name()] = f
		case cc.ExternalDeclarationDecl:
			u.declare(d.Declaration, func(x *declared) {
				if x.spec.typedef {
					return
				}
				name := x.d.Name()
				if old := u.globals[name]; old != nil {
					// The definition, or the declaration that says more, counts.
					if old.init != nil && x.init != nil {
						u.fail(x.d, "", "%s is defined twice", name)
					}
					composite(old, x)
					if x.init == nil && (x.spec.extern || old.init != nil || !old.t.Incomplete()) {
						return
					}
				}
				u.globals[name] = x
			})
		}
	}
	u.findWeak()
	u.assertions()
}

// assertions are static ones that the parser does not judge, as its structures are others.
func (u *unit) assertions() {
	if !u.tree.Mentions("_Static_assert") && !u.tree.Mentions("static_assert") {
		return
	}
	walk(u.ast.TranslationUnit, func(n cc.Node) bool {
		if e, ok := n.(*cc.Enumerator); ok && strings.HasPrefix(e.Token.SrcStr(), syntax.Asserted) {
			if v, ok := u.constantValue(e.ConstantExpression); ok && v.e == program.Const(0) {
				u.fail(n, "", "the static assertion does not hold")
			}
		}
		return true
	})
}

// ofFunction is true of a declarator of a function: next to the name stands a list of parameters.
func ofFunction(d *cc.Declarator) bool {
	list := false
	for dd := d.DirectDeclarator; dd != nil; {
		switch dd.Case {
		case cc.DirectDeclaratorIdent:
			return list
		case cc.DirectDeclaratorDecl:
			if dd.Declarator.Pointer != nil {
				list = false
			}
			dd = dd.Declarator.DirectDeclarator
		default:
			list = dd.Case == cc.DirectDeclaratorFuncParam || dd.Case == cc.DirectDeclaratorFuncIdent
			dd = dd.DirectDeclarator
		}
	}
	return list
}

// composite gives two declarations of one array the size that one of them names; the other one has none,
// or as many elements as it gives values.
func composite(x, y *declared) {
	if x.t.Kind == types.ArrayKind && y.t.Kind == types.ArrayKind && !x.t.Varies() && !y.t.Varies() && x.t.Len != y.t.Len {
		n := max(x.t.Len, y.t.Len)
		x.t, y.t = types.ArrayOf(x.t.Elem, n), types.ArrayOf(y.t.Elem, n)
	}
}

// declare takes in a declaration and calls f for what it declares.
func (u *unit) declare(d *cc.Declaration, f func(*declared)) {
	switch d.Case {
	case cc.DeclarationAssert:
		n := d.StaticAssertDeclaration
		if u.constant(n.ConstantExpression) == 0 {
			u.fail(n, "", "the static assertion does not hold")
		}
		return
	case cc.DeclarationAuto:
		x := &declared{d: d.Declarator, specs: d.DeclarationSpecifiers, init: d.Initializer}
		u.declared[d.Declarator] = x
		if d.Initializer == nil || d.Initializer.AssignmentExpression == nil {
			u.fail(d, "", "__auto_type without a value")
		}
		x.t = u.typeof(d.Initializer.AssignmentExpression).Decay()
		f(x)
		return
	}
	u.retyped(d)
	if d.InitDeclaratorList == nil {
		u.maker.specifiers(d.DeclarationSpecifiers) // struct s { ... };
		return
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		x := &declared{d: id.Declarator, specs: d.DeclarationSpecifiers, init: id.Initializer}
		u.declared[id.Declarator] = x
		x.spec = u.maker.specifiers(d.DeclarationSpecifiers)
		if x.spec.typedef {
			u.alignedName(d, id)
			f(x)
			continue
		}
		x.cleanup = u.attributed("cleanup", d.DeclarationSpecifiers, id.AttributeSpecifierList, id.Declarator, d.AttributeSpecifierList)
		x.t = u.maker.declarator(x.spec.t, id.Declarator)
		if x.t.Kind == types.ArrayKind && x.t.Len < 0 && x.init != nil && !x.t.Varies() {
			x.t = types.ArrayOf(x.t.Elem, u.initLen(x.t, x.init))
		}
		f(x)
	}
}

// constant is the value of an integer constant expression.
func (u *unit) constant(n cc.ExpressionNode) int64 {
	v, ok := u.constantMaybe(n)
	if !ok {
		u.fail(n, "", "this is not a constant")
	}
	return v
}

func (u *unit) constantMaybe(n cc.ExpressionNode) (int64, bool) {
	v, ok := u.constantValue(n)
	k, _ := v.e.(program.Const)
	return int64(k), ok
}

// constantValue is the same with its type.
func (u *unit) constantValue(n cc.ExpressionNode) (v value, ok bool) {
	l := u.cur
	emitted := l.dry(func() {
		l.constOnly++
		v = l.expr(n)
		l.constOnly--
	})
	_, ok = v.e.(program.Const)
	return v, ok && !emitted && v.t.Integer()
}

// typeof is the type of an expression that is not evaluated.
func (u *unit) typeof(n cc.ExpressionNode) *types.Type { return u.cur.typeOf(n) }

// function is the address of the function of that name.
func (u *unit) function(name string) int64 {
	id, ok := u.fnID[name]
	if !ok {
		id = int64(len(u.fnName)+1) * 16
		if id >= 1024 {
			u.failAt(u.here, "", "the addresses of too many functions are taken")
		}
		u.fnID[name] = id
		u.fnName = append(u.fnName, name)
	}
	return id
}

// global is the object of that name at file scope, or nil.
func (u *unit) global(name string) *declared {
	x := u.globals[name]
	if x == nil || x.t.Kind == types.FunctionKind || x.spec.thread {
		return x
	}
	if x.obj == nil {
		if x.t.HasVarying() {
			u.refuse(x.d, types.VaryingSize)
		}
		if x.t.Kind == types.ArrayKind && x.t.Len < 0 { // a tentative definition
			x.t = types.ArrayOf(x.t.Elem, 1)
		}
		if x.t.Incomplete() {
			u.fail(x.d, "", "%s has a type without a size", name)
		}
		x.obj = u.object(name, x.t)
		x.obj.Fix(name)
		if x.init != nil {
			u.static(x.obj, x.init)
		} else {
			x.obj.MayBeOther()
		}
	}
	return x
}

// static initialises an object of static storage duration.
func (u *unit) static(o *lowered.Object, init *cc.Initializer) {
	l := u.cur
	var puts []put
	l.staticInit++
	emitted := l.dry(func() { puts = l.initializer(o.Type, init) })
	l.staticInit--
	for _, p := range puts {
		if p.member != nil { // the rest of the union is 0, as all static memory is before it is initialised
			continue
		}
		k, ok := p.v.e.(program.Const)
		if !ok || emitted {
			u.fail(p.at, "", "this is not a constant")
		}
		w := p.t.Word()
		if p.bits > 0 {
			mask := int64(1)<<p.bits - 1
			o.Init[p.off] = o.Init[p.off]&^(mask<<p.bitOff) | (int64(k)&mask)<<p.bitOff
			continue
		}
		o.Init[p.off] = w.Wrap(int64(k))
		if a := o.Base + p.off; p.real {
			u.lowered.Reals[a] = true
		} else {
			delete(u.lowered.Reals, a)
		}
	}
}
