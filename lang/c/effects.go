package c

import (
	"maps"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
)

// What the evaluation of an expression reads and changes in memory, by what it calls as well, as far as names and types tell. It is asked where C
// leaves the order of calls open (indeterminate.go), so it may name too much and not too little: of what a pointer leads to it knows the type, and of
// calls through pointers it says that they change anything. What is read of a lock or by one is left out: the order of two calls that
// take it is nothing that their thread can tell.

// A touch is that some object, or one of some objects, is read or changed.
type touch struct {
	root    *cc.Declarator // the variable that it is in; nil: where a pointer leads
	via     *cc.Declarator // the variable that is the pointer, if it is one
	member  *cc.Declarator // the member that it is, or is an element of, as the last step says; nil: none, one of a union, or one that has members
	of      typeKey        // what that is a member of
	shape   shape          // anyShape, too, of what is in a union
	state   state          // it is no object, but this
	changes bool
	step    int8 // the change is that 1 is added, or taken off, and nobody asks what it was: two such are the same in both orders
	called  bool // by a call
	wild    bool // it may be anywhere
}

// A shape is what is known of the type of an object. Objects of two shapes that are numbers or pointers are two objects.
type shape struct {
	kind shapeKind
	size int64
}

type shapeKind byte

const (
	anyShape shapeKind = iota // a character too, by which every object may be accessed
	integerShape
	boolShape
	floatShape
	pointerShape
)

// A typeKey names a type that objects have: a structure or union by its first member, others by their shape.
type typeKey struct {
	first *cc.Declarator
	shape shape
}

func keyOf(t cc.Type) typeKey {
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	if s, ok := t.(interface{ FieldByIndex(int) *cc.Field }); ok {
		if f := s.FieldByIndex(0); f != nil {
			return typeKey{first: f.Declarator()}
		}
	}
	return typeKey{shape: shapeOf(t)}
}

// A state is something other than an object that functions of the library read and change.
type state byte

const (
	noState   state = iota
	lockState       // which locks are held, and what semaphores count: those who only try to take one tell, and count as a change
	keyState        // what a thread has stored for its keys
	endState        // whether it has come to its end: assertions read that, and so does abort where it is an error
)

// anyTouch is what is touched by what is not looked into.
var anyTouch = touch{changes: true, called: true, wild: true}

// touches are those of something, or in how many of several things each is.
type touches map[touch]int

// An event is a read or a change, or a call with all that it does.
type event struct {
	touches []touch
	calls   []*cc.FunctionDefinition // one of which is called
}

// effects are what the evaluation of an expression does: its events, and the touches of all of them.
type effects struct {
	events []event
	all    touches
}

// An evaluation is that of an expression, or of where the place is that it denotes.
type evaluation struct {
	n     cc.ExpressionNode
	where bool
}

// effectsOf are those of the expression n.
func (u *unit) effectsOf(key evaluation) *effects {
	e, ok := u.effects[key]
	if ok {
		return e
	}
	w := &effectWalk{u: u, gives: map[*cc.ExpressionStatement]bool{}}
	if key.where {
		w.approach(key.n)
	} else {
		w.visit(key.n)
	}
	e = &effects{w.events, touches{}}
	for _, v := range w.events {
		maps.Copy(e.all, u.touchesOf(v))
	}
	u.effects[key] = e
	return e
}

// touchesOf are the touches of an event.
func (u *unit) touchesOf(e event) touches {
	if len(e.calls) == 1 {
		return u.callTouches(e.calls[0])
	}
	all := touches{}
	for _, def := range e.calls {
		maps.Copy(all, u.callTouches(def))
	}
	for _, t := range e.touches {
		all[t] = 1
	}
	return all
}

