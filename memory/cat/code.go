package cat

// Code is the terms that the axioms of a model are made of, as a list for who evaluates them
// in graph after graph: with numbers in place of pointers, and without what no axiom needs.
type Code struct {
	// Steps make the terms, operands before what is made of them, but for the bodies of
	// loops.
	Steps []Instruction
	Loops []Loop
	// Axioms is the term of each axiom of the model, as an index into Steps.
	Axioms []int
	// Orders is the steps that are an [Order], each after those that it depends on.
	Orders []int
}

// An Instruction makes a term of others.
type Instruction struct {
	Op   Op
	Type Type
	Name string // of a Base and an Order
	X, Y int    // indices of the operands; -1 where there is none
	Loop int    // index of the loop of a Variable or a Fixpoint, and of what depends on a Variable; else -1
}

// A Loop is a let rec: as many variables as bodies and results, by their indices.
type Loop struct {
	Variables, Bodies, Results []int
}

// Code lists what the axioms are made of.
func (m *Model) Code() *Code {
	l := &lister{at: map[*Term]int{}, loops: map[*recursion]int{}}
	for _, a := range m.Axioms {
		l.code.Axioms = append(l.code.Axioms, l.list(a.Term))
	}
	for _, t := range m.terms {
		if t.op == Order {
			l.code.Orders = append(l.code.Orders, l.list(t))
		}
	}
	return &l.code
}

type lister struct {
	code  Code
	at    map[*Term]int
	loops map[*recursion]int
}

// list is the index of a term, or -1 for none.
func (l *lister) list(t *Term) int {
	if t == nil {
		return -1
	}
	if i, ok := l.at[t]; ok {
		return i
	}
	in := Instruction{Op: t.op, Type: t.typ, Name: t.name, X: l.list(t.x), Y: l.list(t.y), Loop: -1}
	if t.op == Fixpoint {
		in.Loop = l.loop(t.rec)
		if i, ok := l.at[t]; ok { // the loop has listed it
			return i
		}
	}
	for _, x := range []int{in.X, in.Y} {
		if x >= 0 && t.open && l.code.Steps[x].Op != Fixpoint && l.code.Steps[x].Loop >= 0 {
			in.Loop = l.code.Steps[x].Loop
		}
	}
	return l.add(t, in)
}

func (l *lister) add(t *Term, in Instruction) int {
	l.at[t] = len(l.code.Steps)
	l.code.Steps = append(l.code.Steps, in)
	return l.at[t]
}

// loop lists a recursion, its variables first, its results last.
func (l *lister) loop(rec *recursion) int {
	if i, ok := l.loops[rec]; ok {
		return i
	}
	n := len(l.code.Loops)
	l.loops[rec] = n
	l.code.Loops = append(l.code.Loops, Loop{})
	var loop Loop
	for _, v := range rec.vars {
		loop.Variables = append(loop.Variables, l.add(v, Instruction{Op: Variable, Type: v.typ, X: -1, Y: -1, Loop: n}))
	}
	for _, b := range rec.bodies {
		loop.Bodies = append(loop.Bodies, l.list(b))
	}
	for _, f := range rec.fixed {
		loop.Results = append(loop.Results, l.add(f, Instruction{Op: Fixpoint, Type: f.typ, X: -1, Y: -1, Loop: n}))
	}
	l.code.Loops[n] = loop
	return n
}
