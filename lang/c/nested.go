package c

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// Functions inside functions, of GNU C (T. M. Breuel, "Lexical closures for C++", 1988, has how GCC makes them). As calls are inlined, a
// call of the function around is there as a frame, and each has such a function of its own, with a name and an address of its own
// that nobody can mistake for those of another call. What it names of the variables around it is in memory, where threads find it.

// nest defines a function inside the one that is being executed.
func (l *lowerer) nest(n *cc.BlockItem) {
	u, d := l.u, n.Declarator
	def := u.nests[d]
	if def == nil {
		def = &cc.FunctionDefinition{DeclarationSpecifiers: n.DeclarationSpecifiers, Declarator: d, CompoundStatement: n.CompoundStatement}
		u.nests[d] = def
		u.declared[d] = &declared{d: d, specs: n.DeclarationSpecifiers}
		u.staysInside(def)
	}
	name := d.Name() + inside + l.frame.name
	for k := 2; u.defined[name] != nil && (u.defined[name] != def || u.around[name] != l.frame); k++ {
		name = fmt.Sprintf("%s%s%s (%d)", d.Name(), inside, l.frame.name, k)
	}
	u.defined[name], u.around[name] = def, l.frame
	l.frame.vars[d] = &variable{name: d.Name(), t: u.definedType(def), fn: name}
}

// inside stands in the name of a function inside another, before that of the other.
const inside = " in "

// staysInside refuses a function that jumps to a label of another one.
func (u *unit) staysInside(def *cc.FunctionDefinition) {
	labels := map[string]bool{}
	walk(def.CompoundStatement, func(n cc.Node) bool {
		if x, ok := n.(*cc.LabeledStatement); ok && x.Case == cc.LabeledStatementLabel {
			labels[x.Token.SrcStr()] = true
		}
		return true
	})
	walk(def.CompoundStatement, func(n cc.Node) bool {
		if x, ok := n.(*cc.JumpStatement); ok && x.Case == cc.JumpStatementGoto && !labels[x.Token2.SrcStr()] {
			u.refuse(x, "a jump out of a function inside a function")
		}
		return true
	})
}

// captured adds the variables that functions inside a function name.
func captured(def *cc.FunctionDefinition, m map[*cc.Declarator]bool) {
	walk(def.CompoundStatement, func(n cc.Node) bool {
		item, ok := n.(*cc.BlockItem)
		if !ok || item.Case != cc.BlockItemFuncDef {
			return true
		}
		walk(item.CompoundStatement, func(n cc.Node) bool {
			if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent && resolved(p) != nil {
				m[resolved(p)] = true
			}
			return true
		})
		return false
	})
}

// local is the local variable, or the function, that d declares in the function that is being executed or around it, or nil.
func (l *lowerer) local(n cc.Node, d *cc.Declarator) *variable {
	for f := l.frame; f != nil; f = l.u.around[f.name] {
		v := f.vars[d]
		switch {
		case v == nil:
			continue
		case f == l.frame || v.fn != "":
			return v
		case l.u.declared[d] != nil && l.u.declared[d].spec.thread: // each thread has its own
			return &variable{name: v.name, t: v.t, obj: l.threadLocal(l.u.declared[d])}
		case v.obj == nil:
			l.u.refuse(n, v.name+", of the function around, in a function inside it")
		}
		return v
	}
	return nil
}

// A mentioned is where the address of a function inside a function is taken, or a function is called that may be any of those whose
// addresses are known so far.
type mentioned struct {
	l    *lowerer
	node int
	fn   int // the number of the function, or of the first one that is not known
	pos  program.Position
}

// functionAddress is the address of the function of that name.
func (l *lowerer) functionAddress(name string) program.Expr {
	if l.u.absent(name) {
		return program.Const(0)
	}
	at := l.u.function(name)
	if l.u.around[name] != nil && l.dryness == 0 {
		l.u.nestedUses = append(l.u.nestedUses, mentioned{l, l.cur, int(at/16 - 1), l.pos()})
	}
	return program.Const(at)
}

// anyFunction notes that a function is called here that may be any.
func (l *lowerer) anyFunction() {
	l.u.takeAddresses()
	l.u.anyCalls = append(l.u.anyCalls, mentioned{l, l.cur, len(l.u.fnName), l.pos()})
}

// checkNested refuses a program in which the address of a function inside a function, taken by this thread, may come to a call that
// was read before it was known.
func (l *lowerer) checkNested() {
	var next map[int][]int
	for _, use := range l.u.nestedUses {
		if use.l != l {
			continue
		}
		reached := map[int]bool{}
		for _, call := range l.u.anyCalls {
			if call.fn > use.fn {
				continue
			}
			if next == nil {
				next = map[int][]int{}
				for _, e := range l.g.Edges {
					next[e.From] = append(next[e.From], e.To)
				}
			}
			if len(reached) == 0 {
				for work := []int{use.node}; len(work) > 0; {
					q := work[len(work)-1]
					work = work[:len(work)-1]
					if !reached[q] {
						reached[q] = true
						work = append(work, next[q]...)
					}
				}
			}
			if call.l != l || reached[call.node] {
				l.u.failAt(use.pos, "", "not modelled: a pointer to a function inside a function that may come to a call before it")
			}
		}
	}
}

// plainName is the name of a function as it is written.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, inside)
	return name
}