// callTouches are the touches of a call of a function, and of all that it calls, without those of what these declare themselves, and have made by malloc.
func (u *unit) callTouches(def *cc.FunctionDefinition) touches {
	all, ok := u.touches[def]
	if ok {
		return all
	}
	all = touches{}
	seen := map[*cc.FunctionDefinition]bool{}
	var add func(def *cc.FunctionDefinition)
	add = func(def *cc.FunctionDefinition) {
		if seen[def] {
			return
		}
		seen[def] = true
		w := &effectWalk{u: u, gives: map[*cc.ExpressionStatement]bool{}}
		w.visit(def.CompoundStatement)
		own, made := u.declaredIn(def)
		for _, e := range w.events {
			for _, def := range e.calls {
				add(def)
			}
			for _, t := range e.touches {
				if !(t.root != nil && own[t.root]) && !(t.via != nil && made[t.via]) {
					t.via, t.called = nil, true
					all[t] = 1
				}
			}
		}
	}
	add(def)
	u.touches[def] = all
	return all
}

// An effectWalk collects events.
type effectWalk struct {
	u      *unit
	events []event
	gives  map[*cc.ExpressionStatement]bool // of which the value is that of the statements around them
}

func (e *effectWalk) add(t ...touch) { e.events = append(e.events, event{touches: t}) }

// visit collects the touches of n and of all below it.
func (e *effectWalk) visit(n cc.Node) {
	walk(n, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.TypeName, *cc.TypeSpecifier:
			return false
		case *cc.AttributeValue:
			e.attribute(x)
			return false
		case *cc.ExpressionStatement:
			if place, step := stepOf(x); step != 0 && !e.gives[x] {
				e.place(place, true)
				e.events[len(e.events)-1].touches[0].step = step
				return false
			}
		case *cc.AsmStatement:
			e.assembly(x)
			return false
		case *cc.AssignmentExpression:
			if x.Case != cc.AssignmentExpressionCond {
				e.place(x.UnaryExpression, true)
				e.visit(x.AssignmentExpression)
				return false
			}
		case *cc.PostfixExpression:
			switch x.Case {
			case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
				e.place(x.PostfixExpression, true)
				return false
			case cc.PostfixExpressionCall:
				e.call(x)
				return false
			case cc.PostfixExpressionIndex, cc.PostfixExpressionPSelect, cc.PostfixExpressionSelect:
				e.place(x, false)
				return false
			}
		case *cc.UnaryExpression:
			switch x.Case {
			case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
				e.place(x.UnaryExpression, true)
				return false
			case cc.UnaryExpressionAddrof:
				e.approach(x.CastExpression)
				return false
			case cc.UnaryExpressionDeref:
				if call, ok := disguise(x.CastExpression); ok {
					e.call(call)
				} else {
					e.place(x, false)
				}
				return false
			case cc.UnaryExpressionSizeofType:
				walk(x.TypeName, func(n cc.Node) bool {
					if d, ok := n.(*cc.DirectAbstractDeclarator); ok && d.AssignmentExpression != nil {
						e.visit(d.AssignmentExpression)
					}
					return true
				})
				return false
			case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType, cc.UnaryExpressionLabelAddr:
				return false
			}
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionIdent {
				e.place(x, false)
			}
			if x.Case == cc.PrimaryExpressionStmt {
				e.gives[lastOf(x.CompoundStatement)] = true
			}
		}
		return true
	})
}

// attribute adds what a function does that is called where a variable is no more.
func (e *effectWalk) attribute(n *cc.AttributeValue) {
	if strings.Trim(n.Token.SrcStr(), "_") != "cleanup" || n.ArgumentExpressionList == nil {
		return
	}
	if p, ok := unwrap(n.ArgumentExpressionList.AssignmentExpression).(*cc.PrimaryExpression); ok && e.u.defined[p.Token.SrcStr()] != nil {
		e.events = append(e.events, event{calls: []*cc.FunctionDefinition{e.u.defined[p.Token.SrcStr()]}})
		return
	}
	e.add(anyTouch)
}

// lastOf is the last of statements, where it is an expression.
func lastOf(n *cc.CompoundStatement) *cc.ExpressionStatement {
	for l := n.BlockItemList; l != nil; l = l.BlockItemList {
		if b := l.BlockItem; l.BlockItemList == nil && b.Case == cc.BlockItemStmt && b.Statement.Case == cc.StatementExpr {
			return b.Statement.ExpressionStatement
		}
	}
	return nil
}

