package c

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

func didYouMean(name string, known []string) string { return text.DidYouMean(name, known) }

// A builtin is a function that we know.
type builtin struct {
	args int // how many there are; ^k: k or more
	do   func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value
}

// allBuiltins is [builtins], once that has been asked for.
var (
	allBuiltins map[string]builtin
	// listsArguments are those whose arguments are evaluated, and that is all.
	listsArguments = map[string]bool{}
	makeBuiltins   sync.Once // and not with the package: most runs of the command read no C
)

// builtins are the functions that need no definition.
func builtins() map[string]builtin {
	makeBuiltins.Do(fillBuiltins)
	return allBuiltins
}

// stubborn are the names that mean what we say, whatever the program defines.
var stubborn = map[string]bool{
	"__VERIFIER_assume": true, "__VERIFIER_atomic_begin": true, "__VERIFIER_atomic_end": true,
	"assume_abort_if_not": true, "__CPROVER_assume": true, "reach_error": true, "__VERIFIER_error": true,
}

func (u *unit) isBuiltin(name string) bool {
	_, ok := builtins()[name]
	return ok || strings.HasPrefix(name, "__VERIFIER_nondet_") || strings.HasPrefix(name, "nondet_")
}

func arguments(n *cc.PostfixExpression) []cc.ExpressionNode {
	var args []cc.ExpressionNode
	for a := n.ArgumentExpressionList; a != nil; a = a.ArgumentExpressionList {
		args = append(args, a.AssignmentExpression)
	}
	return args
}

// calling is a call.
func (l *lowerer) calling(n *cc.PostfixExpression) value {
	name := called(n)
	if name != "" {
		if d := identifier(n.PostfixExpression); d != nil && !d.IsSynthetic() {
			if v := l.local(n, d); v != nil && v.fn != "" {
				return l.callDefined(n, v.fn, l.evaluate(n, v.fn, arguments(n)))
			} else if r := l.u.refused[d]; r != nil {
				panic(refusal{r})
			} else if v != nil || l.u.statics[d] != nil {
				name = "" // a variable hides the function
			} else if x := l.u.globals[name]; x != nil && x.t.Kind != types.FunctionKind {
				name = ""
			}
		}
	}
	if name == "" {
		return l.indirect(n)
	}
	return l.callName(n, name, arguments(n))
}

// callName calls the function of that name.
func (l *lowerer) callName(n *cc.PostfixExpression, name string, args []cc.ExpressionNode) value {
	_, defined := l.u.defined[name]
	if !defined || stubborn[name] {
		if b, ok := builtins()[name]; ok {
			if b.args < 0 && len(args) < ^b.args {
				l.u.fail(n, "", "%s is called with %d arguments in place of %d or more", name, len(args), ^b.args)
			}
			if b.args >= 0 && len(args) != b.args {
				l.u.fail(n, "", "%s is called with %d arguments in place of %d", name, len(args), b.args)
			}
			for _, a := range args {
				// by its type as it is declared: to lower each argument once more is to do so 2ⁿ times for n calls, one in the other
				if t := a.Type(); t != nil && t.Kind() == cc.Void && name != "__fp_constant_p" {
					l.u.fail(a, "", "an expression without a value is used")
				}
			}
			if sure, ok := cancellationPoints[name]; ok {
				l.cancellationPoint(n, sure)
			}
			if !listsArguments[name] {
				l.inOneOrder(n, args...)
				l.partsOfCall(args)
			}
			return l.ordered(b, n, args, ordersOf(name, len(args)))
		}
		if strings.HasPrefix(name, "__VERIFIER_nondet_") || strings.HasPrefix(name, "nondet_") {
			return l.nondet(n, name)
		}
	}
	if !defined && attribute(name) && len(args) > 0 {
		p := l.libraryTarget(n, args[0])
		evaluateAll(l, args[1:])
		l.at(n)
		l.touches(p)
		if !l.u.takesAttribute(name, args) {
			return l.havoc(types.Int, 0, largestErrno)
		}
		return number(types.Int, 0)
	}
	if set, ok := readAttribute(name); ok && !defined && len(args) == 2 {
		return l.attributeOf(n, set, args)
	}
	if l.u.absent(name) {
		return l.callAbsent(n, name, args)
	}
	if !defined {
		if x := l.u.globals[name]; x != nil {
			if syntax.Ours(x.d.Position()) {
				l.u.refuse(n, "the function "+name)
			}
			l.u.refuseWith(n, `give its source (#include "file.c", where another file has it), or a definition that says what matters of it`, "%s is declared and has no definition", name)
		}
		l.u.fail(n, syntax.Suggest(name, l.u.callable()), "%s is not declared", name)
	}
	return l.callDefined(n, name, l.evaluate(n, name, args))
}

