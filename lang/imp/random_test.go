package imp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestRandom compares the automata of random sequential programs with an
// interpreter of the syntax tree: they must end in the same ways.
func TestRandom(t *testing.T) {
	compared := 0
	for seed := range uint64(1500) {
		g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
		g.names = []string{"x", "y", "b", "p", "v", "l", "q"}
		body := g.statements(2)
		g.names, g.calls = []string{"x", "y", "b", "r", "k", "f", "q", "u"}, true
		text := "program T variables int8 x, int8 y = 1, bool b, int8 a[3] = {2, 0, 1}, uint64 q, uint8 u\n" +
			"procedure F(int8 p, var v) local int8 l begin\n" + body + "; return " + g.pick("p", "v", "l + p") + "\nend\n" +
			"process P local int8 r, int8 k = 1, bool f, int8 t[2], int8 m[2][3] begin\n" + g.statements(3) + "\nend"
		p, err := parse(text, nil)
		if err != nil {
			// What constants decide cannot be avoided, only left alone.
			if m := err.(*program.Diagnostic).Msg; strings.Contains(m, "division") || strings.Contains(m, "outside") ||
				strings.Contains(m, "does not fit") || strings.Contains(m, "without effect") {
				continue
			}
			t.Fatalf("%v\n%s", err, text)
		}
		if err := wellFormed(p); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want, ok := interpret(text)
		if !ok {
			continue
		}
		compared++
		got := slices.DeleteFunc(runs(p), func(s string) bool { return s == "stuck" })
		if !slices.Equal(got, want) {
			t.Fatalf("%s\nautomaton %q\ninterpreter %q\n%s", text, got, want, format(p, p.Threads[0]))
		}
	}
	if compared < 1000 {
		t.Errorf("only %d programs compared", compared)
	}
}

// A generator writes random statements.
type generator struct {
	r      *rand.Rand
	names  []string // of variables
	calls  bool     // F is to be called, and the arrays of P are there
	atomic bool
	loop   bool // around the statement
}

func (g *generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *generator) statements(depth int) string {
	var ss []string
	for range g.r.IntN(4) {
		ss = append(ss, g.statement(depth))
	}
	return strings.Join(ss, "; ")
}

func (g *generator) statement(depth int) string {
	e := func() string { return g.expr(2) }
	if depth == 0 || g.r.IntN(2) == 0 {
		switch g.r.IntN(12) {
		case 9:
			return g.place() + g.pick(" += ", " -= ", " ^= ", " /= ", " >>= ") + e()
		case 10:
			if g.loop && !g.atomic {
				return g.pick("break", "continue")
			}
			if !g.atomic && g.calls && g.r.IntN(4) == 0 {
				return "return"
			}
			return "skip"
		case 11:
			if g.calls && !g.atomic {
				return g.pick("", g.pick("r", "x", "a[1]", "t[k]", "q")+" := ") + "F(" + e() + ", " + g.pick("r", "x", "t[1]", "q", "m[1][0]") + ")"
			}
		case 0:
			return "skip"
		case 1:
			if g.atomic {
				return "skip" // for an assume that fails undoes what asserts found
			}
			return "assume " + e()
		case 2:
			return "assert " + e()
		case 3:
			return g.place() + " := " + g.update()
		case 4:
			return g.update()
		case 5:
			return "a[" + g.pick(e(), "1") + "] := " + e()
		}
		return g.place() + " := " + e()
	}
	body := func() string { return g.statements(depth - 1) }
	switch g.r.IntN(7) {
	case 0, 1:
		return "if " + e() + " then " + body() + g.pick("", " elif "+e()+" then "+body()) + g.pick("", " else "+body()) + " fi"
	case 2, 3:
		return "choose " + body() + " [] " + body() + g.pick("", " [] "+body()) + " end"
	case 4:
		if !g.atomic {
			g.atomic = true
			defer func() { g.atomic = false }()
			return "atomic begin " + g.statements(depth-1) + "; y := x end"
		}
	case 5:
		if !g.atomic {
			counter, bound := "k", "r"
			if !g.calls {
				counter, bound = "l", "p"
			}
			head := g.pick("for "+counter+" := 0 to "+g.pick("1", "2", bound)+" do ", "while "+e()+" do ")
			outer := g.loop
			g.loop = true
			defer func() { g.loop = outer }()
			return head + body() + " od"
		}
	}
	if g.atomic {
		return "skip"
	}
	return g.pick("await ", "await not ") + "(" + e() + ")"
}