// stepOf is the place of which a statement changes the value by 1, and which way; 0 where it does something else.
func stepOf(n *cc.ExpressionStatement) (place cc.ExpressionNode, step int8) {
	if n.ExpressionList == nil {
		return nil, 0
	}
	switch x := unwrap(n.ExpressionList).(type) {
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionInc:
			return x.PostfixExpression, 1
		case cc.PostfixExpressionDec:
			return x.PostfixExpression, -1
		}
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionInc:
			return x.UnaryExpression, 1
		case cc.UnaryExpressionDec:
			return x.UnaryExpression, -1
		}
	}
	return nil, 0
}

// throughRegister matches an access by an address that is in an operand.
var throughRegister = text.NewPattern(`\(%[[0-9a-z]`)

// assembly adds what assembly reads and changes: its operands, and what is where one of them says.
func (e *effectWalk) assembly(n *cc.AsmStatement) {
	if throughRegister.MatchString(asmText(n)) {
		e.add(anyTouch)
	}
	ops, outputs, _ := operandsOf(n)
	for i, op := range ops {
		switch {
		case op.e == nil:
		case i < outputs:
			e.place(op.e, true)
		default:
			e.visit(op.e)
		}
	}
}

// place adds that n is read or changed, which denotes a place, and what comes before it is known which.
func (e *effectWalk) place(n cc.ExpressionNode, changes bool) {
	e.approach(n)
	t := e.u.touchOf(n)
	if k := placeType(n).Kind(); k == cc.Array && !changes || k == cc.Function {
		return // it is no value, but an address
	}
	t.changes = changes
	if d := identifier(n); d == nil && t.root == nil && !denotes(n) {
		return // a member of a value
	} else if p, ok := unwrap(n).(*cc.PrimaryExpression); ok && d == nil && p.Case == cc.PrimaryExpressionIdent {
		return // a constant
	}
	e.add(t)
}

// touchOf is where n is, which denotes a place.
func (u *unit) touchOf(n cc.ExpressionNode) touch {
	t := touch{shape: shapeOf(placeType(n))}
	for last, sure := true, true; ; {
		switch x := unwrap(n).(type) {
		case *cc.PrimaryExpression:
			t.root = u.variableOf(identifier(x))
			return t
		case *cc.PostfixExpression:
			switch x.Case {
			case cc.PostfixExpressionSelect, cc.PostfixExpressionPSelect:
				of := placeType(x.PostfixExpression)
				if x.Case == cc.PostfixExpressionPSelect {
					if p, ok := of.(*cc.PointerType); ok {
						of = p.Elem()
					}
				}
				f := x.Field()
				sure = sure && isMember(f, of)
				if last && sure && keyOf(f.Type()).first == nil {
					t.member, t.of = f.Declarator(), keyOf(of)
				}
				if last = false; !sure {
					t.member, t.of, t.shape = nil, typeKey{}, shape{}
				}
				if n = x.PostfixExpression; x.Case == cc.PostfixExpressionPSelect {
					return u.from(t, n)
				}
				continue
			case cc.PostfixExpressionIndex:
				if n = x.PostfixExpression; placeType(n).Kind() != cc.Array {
					return u.from(t, n)
				}
				continue
			}
		case *cc.UnaryExpression:
			if x.Case == cc.UnaryExpressionDeref {
				return u.from(t, x.CastExpression)
			}
		}
		return t
	}
}

// isMember is true of a member of the structure t itself, and not of one that it has without a name.
func isMember(f *cc.Field, t cc.Type) bool {
	s, ok := t.(*cc.StructType)
	for i := 0; ok && f != nil && i < s.NumFields(); i++ {
		if s.FieldByIndex(i).Declarator() == f.Declarator() {
			return f.Declarator() != nil
		}
	}
	return false
}

// from says that t is where the pointer p leads.
func (u *unit) from(t touch, p cc.ExpressionNode) touch {
	n := unwrap(p)
	for {
		c, ok := n.(*cc.CastExpression)
		if !ok || c.Case != cc.CastExpressionCast {
			break
		}
		n = unwrap(c.CastExpression)
	}
	x := addressed(n)
	if placeType(n).Kind() == cc.Array { // its first element
		x = n
	}
	if x != nil {
		of := u.touchOf(x)
		t.root, t.via = of.root, of.via
		if of.shape.kind == anyShape && keyOf(placeType(x)).first == nil { // characters, or in a union
			t.shape = of.shape
		}
		return t
	}
	t.via = identifier(n)
	return t
}