// attribute is true of a function that sets what threads and locks are like in ways that make
// no difference here.
func attribute(name string) bool {
	for _, prefix := range []string{"pthread_attr_", "pthread_mutexattr_", "pthread_condattr_", "pthread_rwlockattr_", "pthread_barrierattr_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest == "init" || rest == "destroy" || strings.HasPrefix(rest, "set")
		}
	}
	return false
}

// touches is what is done with attributes that make no difference: they have to be there.
func (l *lowerer) touches(p place) {
	if p.t.Library {
		first := l.cells(p)[0]
		first.trusted = true // what is in them does not count
		l.emit(l.touch(first))
	}
}

// readAttribute is the name of the function that sets what the function of that name tells.
func readAttribute(name string) (string, bool) {
	for _, prefix := range []string{"pthread_attr_", "pthread_mutexattr_", "pthread_condattr_", "pthread_rwlockattr_", "pthread_barrierattr_"} {
		if rest, ok := strings.CutPrefix(name, prefix+"get"); ok {
			return prefix + "set" + rest, true
		}
	}
	return "", false
}

// attributeOf tells an attribute that the program never sets: what POSIX says of it, or anything.
func (l *lowerer) attributeOf(n *cc.PostfixExpression, set string, args []cc.ExpressionNode) value {
	if l.u.names(set) {
		l.u.refuse(n, "asking for an attribute that the program sets")
	}
	l.effect(args[0])
	to := l.target(args[1])
	l.at(n)
	if !to.t.Integer() {
		l.u.refuse(n, "an attribute that is "+to.t.Name)
	}
	v := number(types.Int, 0) // joinable, private
	if !strings.HasSuffix(set, "detachstate") && !strings.HasSuffix(set, "pshared") {
		v = l.havoc(to.t.Plain(), 0, to.t.Word().Max())
	}
	l.store(to, l.convert(v, to.t.Plain()))
	return number(types.Int, 0)
}

// evaluate evaluates the arguments of a call of a function of the program.
func (l *lowerer) evaluate(n *cc.PostfixExpression, name string, args []cc.ExpressionNode) []value {
	return l.inAnyOrder(n, args, func(i int) value {
		v := l.expr(args[i])
		l.at(n)
		if v.t.Kind == types.OtherKind {
			l.u.refuse(args[i], v.t.Name)
		}
		if v.t.Kind == types.VoidKind {
			l.u.fail(args[i], "", "an expression without a value is used")
		}
		return v
	})
}

func (l *lowerer) callDefined(n cc.Node, name string, args []value) value {
	l.at(n)
	if name == "main" {
		l.u.refuse(n, "a call of main")
	}
	if sectionFunction(name) {
		return l.atomically(func() value { return l.call(n, name, args) })
	}
	return l.call(n, name, args)
}

// indirect is a call through a pointer.
func (l *lowerer) indirect(n *cc.PostfixExpression) value {
	args := arguments(n)
	var f value
	if len(args) > 0 {
		l.inPart(args[0], n.PostfixExpression, func() { f = l.expr(n.PostfixExpression) })
	} else {
		f = l.expr(n.PostfixExpression)
	}
	l.at(n)
	if f.t.Kind != types.PointerKind || f.t.Elem.Kind != types.FunctionKind {
		l.u.fail(n, "", "%s cannot be called", f.t.Name)
	}
	for _, a := range args {
		l.inOneOrder(n, n.PostfixExpression, a)
	}
	var values []value
	evaluate := func() { values = l.evaluate(n, "", args) }
	if len(args) == 1 {
		l.inPart(args[0], args[0], evaluate)
	} else {
		evaluate()
	}
	return l.throughPointer(n, f, values)
}