func (g *generator) update() string {
	at := g.pick("x", "y", "a[1]", "a["+g.name()+"]", "q")
	return g.pick("cas("+at+", "+g.expr(1)+", "+g.expr(1)+")", "xchg("+at+", "+g.expr(1)+")",
		g.pick("fetch_add", "fetch_sub", "fetch_xor", "fetch_and", "fetch_or")+"("+at+", "+g.expr(1)+")")
}

func (g *generator) name() string { return g.pick(g.names...) }

// place is what can be assigned to.
func (g *generator) place() string {
	if g.calls && g.r.IntN(3) == 0 {
		return g.pick("t[k]", "t["+g.name()+"]", "m["+g.name()+"][k]", "m[1][r]", "t[0]", "m[0][2]")
	}
	return g.name()
}

func (g *generator) expr(depth int) string {
	if depth == 0 || g.r.IntN(3) == 0 {
		if g.calls && g.r.IntN(5) == 0 {
			return g.pick("t[k]", "t["+g.name()+"]", "m[f][k]", "m[1]["+g.name()+"]", "m[0][1]")
		}
		return g.pick("0", "1", "2", "true", "false", "a[0]", "a[x]", "any(0..1)", "a["+g.name()+"]",
			g.name(), g.name(), g.name(), g.name(), g.name(), "0xffff_ffff_ffff_fff0")
	}
	x, y := g.expr(depth-1), g.expr(depth-1)
	switch g.r.IntN(5) {
	case 0:
		return g.pick("-", "~", "not ") + "(" + x + ")"
	case 1:
		return "a[" + x + "]"
	}
	return "(" + x + ")" + g.pick(" + ", " - ", " * ", " / ", " % ", " = ", " != ", " < ", " >= ", " and ", " and ", " or ", " or ", " & ", " | ", " ^ ", " << ", " >> ") + "(" + y + ")"
}

// A world is the memory and the registers by name.
type world map[string]int64

// An interpreter runs syntax trees on sets of worlds.
type interpreter struct {
	types map[string]program.Type
	dims  map[string][]int64
	ends  map[string]bool // assertions that failed
	subs  []*procedure
	alias map[string]string // of the procedure that runs: its names, and what they are called here
	scope scope             // for the types alone
}

// control is what a world holds that has come to a break, continue or return.
const control = "!"

const (
	breaking = 1 + iota
	continuing
	returning
)

type tooMany struct{}

// interpret lists how the process of the program ends, as runs does but for
// "stuck"; ok is false where that is too much work.
func interpret(text string) (ends []string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, many := r.(tooMany); !many {
				panic(r)
			}
			ends, ok = nil, false
		}
	}()
	f := newParser(&program.Source{Text: text}, nil).program()
	in := &interpreter{map[string]program.Type{}, map[string][]int64{}, map[string]bool{}, f.subs, map[string]string{}, scope{names: map[string]*symbol{}}}
	for _, s := range f.subs {
		for _, p := range s.params {
			in.types[s.name+"."+p.name] = p.typ
		}
		for _, g := range s.locals {
			in.types[s.name+"."+g.vars[0].name] = g.typ
		}
		in.types[s.name+".return"] = program.Int64Type
	}
	start := world{}
	var order []string
	for _, g := range append(f.vars, f.procs[0].locals...) {
		for _, v := range g.vars {
			in.types[v.name] = g.typ
			names := []string{v.name}
			if v.sizes != nil {
				for _, size := range v.sizes {
					in.dims[v.name] = append(in.dims[v.name], size.(*number).value)
				}
				names = elements(&symbol{name: v.name, size: 1, dims: in.dims[v.name]})
			}
			in.scope.names[v.name] = &symbol{typ: g.typ}
			for i, n := range names {
				switch {
				case g.list != nil:
					start[n] = g.list[i].(*number).value
				case g.init != nil:
					start[n] = g.init.(*number).value
				default:
					start[n] = 0
				}
			}
			order = append(order, names...)
		}
	}
	for _, w := range in.run([]world{start}, f.procs[0].body) {
		var parts []string
		for _, n := range order {
			if w[n] != 0 {
				parts = append(parts, fmt.Sprintf("%s=%d", n, w[n]))
			}
		}
		in.ends[strings.Join(parts, " ")] = true
	}
	return slices.Sorted(maps.Keys(in.ends)), true
}