// variableOf is the one declarator of a variable that may be declared several times.
func (u *unit) variableOf(d *cc.Declarator) *cc.Declarator {
	if d == nil || d.Linkage() == cc.None {
		return d
	}
	if u.linked[d.Name()] == nil {
		u.linked[d.Name()] = d
	}
	return u.linked[d.Name()]
}

// placeType is the type of what n denotes, as it was declared: the parser takes an array for a pointer to its first element.
func placeType(n cc.ExpressionNode) cc.Type {
	if d := identifier(n); d != nil { // which of a parameter is a pointer
		return d.Type()
	}
	if t := n.Type(); t != nil {
		if t = t.Undecay(); t != nil {
			return t
		}
	}
	return cc.Invalid
}

func shapeOf(t cc.Type) shape {
	switch {
	case t.Kind() == cc.Ptr:
		return shape{pointerShape, t.Size()}
	case t.Kind() == cc.Bool:
		return shape{boolShape, t.Size()}
	case cc.IsIntegerType(t) && t.Size() > 1:
		return shape{integerShape, t.Size()}
	case cc.IsFloatingPointType(t):
		return shape{floatShape, t.Size()}
	}
	return shape{}
}

// approach collects what is read and changed before it is known which place n denotes.
func (e *effectWalk) approach(n cc.ExpressionNode) {
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		if x.Case != cc.PrimaryExpressionIdent {
			e.visit(x)
		}
		return
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionSelect:
			e.approach(x.PostfixExpression)
			return
		case cc.PostfixExpressionPSelect:
			e.visit(x.PostfixExpression)
			return
		case cc.PostfixExpressionIndex:
			e.visit(x.PostfixExpression)
			e.visit(x.ExpressionList)
			return
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			e.visit(x.CastExpression)
			return
		}
	}
	e.visit(n)
}

// call adds what a call does.
func (e *effectWalk) call(n *cc.PostfixExpression) {
	name := called(n)
	args := arguments(n)
	switch name {
	case "__fp_constant_p", "__ccgo__types_compatible_p", "__builtin_object_size", "__builtin_dynamic_object_size": // which evaluate nothing
		return
	case "":
		e.visit(n.PostfixExpression)
	}
	for _, a := range args {
		e.visit(a)
	}
	if name == "" {
		e.indirect(len(args))
		return
	}
	def := e.u.defined[name]
	if d := identifier(n.PostfixExpression); d != nil && e.u.nests[d] != nil {
		def = e.u.nests[d]
	} else if d != nil && d.Type().Kind() != cc.Function {
		e.place(n.PostfixExpression, false)
		e.indirect(len(args))
		return
	}
	switch {
	case def != nil && !stubborn[name]:
		e.events = append(e.events, event{calls: []*cc.FunctionDefinition{def}})
	case e.u.isBuiltin(name):
		e.library(name, args)
	default:
		e.add(anyTouch)
	}
}

// indirect adds what a call through a pointer does, with so many arguments.
func (e *effectWalk) indirect(args int) {
	if e.u.takenFunctions == nil {
		e.u.takenFunctions = []*cc.FunctionDefinition{}
		e.u.eachMention(e.u.takeFunction)
	}
	var defs []*cc.FunctionDefinition
	for _, def := range e.u.takenFunctions {
		if e.u.takes(def, args) {
			defs = append(defs, def)
		}
	}
	if e.u.unlisted || len(defs) == 0 {
		e.add(anyTouch)
		return
	}
	e.events = append(e.events, event{calls: defs})
}

// takeFunction notes that pointers may lead to what is mentioned, if it is a function. Of others than the program defines, and of those inside of
// others, it notes only that there are some.
func (u *unit) takeFunction(n *cc.PrimaryExpression) {
	d := identifier(n)
	if d != nil && d.Type().Kind() != cc.Function {
		return
	}
	def := u.defined[n.Token.SrcStr()]
	switch {
	case def == nil && d == nil: // a constant
	case def == nil || d != nil && d.Linkage() == cc.None:
		u.unlisted = true
	case !slices.Contains(u.takenFunctions, def):
		u.takenFunctions = append(u.takenFunctions, def)
	}
}