// throughPointer calls the function that f points to.
func (l *lowerer) throughPointer(n cc.Node, f value, args []value) value {
	result := f.t.Elem.Elem.Plain()
	if l.dryness > 0 {
		l.emitted = true
		return l.zero(result)
	}
	if k, ok := f.e.(program.Const); ok {
		name := l.u.functionAt(int64(k))
		if name == "" {
			l.assert(program.Const(0), "call through a pointer to no function")
			return l.zero(result)
		}
		return l.callPointer(n, name, args, result)
	}
	// Which functions it can be is known only when all have been read; those whose
	// address has been taken anywhere in the text are looked up first.
	l.anyFunction()
	results := l.handedIn(result)
	end, from := l.node(), l.cur
	none := program.Expr(program.Const(1))
	for id, name := range l.u.fnName {
		ft := l.functionType(name)
		if ft == nil || !ft.Same(f.t.Elem) {
			continue
		}
		if def := l.u.defined[name]; def != nil && !l.u.takes(def, len(args)) { // the type of the pointer does not say how many
			continue
		}
		is := bin(program.Eq, f.e, program.Const(int64(id+1)*16))
		none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
		q := l.node()
		l.edge(from, q, program.Command{Op: program.Check, Value: is})
		l.cur = q
		v := l.callPointer(n, name, args, result)
		if result.Kind != types.VoidKind {
			l.hand(results, v)
		}
		l.jump(end)
	}
	q := l.node()
	l.edge(from, q, program.Command{Op: program.Check, Value: none})
	l.cur = q
	l.assert(program.Const(0), "call through a pointer to no function of that type")
	l.jump(end)
	l.cur = end
	return results.value(result)
}

func (l *lowerer) callPointer(n cc.Node, name string, args []value, result *types.Type) value {
	if l.u.defined[name] == nil {
		if name == "free" && len(args) == 1 {
			l.free(l.convert(args[0], types.VoidPointer))
			return nothing
		}
		if l.u.defined[syntax.PointedTo+name] == nil {
			l.u.refuse(n, "a call of "+name+" through a pointer")
		}
		name = syntax.PointedTo + name
	}
	v := l.callDefined(n, name, args)
	if result.Scalar() && v.t.Scalar() {
		return l.convert(v, result)
	}
	return v
}

// functionAt is the function at the address, or "".
func (u *unit) functionAt(id int64) string {
	if id%16 != 0 || id < 16 || id/16 > int64(len(u.fnName)) {
		return ""
	}
	return u.fnName[id/16-1]
}

// takeAddresses gives an address to every function that is mentioned otherwise than
// to be called.
func (u *unit) takeAddresses() {
	if u.taken {
		return
	}
	u.taken = true
	u.eachMention(func(n *cc.PrimaryExpression) {
		if name := n.Token.SrcStr(); u.pointable(name) && n.ResolvedTo() != nil {
			u.function(name)
		}
	})
}

// eachMention calls f for every name that is mentioned otherwise than to be called.
func (u *unit) eachMention(f func(*cc.PrimaryExpression)) {
	var visit func(n cc.Node) bool
	visit = func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.PostfixExpression:
			if n.Case == cc.PostfixExpressionCall && called(n) != "" {
				walk(n.ArgumentExpressionList, visit)
				return false
			}
		case *cc.PrimaryExpression:
			if n.Case == cc.PrimaryExpressionIdent {
				f(n)
			}
		}
		return true
	}
	walk(u.ast.TranslationUnit, visit)
}

// disguise finds a call of ours behind *(T *)__fp_...(...), as the headers write it so
// that the parser knows its type.
func disguise(n cc.ExpressionNode) (*cc.PostfixExpression, bool) {
	c, ok := unwrap(n).(*cc.CastExpression)
	if !ok || c.Case != cc.CastExpressionCast {
		return nil, false
	}
	call, ok := unwrap(c.CastExpression).(*cc.PostfixExpression)
	if !ok || call.Case != cc.PostfixExpressionCall || !strings.HasPrefix(called(call), "__fp_") || called(call) == "__fp_va_arg" {
		return nil, false
	}
	return call, true
}