func unique(ws []world) []world {
	seen := map[string]bool{}
	ws = slices.DeleteFunc(ws, func(w world) bool {
		k := fmt.Sprint(w)
		old := seen[k]
		seen[k] = true
		return old
	})
	if len(ws) > 100 {
		panic(tooMany{})
	}
	return ws
}

func (in *interpreter) run(ws []world, ss []*stmt) []world {
	for _, s := range ss {
		var next []world
		for _, w := range ws {
			if w[control] != 0 {
				next = append(next, w)
				continue
			}
			next = append(next, in.step(w, s.do)...)
		}
		ws = unique(next)
	}
	return ws
}

// split is the worlds in which a condition holds, and the others.
func (in *interpreter) split(ws []world, cond expr) (yes, no []world) {
	for _, w := range ws {
		in.eval(w, cond, func(w world, v int64) {
			if v != 0 {
				yes = append(yes, w)
			} else {
				no = append(no, w)
			}
		})
	}
	return unique(yes), unique(no)
}

func (in *interpreter) step(w world, do action) []world {
	var out []world
	switch s := do.(type) {
	case *skipStmt:
		return []world{w}
	case *assignStmt:
		in.place(w, s.target, func(w world, at string) {
			in.eval(w, s.value, func(w world, v int64) { out = append(out, in.set(w, at, v)) })
		})
	case *leaveStmt:
		set := func(w world, v int64) {
			w = maps.Clone(w)
			w[control] = map[string]int64{"break": breaking, "continue": continuing, "return": returning}[s.word]
			if s.value != nil {
				w["F.return"] = v
			}
			out = append(out, w)
		}
		if s.value == nil {
			set(w, 0)
			break
		}
		in.eval(w, s.value, set)
	case *callStmt:
		return in.call(w, s)
	case *rmwStmt:
		in.eval(w, s.call, func(w world, _ int64) { out = append(out, w) })
	case *assumeStmt:
		out, _ = in.split([]world{w}, s.cond)
	case *assertStmt:
		var failed []world
		if out, failed = in.split([]world{w}, s.cond); len(failed) > 0 {
			in.ends[s.text] = true
		}
	case *ifStmt:
		no := []world{w}
		for _, a := range s.arms {
			var yes []world
			yes, no = in.split(no, a.cond)
			out = append(out, in.run(yes, a.body)...)
		}
		out = append(out, in.run(no, s.els)...)
	case *chooseStmt:
		for _, b := range s.branches {
			out = append(out, in.run([]world{w}, b)...)
		}
	case *atomicStmt:
		return in.run([]world{w}, s.body)
	case *awaitStmt:
		return in.loop([]world{w}, &unary{op: program.LogicalNot, x: s.cond}, nil, nil)
	case *whileStmt:
		return in.loop([]world{w}, s.cond, s.body, nil)
	case *forStmt:
		in.eval(w, s.from, func(w world, v int64) { out = append(out, in.set(w, in.called(s.v.name), v)) })
		up := &stmt{do: &assignStmt{s.v, &binary{op: program.Add, x: s.v, y: &number{value: 1}}}}
		return in.loop(out, &binary{op: program.Le, x: s.v, y: s.to}, s.body, []*stmt{up})
	}
	return out
}

// call runs F.
func (in *interpreter) call(w world, s *callStmt) []world {
	f := in.subs[0]
	var out []world
	in.eval(w, s.args[0], func(w world, v int64) {
		in.place(w, s.args[1].(*ref), func(w world, at string) {
			w = in.set(in.set(w, "F.p", v), "F.l", 0)
			caller, outer := in.alias, in.scope
			in.alias = map[string]string{"p": "F.p", "l": "F.l", "v": at}
			base, _, _ := strings.Cut(at, "[")
			in.scope = scope{map[string]*symbol{"v": {typ: in.types[base]}}, &outer}
			ws := in.run([]world{w}, f.body)
			in.alias, in.scope = caller, outer
			for _, w := range ws {
				v := w["F.return"]
				w = maps.Clone(w)
				delete(w, control)
				for _, n := range []string{"F.p", "F.l", "F.return"} {
					delete(w, n)
				}
				if s.result == nil {
					out = append(out, w)
					continue
				}
				in.place(w, s.result, func(w world, at string) { out = append(out, in.set(w, at, v)) })
			}
		})
	})
	return out
}