// declaredIn are the variables of a function that are there while it is called, and those of them that point to what it has made, or to such variables, and
// nowhere else.
func (u *unit) declaredIn(def *cc.FunctionDefinition) (own, made map[*cc.Declarator]bool) {
	own, made = map[*cc.Declarator]bool{}, map[*cc.Declarator]bool{}
	walk(def.Declarator, func(n cc.Node) bool {
		if p, ok := n.(*cc.ParameterDeclaration); ok && p.Declarator != nil {
			own[p.Declarator] = true
			return false
		}
		return true
	})
	other := maps.Clone(own) // a parameter points to what it is given
	assigned := func(d *cc.Declarator, n cc.ExpressionNode) {
		if d == nil {
			return
		}
		if c, ok := unwrap(n).(*cc.CastExpression); ok && c.Case == cc.CastExpressionCast {
			n = c.CastExpression
		}
		if c, ok := unwrap(n).(*cc.PostfixExpression); ok && c.Case == cc.PostfixExpressionCall && makesObjects[called(c)] {
			made[d] = true
			return
		}
		if x := addressed(unwrap(n)); x != nil && own[u.touchOf(x).root] {
			made[d] = true
			return
		}
		other[d] = true
	}
	walk(def.CompoundStatement, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.InitDeclarator:
			if x.Declarator.IsStatic() || x.Declarator.IsExtern() {
				break
			}
			own[x.Declarator] = true
			if x.Initializer != nil {
				assigned(x.Declarator, x.Initializer.AssignmentExpression)
			}
		case *cc.AssignmentExpression:
			if x.Case != cc.AssignmentExpressionCond {
				d := identifier(x.UnaryExpression)
				if x.Case != cc.AssignmentExpressionAssign && d != nil {
					other[d] = true
				} else {
					assigned(d, x.AssignmentExpression)
				}
			}
		case *cc.AsmStatement:
			ops, outputs, _ := operandsOf(x)
			for _, op := range ops[:outputs] {
				other[identifier(op.e)] = true
			}
		case *cc.PostfixExpression:
			if x.Case == cc.PostfixExpressionInc || x.Case == cc.PostfixExpressionDec {
				other[identifier(x.PostfixExpression)] = true
			}
		case *cc.UnaryExpression:
			switch x.Case {
			case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
				other[identifier(x.UnaryExpression)] = true
			case cc.UnaryExpressionAddrof:
				other[identifier(x.CastExpression)] = true
			}
		}
		return true
	})
	for d := range made {
		if other[d] || !own[d] {
			delete(made, d)
		}
	}
	return own, made
}

// makesObjects are the functions that give what nobody else has.
var makesObjects = map[string]bool{"malloc": true, "calloc": true, "aligned_alloc": true, "__fp_malloc": true}

// library adds what a function does that is not defined in the program: it may change what it is given a pointer to.
func (e *effectWalk) library(name string, args []cc.ExpressionNode) {
	var touches []touch
	for _, s := range statesOf {
		for _, prefix := range s.prefixes {
			if strings.HasPrefix(name, prefix) {
				touches = []touch{{state: s.state, changes: s.changes && (name != "abort" || e.u.endsByAbort()), called: true}}
			}
		}
	}
	switch {
	case touches != nil && name != "sem_getvalue":
		args = nil
	case callsBack[name]:
		touches = []touch{anyTouch}
	default:
		for _, prefix := range withoutEffects {
			if strings.HasPrefix(name, prefix) {
				return
			}
		}
	}
	exact := strings.HasPrefix(name, "__fp_") || strings.Contains(name, "atomic_") || strings.HasPrefix(name, "__sync_")
	for i, a := range args {
		p, ok := placeType(a).Decay().(*cc.PointerType)
		if !ok {
			continue
		}
		t := touch{}
		if x := addressed(a); x != nil && exact {
			t = e.u.touchOf(x)
		} else if exact {
			t = e.u.from(touch{shape: shapeOf(p.Elem())}, a)
		} else { // bytes from there on
			t = e.u.from(t, a)
		}
		t.changes, t.called = !onlyReads[name] && (i == 0 || !changesFirst[name]), true
		touches = append(touches, t)
	}
	e.add(touches...)
}