// disguised is the value of such a call.
func (l *lowerer) disguised(n cc.ExpressionNode) (value, bool) {
	call, ok := disguise(n)
	if !ok {
		return value{}, false
	}
	return l.calling(call), true
}

// target is the place that an argument points to.
func (l *lowerer) target(n cc.ExpressionNode) place {
	if first := l.listedWith(n); first != nil {
		var p place
		l.inPart(first, n, func() { p = l.target(n) })
		return p
	}
	if x := addressed(n); x != nil {
		return l.lvalue(x)
	}
	v := l.expr(n)
	l.at(n)
	if v.t.Kind != types.PointerKind {
		l.u.fail(n, "", "%s is no pointer", v.t.Name)
	}
	l.within(n, v.of)
	return l.pointee(v)
}

// constantArgument is the value of an argument that has to be constant.
func (l *lowerer) constantArgument(n cc.ExpressionNode, what string) int64 {
	v := l.expr(n)
	k, ok := v.e.(program.Const)
	if !ok {
		if l.dryness > 0 {
			return 0
		}
		l.u.refuse(n, what+" that is not constant")
	}
	return int64(k)
}

var nothing = value{t: types.Void}

func number(t *types.Type, k int64) value { return value{t: t, e: program.Const(k)} }

// evaluateAll evaluates arguments for their effects.
func evaluateAll(l *lowerer, args []cc.ExpressionNode) {
	args = slices.DeleteFunc(slices.Clone(args), func(a cc.ExpressionNode) bool { _, ok := stringOf(a); return ok })
	if len(args) == 0 {
		return
	}
	l.inAnyOrder(args[0], args, func(i int) value {
		if a := args[i]; hasEffects(a) {
			l.effect(a)
		} else {
			l.try(a, func() { l.effect(a) }) // a number that is not modelled is nothing to us
		}
		return nothing
	})
}

// ignore is a function that does nothing that is modelled and gives k.
func ignore(t *types.Type, k int64) builtin {
	return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args)
		if t.Kind == types.VoidKind {
			return nothing
		}
		return number(t, k)
	}}
}

// alarm asks for a signal some time later. A program that has no handler for signals ends then. What is left of another
// alarm, which it gives, may be anything.
func alarm(t *types.Type, count int) builtin {
	return builtin{^(count + 1), func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args)
		l.at(n)
		if k, ok := l.u.constantMaybe(args[count]); !(ok && k == 0) && l.u.names("signal", "sigaction", "sigwait") {
			given, not := l.node(), l.node()
			l.split(l.havoc(types.Bool, 0, 1).e, given, not)
			l.cur = given
			l.operate(&flowgraph.Bound{What: "not modelled: a signal other than SIGABRT that is raised"})
			l.land(not)
		}
		if count == 1 { // setitimer
			if len(args) > 2 && !l.null(args[2]) {
				l.u.refuse(args[2], "what is left of a timer")
			}
			return number(t, 0)
		}
		return l.choice(t)
	}}
}

// constantP is true of literals and what is made of them, as where a compiler makes nothing better of variables.
func constantP(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	if p, ok := unwrap(args[0]).(*cc.PrimaryExpression); ok && (p.Case == cc.PrimaryExpressionString || p.Case == cc.PrimaryExpressionFloat) {
		return number(types.Int, 1)
	}
	varies := false
	walk(args[0], func(x cc.Node) bool {
		switch x := x.(type) {
		case *cc.UnaryExpression:
			return x.Case != cc.UnaryExpressionSizeofExpr && x.Case != cc.UnaryExpressionSizeofType
		case *cc.TypeName:
			return false
		case *cc.PrimaryExpression:
			varies = varies || x.Case == cc.PrimaryExpressionStmt || x.Case == cc.PrimaryExpressionIdent && resolved(x) != nil
		}
		return !varies
	})
	if varies {
		return number(types.Int, 0)
	}
	if _, ok := l.u.constantMaybe(args[0]); !ok {
		return number(types.Int, 0)
	}
	return number(types.Int, 1)
}