func (in *interpreter) called(name string) string {
	if n, ok := in.alias[name]; ok {
		return n
	}
	return name
}

// landed divides the worlds after the body of a loop into those that leave the loop and
// those that go round once more.
func landed(ws []world) (out, again []world) {
	for _, w := range ws {
		switch w[control] {
		case returning:
			out = append(out, w)
		case breaking, continuing:
			leaves := w[control] == breaking
			w = maps.Clone(w)
			delete(w, control)
			if leaves {
				out = append(out, w)
				continue
			}
			fallthrough
		default:
			again = append(again, w)
		}
	}
	return out, again
}

func (in *interpreter) loop(ws []world, cond expr, body, up []*stmt) []world {
	var out, heads []world
	for len(ws) > 0 {
		heads = unique(append(heads, ws...))
		before := len(heads)
		yes, no := in.split(ws, cond)
		out = append(out, no...)
		// Go on with the worlds that the head has not seen.
		left, again := landed(in.run(yes, body))
		out = append(out, left...)
		heads = unique(append(heads, in.run(again, up)...))
		ws = slices.Clone(heads[before:])
		heads = heads[:before]
	}
	return unique(out)
}

func (in *interpreter) set(w world, at string, v int64) world {
	name, _, _ := strings.Cut(at, "[")
	t := in.types[name]
	if t == program.BoolType {
		v = program.Bool(v != 0)
	}
	w = maps.Clone(w)
	w[at] = t.Wrap(v)
	return w
}

// place calls f with the name of the variable or element.
func (in *interpreter) place(w world, r *ref, f func(world, string)) {
	in.elements(w, in.called(r.name), r, 0, f)
}

func (in *interpreter) elements(w world, name string, r *ref, k int, f func(world, string)) {
	if k == len(r.index) {
		f(w, name)
		return
	}
	in.eval(w, r.index[k], func(w world, i int64) {
		if dims := in.dims[r.name]; i < 0 || i >= dims[k] {
			in.ends["index outside "+r.name+dimensions(dims)] = true
			return
		}
		in.elements(w, fmt.Sprintf("%s[%d]", name, i), r, k+1, f)
	})
}

// eval calls f with every value that e can have. It does not evaluate what and
// and or do not need, which nobody must notice.
func (in *interpreter) eval(w world, e expr, f func(world, int64)) {
	switch e := e.(type) {
	case *number:
		f(w, e.value)
	case *ref:
		in.place(w, e, func(w world, at string) { f(w, w[at]) })
	case *unary:
		in.eval(w, e.x, func(w world, x int64) { f(w, program.EvalUnary(e.op, x)) })
	case *choice:
		for v := e.lo.(*number).value; v <= e.hi.(*number).value; v++ {
			f(w, v)
		}
	case *binary:
		in.eval(w, e.x, func(w world, x int64) {
			if e.op == program.LogicalAnd && x == 0 || e.op == program.LogicalOr && x != 0 {
				f(w, program.Bool(x != 0))
				return
			}
			in.eval(w, e.y, func(w world, y int64) {
				if y == 0 && (e.op == program.Div || e.op == program.Rem) {
					in.ends["division by zero"] = true
					return
				}
				f(w, program.EvalBinary(operation(e, in.scope, x, y)))
			})
		})
	case *rmw:
		in.place(w, e.target, func(w world, at string) {
			in.eval(w, e.args[0], func(w world, x int64) {
				switch old := w[at]; e.op {
				case "xchg":
					f(in.set(w, at, x), old)
				case "cas":
					in.eval(w, e.args[1], func(w world, y int64) {
						if w[at] == x {
							f(in.set(w, at, y), 1)
						} else {
							f(w, 0)
						}
					})
				default:
					f(in.set(w, at, program.EvalBinary(fetchOps[e.op], old, x)), old)
				}
			})
		})
	}
}
