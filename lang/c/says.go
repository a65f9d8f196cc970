package c

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// What the front end makes sure of by itself, such as that an index is inside its array, is a condition on addresses and
// registers that nobody has written. Steps of runs say it in words ([program.Command.Says]), with what the source calls
// the parts of it.

// longSource is how long a piece of source may be to be told from where it stands.
const longSource = 60

// sourceOf is how n is written, on one line; "" where that is long.
func sourceOf(n cc.Node) string {
	s := strings.Join(strings.Fields(cc.NodeSource(n)), " ")
	if len(s) > longSource {
		return ""
	}
	return s
}

// assertThat is assert, of the expression n, of which format says in the steps of runs what holds of it.
func (l *lowerer) assertThat(e program.Expr, n cc.Node, format, text string) {
	e = flowgraph.Fold(e)
	if k, ok := e.(program.Const); ok && k != 0 {
		return
	}
	s := sourceOf(n)
	if s == "" {
		s = "this"
	}
	l.emit(program.Command{Op: program.Assert, Value: e, Text: text, Says: "check that " + fmt.Sprintf(format, s)})
}

// asserted is what steps of runs show of an assertion with that text; "" where its condition says it, of variables that
// are registers.
func (l *lowerer) asserted(cond program.Expr, text string) string {
	says := ""
	program.Walk(cond, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok && l.g.Regs[r].Temp && len(text) <= longSource {
			says = "assert " + text
		}
	})
	return says
}

// indexes notes that n, whose index is computed, is an element of the array of p.
func (l *lowerer) indexes(n *cc.PostfixExpression, p place) {
	if _, known := p.addr.(program.Const); known {
		return
	}
	element, array := sourceOf(n), sourceOf(n.PostfixExpression)
	if element == "" || array == "" {
		return
	}
	if l.u.lowered.Indexings == nil {
		l.u.lowered.Indexings = map[lowered.Indexing]string{}
	}
	k, says := lowered.Indexing{Pos: l.pos(), Lo: p.lo, Hi: p.hi}, fmt.Sprintf("check that %s is inside %s", element, array)
	if was, ok := l.u.lowered.Indexings[k]; ok && was != says {
		says = "" // a macro, all of which stands at one place
	}
	l.u.lowered.Indexings[k] = says
}