// typesCompatible is __builtin_types_compatible_p, which our header writes of pointers to the two types, in the name by which the parser knows it.
func typesCompatible(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	x, y := l.typeOf(args[0]).Elem, l.typeOf(args[1]).Elem
	if x == nil || y == nil {
		l.u.fail(n, "", "two types are wanted here")
	}
	return number(types.Int, int64(program.Bool(x.Matches(y, true))))
}

// sleeping is poll, which without files only passes time.
func sleeping() builtin {
	return builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		if !l.null(args[0]) {
			l.u.refuse(n, "poll of files")
		}
		evaluateAll(l, args[1:])
		return number(types.Int, 0)
	}}
}

// nondet is a free choice of a value.
func (l *lowerer) nondet(n *cc.PostfixExpression, name string) value {
	evaluateAll(l, arguments(n))
	t := types.Int
	if x := l.u.globals[name]; x != nil && x.t.Kind == types.FunctionKind {
		t = x.t.Elem.Plain()
	} else if k, ok := map[string]*types.Type{
		"bool": types.Bool, "_Bool": types.Bool, "char": types.Char, "uchar": types.UnsignedChar, "short": types.Short, "ushort": types.UnsignedShort,
		"int": types.Int, "uint": types.UnsignedInt, "unsigned": types.UnsignedInt, "long": types.Long, "ulong": types.UnsignedLong, "longlong": types.LongLong,
		"ulonglong": types.UnsignedLongLong, "size_t": types.UnsignedLong, "u8": types.UnsignedChar, "u16": types.UnsignedShort, "u32": types.UnsignedInt, "u64": types.UnsignedLong,
		"unsigned_int": types.UnsignedInt, "unsigned_char": types.UnsignedChar, "loff_t": types.Long, "charp": types.VoidPointer, "pointer": types.VoidPointer,
	}[strings.TrimPrefix(strings.TrimPrefix(name, "__VERIFIER_"), "nondet_")]; ok {
		t = k
	}
	switch t.Kind {
	case types.PointerKind:
		return l.convert(l.choice(types.UnsignedLong), t)
	case types.FloatKind:
		return someReal(t)
	}
	if !t.Integer() {
		l.u.refuse(n, "a free choice of "+t.Name)
	}
	return l.choice(t)
}

func (l *lowerer) havoc(t *types.Type, lo, hi int64) value {
	r := l.temp(t)
	l.emit(program.Command{Op: program.Havoc, Reg: r, Lo: lo, Hi: hi})
	return value{t: t, e: program.Reg(r)}
}

// giveUp is where threads go whose assumption has failed.
func (l *lowerer) giveUp() int {
	if l.gaveUp == 0 {
		l.gaveUp = l.node()
		l.scopes[l.gaveUp] = nowhere
	}
	return l.gaveUp
}

// assume goes on where the condition holds.
func (l *lowerer) assume(n cc.ExpressionNode) {
	yes := l.node()
	no := 0
	if l.dryness == 0 {
		no = l.giveUp()
	}
	l.branch(n, yes, no)
	l.cur = yes
}

// dead goes to the node q, and on at a node that nobody comes to.
func (l *lowerer) dead(q int) { l.jump(q) }

func assertBuiltin(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.assertion(n, args[0], cc.NodeSource(args[0]))
	return nothing
}

func enterSection(l *lowerer, _ *cc.PostfixExpression, _ []cc.ExpressionNode) value {
	l.enter()
	return nothing
}

func leaveSection(l *lowerer, _ *cc.PostfixExpression, _ []cc.ExpressionNode) value {
	l.quitSection()
	return nothing
}

