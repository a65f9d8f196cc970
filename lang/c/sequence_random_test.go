package c_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	sequencePrograms = flag.Int("sequence", 120, "how many random expressions TestSequenceRandom tries")
	sequenceSeed     = flag.Uint64("sequenceseed", 0, "the seed of the first one")
)

// TestSequenceRandom tries random expressions against C11's own words, taken literally: accesses are events, some of which are sequenced before
// others, and an expression is undefined that has two of one object, one of them a change, in no order. Where it is
// defined its value and all variables are what they must be. Where the variables begin is for an input to say.
func TestSequenceRandom(t *testing.T) {
	t.Parallel()
	undefined := 0
	for seed := *sequenceSeed; seed < *sequenceSeed+uint64(*sequencePrograms); seed++ {
		text, unsafe := sequenceProgram(rand.New(rand.NewPCG(seed, 1)))
		p, err := c.Parse(&program.Source{Name: "sequence.c", Text: text}, c.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		r, err := engine.Check(context.Background(), p, engine.Options{Engine: engine.Explicit, Model: memory.SC})
		if err != nil || !r.Conclusive() {
			t.Fatalf("seed %d: %v, %v\n%s", seed, r, err, text)
		}
		if r.Unsafe() != unsafe {
			t.Errorf("seed %d: %s, but undefined %t:\n%s", seed, r.Verdict(), unsafe, text)
		}
		if unsafe {
			undefined++
		}
	}
	t.Logf("%d of %d are undefined", undefined, *sequencePrograms)
	if share := float64(undefined) / float64(*sequencePrograms); *sequencePrograms >= 100 && (share < .2 || share > .8) {
		t.Errorf("%d of %d are undefined", undefined, *sequencePrograms)
	}
}

// Where the variables are in a [sequenceRun].
const (
	atI, atJ, atG, atA = 0, 1, 2, 3
	atS, atT, atB      = 7, 9, 11 // structures of two members
	atQ, atP           = 13, 14   // pointers, to a number and to a structure, which have such a place for a value
	places             = 15
)

// A sequenceEvent is an access to that place, or to none, that comes after others.
type sequenceEvent struct {
	at    int // -1: none
	write bool
	after []int
}

// A sequenceRun is an expression that is evaluated from left to right.
type sequenceRun struct {
	mem    [places]int
	events []sequenceEvent
	ticks  int
	large  bool
}

// An outcome is a value, the events that it is known after, and all events.
type outcome struct {
	v         int
	need, all []int
}

// A term is an expression, or one that denotes a place, and has that for a value.
type term struct {
	text string
	eval func(m *sequenceRun) outcome
}

func (m *sequenceRun) event(at int, write bool, after ...int) int {
	m.events = append(m.events, sequenceEvent{at, write, append([]int(nil), after...)})
	return len(m.events) - 1
}

func join(sets ...[]int) (all []int) {
	for _, s := range sets {
		all = append(all, s...)
	}
	return all
}

// behind evaluates x after all of some events.
func (m *sequenceRun) behind(all []int, x func(*sequenceRun) outcome) outcome {
	point := m.event(-1, false, all...)
	from := len(m.events)
	o := x(m)
	for i := from; i < len(m.events); i++ {
		m.events[i].after = append(m.events[i].after, point)
	}
	return outcome{o.v, join(o.need, []int{point}), join(all, o.all, []int{point})}
}

// undefined is true if two accesses to one place are in no order, and one is a change.
func (m *sequenceRun) undefined() bool {
	before := make([]map[int]bool, len(m.events))
	for i, e := range m.events { // what comes before an event has been made before it
		before[i] = map[int]bool{}
		for _, a := range e.after {
			before[i][a] = true
			for b := range before[a] {
				before[i][b] = true
			}
		}
		for j, o := range m.events[:i] {
			if e.at >= 0 && e.at == o.at && (e.write || o.write) && !before[i][j] {
				return true
			}
		}
	}
	return false
}

// kept is v as the place has it: bit-fields have 16 bits.
func kept(at, v int) int {
	if at == atB || at == atB+1 {
		return int(int16(v))
	}
	return v
}

func loaded(l term) term {
	return term{l.text, func(m *sequenceRun) outcome {
		o := l.eval(m)
		e := m.event(o.v, false, o.need...)
		return outcome{m.mem[o.v], join(o.need, []int{e}), join(o.all, []int{e})}
	}}
}

// assigned is l = r, or l op r.
func assigned(l, r term, text string, op func(l, r int) int) term {
	return term{text, func(m *sequenceRun) outcome {
		lo, ro := l.eval(m), r.eval(m)
		need, all, v := join(lo.need, ro.need), join(lo.all, ro.all), ro.v
		if op != nil {
			e := m.event(lo.v, false, lo.need...)
			need, all, v = append(need, e), append(all, e), op(m.mem[lo.v], v)
		}
		v = kept(lo.v, v)
		m.large = m.large || v > 1<<20 || v < -1<<20
		m.mem[lo.v] = v
		return outcome{v, need, append(all, m.event(lo.v, true, need...))}
	}}
}

func constant(k int, text string) term {
	return term{text, func(*sequenceRun) outcome { return outcome{v: k} }}
}

// both is two terms in no order.
func both(x, y term, text string, op func(a, b int) int) term {
	return term{text, func(m *sequenceRun) outcome {
		a, b := x.eval(m), y.eval(m)
		return outcome{op(a.v, b.v), join(a.need, b.need), join(a.all, b.all)}
	}}
}

// called is a call with arguments in no order.
func called(args term) term {
	return term{args.text, func(m *sequenceRun) outcome {
		a := args.eval(m)
		return m.behind(a.all, func(*sequenceRun) outcome { return outcome{v: a.v} })
	}}
}

// chosen is x, and then what it chooses.
func chosen(x term, text string, then func(v int) term) term {
	return term{text, func(m *sequenceRun) outcome {
		a := x.eval(m)
		return m.behind(a.all, then(a.v).eval)
	}}
}

func truth(x term) term {
	return term{x.text, func(m *sequenceRun) outcome {
		o := x.eval(m)
		o.v = oneIf(o.v != 0)
		return o
	}}
}

func oneIf(b bool) int { return int(program.Bool(b)) }

// A sequenceMaker makes terms.
type sequenceMaker struct {
	*rand.Rand
	pointed  bool // there are pointers to i and j
	plain    bool // there may be pointers to g
	pointers bool // there are pointers
	often    int  // the place that is named most often
}

func (g *sequenceMaker) one(of ...func() term) term { return of[g.IntN(len(of))]() }

// place denotes a number.
func (g *sequenceMaker) place(d int, addressed bool) term {
	name := func(at int, text string) func() term { return func() term { return constant(at, text) } }
	of := []func() term{name(atS, "s.x"), name(atS+1, "s.y"), name(atA+1, "a[1]")}
	if !addressed || g.pointed {
		of = append(of, name(atI, "i"), name(atI, "i"), name(atJ, "j"))
	}
	if !addressed || g.plain {
		of = append(of, name(atG, "g"))
	}
	if !addressed {
		of = append(of, name(atB, "b.x"), name(atB+1, "b.y"))
	}
	if g.IntN(3) > 0 {
		return of[g.often%len(of)]()
	}
	if d > 0 {
		of = append(of, func() term {
			x := g.expr(d - 1)
			return term{"a[" + x.text + " & 3]", func(m *sequenceRun) outcome { o := x.eval(m); o.v = atA + o.v&3; return o }}
		})
	}
	if g.pointers {
		of = append(of, func() term { p := g.pointer(d); return term{"*" + p.text, p.eval} }, func() term {
			p, y := g.toPair(d), g.IntN(2)
			return term{p.text + "->" + "xy"[y:y+1], func(m *sequenceRun) outcome { o := p.eval(m); o.v += y; return o }}
		})
	}
	l := g.one(of...)
	if strings.HasPrefix(l.text, "*") {
		l.text = "(" + l.text + ")"
	}
	return l
}

// pointer is to a number.
func (g *sequenceMaker) pointer(d int) term {
	q := constant(atQ, "q")
	of := []func() term{func() term { return loaded(q) }}
	if d > 0 {
		of = append(of, func() term { l := g.place(d-1, true); return term{"(&" + l.text + ")", l.eval} }, func() term {
			l := g.place(d-1, true)
			return assigned(q, l, "(q = &"+l.text+")", nil)
		}, func() term { return g.comma(g.expr(d-1), g.pointer(d-1)) }, func() term {
			return g.choice(g.expr(d-1), g.pointer(d-1), g.pointer(d-1))
		})
	}
	return g.one(of...)
}

// toPair is a pointer to a structure.
func (g *sequenceMaker) toPair(d int) term {
	p := constant(atP, "p")
	l := g.pair()
	of := []func() term{func() term { return loaded(p) }, func() term { return loaded(p) }, func() term { return assigned(p, l, "(p = &"+l.text+")", nil) },
		func() term { return term{"(&" + l.text + ")", l.eval} }}
	if d > 0 {
		of = append(of, func() term { return g.comma(g.expr(d-1), g.toPair(d-1)) })
	}
	return g.one(of...)
}

// pair denotes a structure.
func (g *sequenceMaker) pair() term {
	return g.one(func() term { return constant(atS, "s") }, func() term { return constant(atT, "t") })
}

func (g *sequenceMaker) comma(x, y term) term {
	return chosen(x, "("+x.text+", "+y.text+")", func(int) term { return y })
}

func (g *sequenceMaker) choice(x, y, z term) term {
	return chosen(x, "("+x.text+" ? "+y.text+" : "+z.text+")", func(v int) term {
		if v != 0 {
			return y
		}
		return z
	})
}

var sequenceOperators = []struct {
	text string
	of   func(a, b int) int
}{
	{"+", func(a, b int) int { return a + b }}, {"-", func(a, b int) int { return a - b }}, {"&", func(a, b int) int { return a & b }},
	{"|", func(a, b int) int { return a | b }}, {"^", func(a, b int) int { return a ^ b }}, {"<", func(a, b int) int { return oneIf(a < b) }}, {"==", func(a, b int) int { return oneIf(a == b) }},
}

// expr is a number.
func (g *sequenceMaker) expr(d int) term {
	if d <= 0 || g.IntN(12) == 0 {
		k := g.IntN(4)
		return g.one(func() term { return constant(k, fmt.Sprint(k)) }, func() term { return g.step(0) }, func() term { return loaded(g.place(0, false)) }, func() term { return loaded(g.place(0, false)) }, func() term { return g.step(0) })
	}
	sub := func() term { return g.expr(d - 1) }
	assign := func() term {
		l, r := g.place(d-1, false), sub()
		return assigned(l, r, "("+l.text+" = "+r.text+")", nil)
	}
	operate := func() term {
		x, y, op := sub(), sub(), sequenceOperators[g.IntN(len(sequenceOperators))]
		return both(x, y, "("+x.text+" "+op.text+" "+y.text+")", op.of)
	}
	return g.one(assign, assign, operate, operate, operate,
		func() term { // two that are likely to be of one variable
			x, y := g.step(d-1), sub()
			return both(x, y, "("+x.text+" + "+y.text+")", func(a, b int) int { return a + b })
		},
		func() term {
			l, r := g.place(d-1, false), g.step(d-1)
			return assigned(l, r, "("+l.text+" = "+r.text+")", nil)
		},
		func() term {
			l, r, op := g.place(d-1, false), sub(), sequenceOperators[g.IntN(5)]
			return assigned(l, r, "("+l.text+" "+op.text+"= "+r.text+")", op.of)
		},
		func() term { return g.step(d - 1) },
		func() term { return loaded(g.place(d, false)) },
		func() term { return g.comma(sub(), sub()) },
		func() term { return g.comma(sub(), sub()) },
		func() term { return g.choice(sub(), sub(), sub()) },
		func() term { // its first part is evaluated once
			x, y := g.one(func() term { return loaded(g.place(d-1, false)) }, func() term { return g.step(d - 1) }), sub()
			return chosen(x, "("+x.text+" ?: "+y.text+")", func(v int) term {
				if v != 0 {
					return constant(v, "")
				}
				return y
			})
		},
		func() term {
			x, y := sub(), sub()
			or := g.IntN(2)
			return chosen(x, "("+x.text+[]string{" && ", " || "}[or]+y.text+")", func(v int) term {
				if (v != 0) == (or == 1) {
					return constant(or, "")
				}
				return truth(y)
			})
		},
		func() term { x := sub(); return called(term{"f(" + x.text + ")", x.eval}) },
		func() term {
			x, y := sub(), sub()
			return called(both(x, y, "h("+x.text+", "+y.text+")", func(a, b int) int { return a + b }))
		},
		func() term {
			return term{"tick()", func(m *sequenceRun) outcome { m.ticks++; return outcome{} }}
		},
		func() term { // what it does in the function is in an order with all the rest
			l := g.place(d-1, true)
			return called(term{"keep(&" + l.text + ")", func(m *sequenceRun) outcome { o := l.eval(m); o.v = 0; return o }})
		},
		func() term { return constant(4, "(int)sizeof(+"+sub().text+")") },
		func() term {
			x := sub()
			return term{"_Generic(g++, int: " + x.text + ", default: " + sub().text + ")", x.eval}
		},
		func() term { x := sub(); return term{"(int){" + x.text + "}", x.eval} },
		func() term {
			x := truth(sub())
			return term{"!" + x.text, func(m *sequenceRun) outcome { o := x.eval(m); o.v = 1 - o.v; return o }}
		},
		func() term {
			to, from := g.pair(), g.pair()
			return term{"(" + to.text + " = " + from.text + ").x", func(m *sequenceRun) outcome {
				a, b := to.eval(m).v, from.eval(m).v
				x, y := m.event(b, false), m.event(b+1, false)
				m.mem[a], m.mem[a+1] = m.mem[b], m.mem[b+1]
				return outcome{m.mem[a], []int{x, y}, []int{x, y, m.event(a, true, x, y), m.event(a+1, true, x, y)}}
			}}
		})
}

// step is an increment or a decrement.
func (g *sequenceMaker) step(d int) term {
	l, k := g.place(d, false), g.IntN(4)
	by := 1 - k&2
	sign := []string{"++", "--"}[k>>1]
	after := assigned(l, constant(by, ""), "("+sign+l.text+")", func(a, b int) int { return a + b })
	if k&1 == 0 {
		return after
	}
	return term{"(" + l.text + sign + ")", func(m *sequenceRun) outcome {
		var old int
		o := assigned(l, constant(by, ""), "", func(a, b int) int { old = a; return a + b }).eval(m)
		o.v = old
		return o
	}}
}

// sequenceProgram is a program, and whether it is undefined.
func sequenceProgram(rng *rand.Rand) (text string, undefined bool) {
	for {
		g := &sequenceMaker{Rand: rng, pointed: rng.IntN(2) == 0, pointers: rng.IntN(3) > 0, often: rng.IntN(60)}
		g.pointed = g.pointed && g.pointers
		quals := []string{"", "", "", "volatile ", "_Atomic "}[rng.IntN(5)]
		g.plain = quals == ""
		x := g.expr(2 + rng.IntN(3))
		if !strings.ContainsAny(x.text, "=") && !strings.Contains(x.text, "++") && !strings.Contains(x.text, "--") {
			continue
		}
		var b strings.Builder
		b.WriteString("#include <assert.h>\n_Bool __VERIFIER_nondet_bool(void);\ntypedef struct { int x, y; } pair;\npair s, t = {2, 3};\nstruct { int x : 16, y : 16; } b = {0, 1};\nint a[4] = {0, 1, 2, 3}, n;\n" + quals + "int g;\n")
		b.WriteString("int f(int x) { return x; }\nint h(int x, int y) { return x + y; }\nint tick(void) { n++; return 0; }\nint keep(int *p) { int v = *p; *p = v; return 0; }\n")
		to, toAt := "&s.y", [2]int{atS + 1, atA + 1} // where q leads
		if g.pointed {
			to, toAt[0] = "&i", atI
		}
		fmt.Fprintf(&b, "int main(void)\n{\n\tint k = __VERIFIER_nondet_bool(), i = 1 + k, j = 2, *q = k ? &a[1] : %s, v = 0;\n\tpair *p = k ? &s : &t;\n\ts.x = 1 - k;\n", to)
		shape := rng.IntN(5)
		b.WriteString("\t" + []string{"v = ", "int r = ", "if (", "for (; ", "v = f("}[shape] + x.text + []string{";\n", ";\n\tv = r;\n", ")\n\t\tv = 1;\n", ";) {\n\t\tv = 1;\n\t\tbreak;\n\t}\n", ");\n"}[shape])
		large := false
		var checks string
		for k := range 2 {
			m := &sequenceRun{mem: [places]int{atI: 1 + k, atJ: 2, atA + 1: 1, atA + 2: 2, atA + 3: 3, atS: 1 - k, atT: 2, atT + 1: 3, atB + 1: 1, atQ: toAt[k], atP: []int{atT, atS}[k]}}
			o := x.eval(m)
			large = large || m.large
			undefined = undefined || m.undefined()
			if shape == 2 || shape == 3 {
				o.v = oneIf(o.v != 0)
			}
			at := func(place int) string {
				names := []string{atI: "&i", atJ: "&j", atG: "&g", atA: "&a[0]", atA + 1: "&a[1]", atA + 2: "&a[2]", atA + 3: "&a[3]", atS: "&s.x", atS + 1: "&s.y", atT: "&t.x", atT + 1: "&t.y", places: ""}
				return names[place]
			}
			checks += fmt.Sprintf("\tif (k == %d) {\n\t\tassert(v == %d && n == %d && i == %d && j == %d && g == %d);\n", k, o.v, m.ticks, m.mem[atI], m.mem[atJ], m.mem[atG])
			checks += fmt.Sprintf("\t\tassert(a[0] == %d && a[1] == %d && a[2] == %d && a[3] == %d);\n", m.mem[atA], m.mem[atA+1], m.mem[atA+2], m.mem[atA+3])
			checks += fmt.Sprintf("\t\tassert(s.x == %d && s.y == %d && t.x == %d && t.y == %d && b.x == %d && b.y == %d);\n", m.mem[atS], m.mem[atS+1], m.mem[atT], m.mem[atT+1], m.mem[atB], m.mem[atB+1])
			checks += fmt.Sprintf("\t\tassert(q == %s && (int *)p == %s);\n\t}\n", at(m.mem[atQ]), at(m.mem[atP]))
		}
		if large || strings.Contains(x.text, "&g") && !g.plain {
			undefined = false
			continue
		}
		if !undefined {
			b.WriteString(checks)
		}
		b.WriteString("\treturn 0;\n}\n")
		return b.String(), undefined
	}
}
