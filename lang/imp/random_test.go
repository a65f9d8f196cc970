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
		text := "program T variables int8 x, int8 y = 1, bool b, int8 a[3] = {2, 0, 1}\n" +
			"process P local int8 r, int8 k = 1, bool f begin\n" + g.statements(3) + "\nend"
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
	atomic bool
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
		switch g.r.IntN(9) {
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
			return g.pick("r", "k", "f", "x") + " := " + g.update()
		case 4:
			return g.update()
		case 5:
			return "a[" + g.pick(e(), "1") + "] := " + e()
		}
		return g.pick("x", "y", "b", "r", "k", "f") + " := " + e()
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
			return g.pick("for k := 0 to "+g.pick("1", "2", "r")+" do ", "while "+e()+" do ") + body() + " od"
		}
	}
	if g.atomic {
		return "skip"
	}
	return g.pick("await ", "await not ") + "(" + e() + ")"
}

func (g *generator) update() string {
	at := g.pick("x", "y", "a[1]", "a[r]")
	return g.pick("cas("+at+", "+g.expr(1)+", "+g.expr(1)+")", "xchg("+at+", "+g.expr(1)+")", "fetch_add("+at+", "+g.expr(1)+")")
}

func (g *generator) expr(depth int) string {
	if depth == 0 || g.r.IntN(3) == 0 {
		return g.pick("0", "1", "2", "true", "false", "x", "y", "b", "r", "k", "f", "a[0]", "a[r]", "a[x]", "any(0..1)")
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
	sizes map[string]int64
	ends  map[string]bool // assertions that failed
}

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
	p := &parser{src: &program.Source{Text: text}, consts: map[string]bool{}}
	p.lex = newLexer(p.src)
	f := p.file()
	in := &interpreter{map[string]program.Type{}, map[string]int64{}, map[string]bool{}}
	start := world{}
	var order []string
	for _, g := range append(f.vars, f.procs[0].locals...) {
		for _, v := range g.vars {
			in.types[v.name] = g.typ
			names := []string{v.name}
			if v.size != nil {
				in.sizes[v.name] = v.size.(*number).value
				names = elements(&symbol{name: v.name, size: in.sizes[v.name]})
			}
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
		return in.loop([]world{w}, &unary{op: program.LogicalNot, x: s.cond}, nil)
	case *whileStmt:
		return in.loop([]world{w}, s.cond, s.body)
	case *forStmt:
		in.eval(w, s.from, func(w world, v int64) { out = append(out, in.set(w, s.v.name, v)) })
		up := &stmt{do: &assignStmt{s.v, &binary{op: program.Add, x: s.v, y: &number{value: 1}}}}
		return in.loop(out, &binary{op: program.Le, x: s.v, y: s.to}, append(slices.Clip(s.body), up))
	}
	return out
}

func (in *interpreter) loop(ws []world, cond expr, body []*stmt) []world {
	var out, heads []world
	for len(ws) > 0 {
		heads = unique(append(heads, ws...))
		before := len(heads)
		yes, no := in.split(ws, cond)
		out = append(out, no...)
		// Go on with the worlds that the head has not seen.
		heads = unique(append(heads, in.run(yes, body)...))
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
	if r.index == nil {
		f(w, r.name)
		return
	}
	in.eval(w, r.index, func(w world, i int64) {
		if i < 0 || i >= in.sizes[r.name] {
			in.ends[fmt.Sprintf("index outside %s[%d]", r.name, in.sizes[r.name])] = true
			return
		}
		f(w, fmt.Sprintf("%s[%d]", r.name, i))
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
				f(w, program.EvalBinary(e.op, x, y))
			})
		})
	case *rmw:
		in.place(w, e.target, func(w world, at string) {
			in.eval(w, e.args[0], func(w world, x int64) {
				switch old := w[at]; e.op {
				case "xchg":
					f(in.set(w, at, x), old)
				case "fetch_add":
					f(in.set(w, at, old+x), old)
				case "cas":
					in.eval(w, e.args[1], func(w world, y int64) {
						if w[at] == x {
							f(in.set(w, at, y), 1)
						} else {
							f(w, 0)
						}
					})
				}
			})
		})
	}
}