func fillBuiltins() {
	allBuiltins = map[string]builtin{
		"__fp_constant_p": {1, constantP}, "__ccgo__types_compatible_p": {2, typesCompatible},
		"__fp_assert": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			text, _ := stringOf(args[1])
			l.assertion(n, args[0], strings.TrimRight(text, "\x00"))
			return nothing
		}},
		"__VERIFIER_assert": {1, assertBuiltin},
		"assert":            {1, assertBuiltin}, // where assert.h is not included, as with CBMC
		"__CPROVER_assert": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			text, _ := stringOf(args[1])
			l.assertion(n, args[0], strings.TrimRight(text, "\x00"))
			return nothing
		}},
		"__ESBMC_assert": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			text, _ := stringOf(args[1])
			l.assertion(n, args[0], strings.TrimRight(text, "\x00"))
			return nothing
		}},
		"__VERIFIER_assume": {1, assume},
		"__CPROVER_assume":  {1, assume}, "__ESBMC_assume": {1, assume},
		"assume_abort_if_not": {1, assume},
		"__goblint_check":     {1, assertBuiltin}, "__goblint_assert": {1, assertBuiltin}, "__goblint_assume": {1, assume},
		"__goblint_assume_join": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.convert(l.expr(args[0]), types.UnsignedLong)
			l.at(n)
			l.join(n, id, nil)
			return nothing
		}},
		"abort":            {0, abort},
		"reach_error":      {^0, violate("reach_error() is reached")},
		"__VERIFIER_error": {^0, violate("__VERIFIER_error() is reached")},
		"__assert_fail": {^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			text := "an assertion fails"
			if len(args) > 0 {
				if s, ok := stringOf(args[0]); ok {
					text = strings.TrimRight(s, "\x00")
				}
			}
			return violate(text)(l, n, args)
		}},
		"exit": {1, exit},
		"err":  {^1, fatal}, "errx": {^1, fatal},
		"_exit": {1, exitAtOnce}, "_Exit": {1, exitAtOnce}, "quick_exit": {1, exitAtOnce},
		"atexit":  {1, atexit},
		"syscall": {^1, syscall},
		"getenv":  ignore(types.VoidPointer, 0), "secure_getenv": ignore(types.VoidPointer, 0), // there is no environment
		"__fp_refuse": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			text, _ := stringOf(args[1])
			l.u.refuse(n, strings.TrimRight(text, "\x00"))
			return nothing
		}},
		sectionBegin: {0, enterSection}, "__CPROVER_atomic_begin": {0, enterSection}, "__ESBMC_atomic_begin": {0, enterSection},
		sectionEnd: {0, leaveSection}, "__CPROVER_atomic_end": {0, leaveSection}, "__ESBMC_atomic_end": {0, leaveSection},
		"rand": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.havoc(types.Int, 0, 1<<31-1)
		}},
		"random": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.havoc(types.Long, 0, 1<<31-1)
		}},
		"abs": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			v := l.convert(l.expr(args[0]), types.Int)
			r := l.temp(types.Int)
			neg, end := l.node(), l.node()
			l.assign(r, v.e)
			l.split(bin(program.Lt, v.e, program.Const(0)), neg, end)
			l.cur = neg
			l.assign(r, un(program.Neg, v.e))
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}},
	}
	for name, b := range map[string]builtin{
		"printf": printer(types.Int, 0), "fprintf": printer(types.Int, 1), "puts": printer(types.Int, aText), "fputs": printer(types.Int, aText),
		"perror": printer(types.Void, textOrNull), "srand": ignore(types.Void, 0), "srandom": ignore(types.Void, 0),
		"sched_yield": ignore(types.Int, 0), "usleep": ignore(types.Int, 0), "sleep": ignore(types.UnsignedInt, 0),
		"pthread_yield": ignore(types.Int, 0), "thrd_yield": ignore(types.Void, 0),
		"poll":           sleeping(),
		"getpid":         ignore(types.Int, 1),
		"pthread_atfork": ignore(types.Int, 0), "srand48": ignore(types.Void, 0),
		"__ESBMC_yield":         ignore(types.Void, 0),
		"__VERIFIER_spin_start": ignore(types.Void, 0), "__VERIFIER_spin_end": ignore(types.Void, 0),
		"__VERIFIER_loop_begin": ignore(types.Void, 0), "__VERIFIER_loop_bound": ignore(types.Void, 0),
		"__VERIFIER_hp_init": ignore(types.Void, 0), "__goblint_globalize": ignore(types.Void, 0),
		"__goblint_split_begin": ignore(types.Void, 0), "__goblint_split_end": ignore(types.Void, 0), "__goblint_bounded": ignore(types.Void, 0),
		"vprintf": listPrinter(0), "vfprintf": listPrinter(1), "setbuf": ignore(types.Void, 0),
		"sigemptyset": ignore(types.Int, 0),
		"sigfillset":  ignore(types.Int, 0), "sigaddset": ignore(types.Int, 0), "pthread_sigmask": ignore(types.Int, 0),
		"alarm": alarm(types.UnsignedInt, 0), "ualarm": alarm(types.UnsignedInt, 0), "setitimer": alarm(types.Int, 1), "sigprocmask": ignore(types.Int, 0), "sigdelset": ignore(types.Int, 0),
		"setlocale": ignore(types.VoidPointer, 0),
		"sync":      ignore(types.Void, 0), "tzset": ignore(types.Void, 0), "getpagesize": ignore(types.Int, 4096),
		"warn": printer(types.Void, 0), "warnx": printer(types.Void, 0),
		"__builtin_va_end": ignore(types.Void, 0),
		"dprintf":          printer(types.Int, 1), "vdprintf": listPrinter(1), "vsyslog": ignore(types.Void, 0), "closelog": ignore(types.Void, 0),
		"openlog": ignore(types.Void, 0), "syslog": ignore(types.Void, 0),
	} {
		allBuiltins[name], listsArguments[name] = b, true
	}
	for _, more := range []map[string]builtin{atomicBuiltins(), threadBuiltins(), condvarBuiltins(), detachBuiltins(), memoryBuiltins(), stringBuiltins(), signBuiltins(), formatBuiltins(), bitBuiltins(), semaphoreBuiltins(), keyBuiltins(), cancelBuiltins(), inputBuiltins(), varargBuiltins(), floatBuiltins(), sortBuiltins(), tokenBuiltins(), kernelBuiltins(), failureBuiltins(), timeBuiltins(), calendarBuiltins(), worldBuiltins(), argumentBuiltins(), streamBuiltins(), hazardBuiltins(), signalBuiltins()} {
		for name, b := range more {
			allBuiltins[name] = b
		}
	}
	maps.Copy(allBuiltins, fortifyBuiltins(allBuiltins))
}