// statesOf is how the names of functions begin that read or change a state, and nothing else that their thread can tell; the last that fits counts.
var statesOf = []struct {
	state    state
	changes  bool
	prefixes []string
}{
	{lockState, false, []string{"pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "mtx_", "sem_", "__fp_spin_"}},
	{lockState, true, []string{
		"pthread_mutex_try", "pthread_mutex_timed", "pthread_mutex_clock", "pthread_rwlock_try", "pthread_rwlock_timed", "pthread_rwlock_clock", "pthread_spin_try",
		"mtx_try", "mtx_timed", "sem_try", "sem_timed", "sem_clock", "sem_getvalue", "__fp_spin_try", "__fp_spin_is",
	}},
	{keyState, false, []string{"pthread_getspecific", "tss_get"}},
	{keyState, true, []string{"pthread_setspecific", "tss_set", "pthread_key_", "tss_create", "tss_delete"}},
	{endState, false, []string{"__fp_assert", "assert", "__assert", "__VERIFIER_assert", "__CPROVER_assert", "__ESBMC_assert", "__goblint_check", "__goblint_assert", "reach_error", "__VERIFIER_error"}},
	{endState, true, []string{
		"exit", "_exit", "_Exit", "quick_exit", "err", "abort", "pthread_exit", "thrd_exit", "assume_abort_if_not", "__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume", "__goblint_assume",
	}},
}

// callsBack are functions that call others, or wait for the end of a thread, and see what that has done.
var callsBack = map[string]bool{
	"qsort": true, "bsearch": true, "pthread_once": true, "call_once": true, "raise": true, "kill": true, "pthread_kill": true, "__fp_cleanup_pop": true,
	"pthread_join": true, "thrd_join": true, "pthread_tryjoin_np": true, "pthread_timedjoin_np": true, "pthread_clockjoin_np": true, "__VERIFIER_join": true, "__goblint_assume_join": true,
	"strtok": true, "getopt": true, "syscall": true,
}

// withoutEffects is how the names of functions begin that change nothing which a thread reads by itself, or only what is theirs.
var withoutEffects = []string{
	"pthread_cond_", "pthread_barrier_", "cnd_", "__fp_fence", "__fp_kernel_fence",
	"printf", "fprintf", "puts", "fputs", "perror", "putchar", "fflush", "sched_yield", "usleep", "sleep", "__VERIFIER_", "rand", "random",
	"malloc", "calloc", "aligned_alloc", "__fp_malloc",
}

// onlyReads are functions that change nothing of what they are given.
var onlyReads = map[string]bool{
	"__fp_load": true, "strlen": true, "strnlen": true, "strcmp": true, "strncmp": true, "memcmp": true, "strchr": true, "strrchr": true, "strstr": true, "atoi": true, "atol": true,
	"isdigit": true, "isalpha": true, "isspace": true, "toupper": true, "tolower": true, "isalnum": true,
}

// changesFirst are functions that change what their first argument points to, and nothing else.
var changesFirst = map[string]bool{
	"strcpy": true, "strncpy": true, "strcat": true, "strncat": true, "sprintf": true, "snprintf": true, "memcpy": true, "memmove": true, "memset": true, "stpcpy": true,
}

// apartTouches is whether the two are touches of different objects for sure.
func (u *unit) apartTouches(x, y touch) bool {
	switch {
	case x.wild || y.wild:
		other := x
		if x.wild {
			other = y
		}
		return other.root != nil && other.root.StorageDuration() == cc.Automatic && !u.pointedAt(other.root)
	case x.state != noState || y.state != noState:
		return x.state != y.state || x.state == endState && x.changes == y.changes
	case x.root != nil && y.root != nil && x.root != y.root:
		return true
	case x.root != y.root && !u.pointedAt(x.root) && !u.pointedAt(y.root): // one of them is nil
		return true
	case u.takenFor(x, y):
		return false
	case x.step != 0 && x.step == y.step && x.shape == y.shape && x.shape.kind == integerShape:
		return true
	case x.member != nil && y.member != nil:
		return x.member != y.member
	case x.member != nil && memberless(y.root), y.member != nil && memberless(x.root):
		return true
	case x.shape.kind == anyShape || y.shape.kind == anyShape:
		return false
	}
	return x.shape != y.shape
}

// takenFor is whether a cast takes an object of a type that the one is known to be of, for one of a type that the other is of.
func (u *unit) takenFor(x, y touch) bool {
	if u.casts == nil {
		u.casts = map[[2]typeKey]bool{}
		walk(u.ast.TranslationUnit, u.findCasts)
	}
	keys := func(t touch) []typeKey {
		ks := []typeKey{{shape: t.shape}}
		if t.member != nil {
			ks = append(ks, t.of)
		}
		return ks
	}
	for _, a := range keys(x) {
		for _, b := range keys(y) {
			if u.casts[[2]typeKey{a, b}] {
				return true
			}
		}
	}
	return false
}

// findCasts finds casts of pointers to one type of objects to pointers to another one; void and characters are none.
func (u *unit) findCasts(n cc.Node) bool {
	x, ok := n.(*cc.CastExpression)
	if !ok || x.Case != cc.CastExpressionCast || x.Type() == nil {
		return true
	}
	to, ok := x.Type().(*cc.PointerType)
	from, is := placeType(x.CastExpression).Decay().(*cc.PointerType)
	if ok && is {
		a, b := keyOf(from.Elem()), keyOf(to.Elem())
		if a != b && a != (typeKey{}) && b != (typeKey{}) {
			u.casts[[2]typeKey{a, b}], u.casts[[2]typeKey{b, a}] = true, true
		}
	}
	return true
}

// memberless is true of a variable that has no members.
func memberless(d *cc.Declarator) bool {
	if d == nil {
		return false
	}
	t := d.Type()
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	return t.Kind() != cc.Struct && t.Kind() != cc.Union && shapeOf(t).kind != anyShape
}

// pointedAt is true of a variable to which pointers may lead.
func (u *unit) pointedAt(d *cc.Declarator) bool {
	if u.pointed == nil {
		u.pointed = map[*cc.Declarator]bool{}
		walk(u.ast.TranslationUnit, u.findPointed)
	}
	return u.pointed[d]
}

func (u *unit) findPointed(n cc.Node) bool {
	mark := func(x cc.ExpressionNode) {
		if t := u.touchOf(x); t.root != nil {
			u.pointed[t.root] = true
		}
	}
	switch x := n.(type) {
	case *cc.FunctionDefinition:
		captured(x, u.pointed)
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionAddrof {
			mark(x.CastExpression)
		}
	case *cc.PostfixExpression:
		if x.Case == cc.PostfixExpressionIndex && placeType(x.PostfixExpression).Kind() == cc.Array {
			if placeType(x).Kind() == cc.Array { // a row, and no element of it
				mark(x)
			}
			var base cc.ExpressionNode = x
			for {
				b, ok := unwrap(base).(*cc.PostfixExpression)
				if !ok || b.Case != cc.PostfixExpressionIndex || placeType(b.PostfixExpression).Kind() != cc.Array {
					break
				}
				walk(b.ExpressionList, u.findPointed)
				base = b.PostfixExpression
			}
			switch a := unwrap(base).(type) { // of a[i] and s.a[i] nobody keeps the address
			case *cc.PrimaryExpression:
				if a.Case == cc.PrimaryExpressionIdent {
					return false
				}
			case *cc.PostfixExpression:
				if a.Case == cc.PostfixExpressionSelect || a.Case == cc.PostfixExpressionPSelect {
					walk(a.PostfixExpression, u.findPointed)
					return false
				}
			}
			walk(base, u.findPointed)
			return false
		}
		if (x.Case == cc.PostfixExpressionSelect || x.Case == cc.PostfixExpressionPSelect) && placeType(x).Kind() == cc.Array {
			mark(x)
		}
	case *cc.PrimaryExpression:
		if x.Case == cc.PrimaryExpressionIdent && placeType(x).Kind() == cc.Array {
			mark(x)
		}
	}
	return true
}