func assume(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.assume(args[0])
	return nothing
}

// fatal prints, and ends the program.
func fatal(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	evaluateAll(l, args[1:])
	return exit(l, n, args[:1])
}

func exit(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.effect(args[0])
	l.at(n)
	l.exits(n)
	return l.quit()
}

func exitAtOnce(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.effect(args[0])
	return l.quit()
}

// quit ends the program.
func (l *lowerer) quit() value {
	l.ends()
	// Nobody goes on; what the others have done until here they could do before.
	if l.dryness == 0 {
		l.dead(l.giveUp())
	}
	return nothing
}

// abort ends the program, which is an error unless the program says by other names what one is:
// then it is how a run ends that is of no interest.
func abort(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	if !l.u.endsByAbort() {
		return violate("abort() is reached")(l, n, args)
	}
	if l.dryness == 0 {
		l.dead(l.giveUp())
	}
	return nothing
}

// endsByAbort is whether that is how runs end, and no error.
func (u *unit) endsByAbort() bool {
	return slices.ContainsFunc([]string{"reach_error", "__VERIFIER_error", "assume_abort_if_not"}, func(name string) bool { return u.isDeclared[name] || u.isDefined[name] })
}

func violate(text string) func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	return func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.assert(program.Const(0), "%s", text)
		if l.dryness == 0 {
			l.dead(l.giveUp())
		}
		return nothing
	}
}

// assertion is assert(n).
func (l *lowerer) assertion(call cc.Node, n cc.ExpressionNode, text string) {
	// Conditions with && and || are one expression where that can be.
	v := l.expr(strip(n))
	l.at(call)
	if e := flowgraph.FoldAll(l.truth(n, v)); e != program.Const(1) {
		l.emit(program.Command{Op: program.Assert, Value: e, Text: text, Says: l.asserted(e, text)})
	}
}

// strip takes !! off a condition.
func strip(n cc.ExpressionNode) cc.ExpressionNode {
	if x, ok := unwrap(n).(*cc.UnaryExpression); ok && x.Case == cc.UnaryExpressionNot {
		if y, ok := unwrap(x.CastExpression).(*cc.UnaryExpression); ok && y.Case == cc.UnaryExpressionNot {
			return y.CastExpression
		}
	}
	return n
}
