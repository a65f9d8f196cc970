package randc

import (
	"fmt"
	"strings"
)

// free is the context of a full expression.
func (g *gen) free(depth int) context { return context{depth: depth} }

// body writes the statements of a function, about n of them, and then what end does.
func (g *gen) body(n int, end func()) {
	vars, loops := len(g.vars), g.loops
	g.indent++
	label := ""
	if g.p(30) {
		label = g.id("out")
		g.labels = append(g.labels, label)
	}
	g.locals(1 + g.rng.IntN(4))
	for range n {
		g.statement(2)
	}
	if label != "" {
		g.labels = g.labels[:len(g.labels)-1]
		g.line("%s:;", label)
	}
	end()
	g.indent--
	g.vars, g.loops = g.vars[:vars], loops
}

// locals declares variables.
func (g *gen) locals(n int) {
	for range n {
		if g.opts.Pointers && g.p(30) && g.pointer() {
			continue
		}
		v := g.object(g.id("l"))
		v.local = true
		storage := ""
		if g.p(10) && !g.noGlob && !g.constG {
			storage = "static "
			g.declare(storage, v, func(*typ) string { return g.constant(1).s })
		} else {
			v.konst = v.t != nil && v.len == 0 && g.p(8)
			g.declare(storage, v, func(*typ) string {
				// The values of a list are not sequenced.
				return g.expr(context{depth: 2, pure: true}).s
			})
		}
		g.vars = append(g.vars, v)
	}
}

// pointer declares a pointer to or into a variable.
func (g *gen) pointer() bool {
	var targets []variable
	for _, v := range g.vars {
		if v.ptr == nil && !v.konst && !v.atomic && !(g.noGlob && v.global) && !(g.constG && v.global) {
			targets = append(targets, v)
		}
	}
	if len(targets) == 0 {
		return false
	}
	v := pick(g, targets)
	name := g.id("p")
	p := variable{name: name, obj: name, local: true, t: v.t, rec: v.rec, ptr: set{v.obj: true}}
	t := ""
	if v.rec != nil {
		t = v.rec.name
	} else {
		t = g.write(v.t)
	}
	if v.len > 0 {
		w := v
		p.into = &w
		p.len = v.len
		g.line("volatile %s *%s = %s;", t, name, pick(g, []string{v.name, fmt.Sprintf("&%s[%d]", v.name, g.rng.IntN(v.len)), fmt.Sprintf("%s + %d", v.name, g.rng.IntN(v.len))}))
	} else {
		// Perhaps to one of two.
		var same []variable
		for _, u := range targets {
			if u.len == 0 && u.t == v.t && u.rec == v.rec && u.name != v.name {
				same = append(same, u)
			}
		}
		if len(same) > 0 && g.p(50) {
			u := pick(g, same)
			p.ptr[u.obj] = true
			g.line("volatile %s *%s = %s ? &%s : &%s;", t, name, g.expr(context{depth: 1, pure: true}).s, v.name, u.name)
		} else {
			g.line("volatile %s *%s = &%s;", t, name, v.name)
		}
	}
	g.vars = append(g.vars, p)
	return true
}

// block writes some statements in braces.
func (g *gen) block(depth int) {
	vars := len(g.vars)
	g.indent++
	if g.p(25) {
		g.locals(1)
	}
	for range 1 + g.rng.IntN(2) {
		g.statement(depth)
	}
	g.indent--
	g.vars = g.vars[:vars]
}

// statement writes one.
func (g *gen) statement(depth int) {
	n := g.rng.IntN(100)
	if depth <= 0 {
		n %= 50
	}
	switch {
	case n < 33:
		s, _, _, _ := g.assign(g.free(3))
		if s == "" {
			s = g.expr(g.free(3)).s
		}
		g.line("%s;", s)
	case n < 38:
		g.line("%s;", g.increment(g.free(1)).s)
	case n < 40:
		g.line("%s;", g.expr(g.free(3)).s)
	case n < 44:
		g.callStatement()
	case n < 47:
		g.movePointer()
	case n < 50:
		g.jump()
	case n < 68:
		g.line("if (%s) {", g.expr(g.free(3)).s)
		g.block(depth - 1)
		if g.p(50) {
			g.line("} else {")
			g.block(depth - 1)
		}
		g.line("}")
	case n < 82:
		if g.loops >= 2 {
			g.statement(0)
			return
		}
		g.loop(depth)
	case n < 92:
		g.choice(depth)
	case n < 94:
		g.again(depth)
	case n < 96 && g.opts.Structs:
		g.copyRecord()
	default:
		g.line("{")
		g.block(depth - 1)
		g.line("}")
	}
}

// copyRecord assigns a whole structure.
func (g *gen) copyRecord() {
	var rs []variable
	for _, v := range g.vars {
		if v.rec != nil && v.ptr == nil && !(g.noGlob && v.global) {
			rs = append(rs, v)
		}
	}
	if len(rs) == 0 {
		return
	}
	name := func(v variable) string {
		if v.len > 0 {
			return fmt.Sprintf("%s[%d]", v.name, g.rng.IntN(v.len))
		}
		return v.name
	}
	x := pick(g, rs)
	if g.constG && x.global {
		return
	}
	if g.p(40) {
		w := x
		w.len = 0
		g.line("%s = (%s)%s;", name(x), x.rec.name, g.initial(w, func(*typ) string { return g.expr(context{depth: 1, pure: true}).s }))
		return
	}
	for _, y := range rs {
		if y.rec == x.rec {
			g.line("%s = %s;", name(x), name(y))
			return
		}
	}
}

func (g *gen) movePointer() {
	for _, v := range g.vars {
		if v.into == nil || v.into.len == 0 || g.noGlob && v.global || g.p(30) {
			continue
		}
		a, n := v.into.name, v.into.len
		switch g.rng.IntN(4) {
		case 0:
			g.line("if (%s < %s + %d) %s;", v.name, a, n-1, pick(g, []string{v.name + "++", "++" + v.name, v.name + " += 1"}))
		case 1:
			g.line("if (%s > %s) %s;", v.name, a, pick(g, []string{v.name + "--", "--" + v.name, v.name + " -= 1"}))
		default:
			l := &lvalue{reads: set{}, writes: set{}}
			i := g.index(g.free(2), n, set{v.obj: true}, l)
			g.line("%s = %s;", v.name, pick(g, []string{fmt.Sprintf("%s + %s", a, i), fmt.Sprintf("&%s[%s]", a, i), fmt.Sprintf("%s + %s", i, a)}))
		}
		return
	}
	g.statement(0)
}

// callStatement calls any function.
func (g *gen) callStatement() {
	var fs []function
	for _, f := range g.funcs {
		if (f.pure || !g.constG && !g.noGlob) && !(f.reads && g.noGlob) {
			fs = append(fs, f)
		}
	}
	if len(fs) == 0 || g.noCalls {
		g.line(";")
		return
	}
	f := pick(g, fs)
	var args []string
	if f.array != nil {
		for _, v := range g.vars {
			if v.ptr == nil && v.rec == nil && v.len >= 4 && v.t == f.array && !v.atomic && !(g.constG && v.global) && !(g.noGlob && v.global) {
				args = []string{v.name}
			}
		}
		if args == nil {
			args = []string{fmt.Sprintf("(%s[]){ %s, 2, 3, 4 }", f.array, g.expr(context{depth: 1, pure: true}).s)}
		}
	}
	for range f.params {
		args = append(args, g.expr(context{depth: 2, pure: true}).s)
	}
	s := f.name + "(" + strings.Join(args, ", ") + ")"
	var local []variable
	for _, v := range g.vars {
		if v.local && v.t != nil && v.len == 0 && v.ptr == nil && !v.konst {
			local = append(local, v)
		}
	}
	if f.result != nil && len(local) > 0 && g.p(80) {
		s = pick(g, local).name + " = " + s
	}
	g.line("%s;", s)
}

// jump leaves something.
func (g *gen) jump() {
	var js []string
	if g.inLoop {
		js = append(js, "continue")
	}
	if g.inBreak {
		js = append(js, "break")
	}
	for _, l := range g.labels {
		js = append(js, "goto "+l)
	}
	if len(js) == 0 {
		g.line(";")
		return
	}
	g.line("if (%s) %s;", g.expr(g.free(2)).s, pick(g, js))
}

// again is a loop by goto.
func (g *gen) again(depth int) {
	if g.loops >= 2 {
		return
	}
	c, label := g.id("c"), g.id("again")
	g.line("{")
	g.line("\tint %s = 0;", c)
	g.line("%s:", label)
	g.loops++
	g.block(depth - 1)
	g.loops--
	g.line("\tif (++%s < %d) goto %s;", c, 2+g.rng.IntN(2), label)
	g.line("}")
}

// loop is while, do or for, whose counter is no variable that its body writes.
func (g *gen) loop(depth int) {
	i := g.id("n")
	t := pick(g, types[1:])
	n := 1 + g.rng.IntN(4)
	inLoop, inBreak := g.inLoop, g.inBreak
	g.inLoop, g.inBreak = true, true
	g.loops++
	vars := len(g.vars)
	inner := func() {
		g.vars = append(g.vars, variable{name: i, obj: i, t: t, konst: true, local: true})
		g.block(depth - 1)
		g.vars = g.vars[:vars]
	}
	switch g.rng.IntN(6) {
	case 0:
		g.line("for (%s %s = 0; %s < %d; %s) {", g.write(t), i, i, n, pick(g, []string{i + "++", "++" + i, i + " += 1"}))
		inner()
		g.line("}")
	case 1:
		g.line("for (%s %s = %d; %s-- > 0;) {", g.write(t), i, n, i)
		inner()
		g.line("}")
	case 2:
		g.line("{ %s %s = %d;", g.write(t), i, n)
		g.line("while (%s--) {", i)
		inner()
		g.line("} }")
	case 3:
		g.line("{ %s %s = 0;", g.write(t), i)
		g.line("do {")
		inner()
		g.line("} while (++%s < %d); }", i, n)
	case 4:
		k := g.id("k")
		g.line("{ %s %s; int %s;", g.write(t), i, k)
		g.line("for (%s = 0, %s = %d; %s; %s--, %s++) {", k, i, n, i, i, k)
		inner()
		g.line("} }")
	default: // another condition, too
		g.line("for (%s %s = 0; %s < %d && %s; %s++) {", g.write(t), i, i, n, g.expr(g.free(2)).s, i)
		inner()
		g.line("}")
	}
	g.loops--
	g.inLoop, g.inBreak = inLoop, inBreak
}

// choice is a switch.
func (g *gen) choice(depth int) {
	e := g.expr(g.free(3))
	mask := pick(g, []int{3, 7, 3, 255})
	t := usual(e.t, intT)
	s := fmt.Sprintf("%s & %d", e.s, mask)
	if g.p(30) {
		t = g.typ()
		s = fmt.Sprintf("(%s)%s", g.write(t), e.s)
		t = promote(t)
	}
	inBreak := g.inBreak
	g.inBreak = true
	duff := g.p(10) && g.loops < 2
	seen := map[int64]bool{}
	c := g.id("c")
	if duff {
		g.line("{ int %s = 0;", c)
	}
	g.line("switch (%s) {", s)
	wrap := func(k int64) int64 {
		switch {
		case t.bits == 32 && t.signed:
			return int64(int32(k))
		case t.bits == 32:
			return int64(uint32(k))
		}
		return k
	}
	label := func() {
		for range 1 + g.rng.IntN(2) {
			k := int64(g.rng.IntN(min(mask, 7) + 1))
			switch {
			case g.p(10):
				k = -k
			case g.p(10):
				k = pick(g, []int64{127, 128, 255, -128, 65535, -1, 1 << 31, 1<<32 - 1, -1 << 31})
			}
			if seen[wrap(k)] {
				continue
			}
			seen[wrap(k)] = true
			g.line("case %d:", k)
		}
	}
	other := g.rng.IntN(6)
	if duff {
		g.line("case 0: case 1:")
		seen[0], seen[1] = true, true
		g.line("do {")
		g.loops++
	}
	for i := range 2 + g.rng.IntN(3) {
		label()
		if i == other {
			g.line("default:;")
		}
		g.line("{")
		g.block(depth - 1)
		g.line("}")
		if g.p(60) && !duff {
			g.line("break;")
		}
	}
	if duff {
		g.loops--
		g.line("} while (++%s < 3); }", c)
	}
	g.line("}")
	g.inBreak = inBreak
}

// function writes a function.
func (g *gen) function() {
	f := function{name: g.prefix + g.id("f"), result: g.typ(), pure: g.p(60)}
	if f.pure {
		f.reads = g.p(40)
	} else if g.p(20) {
		f.result = nil
	}
	vars := g.vars
	glob, konst := g.noGlob, g.constG
	defer func() { g.vars, g.noGlob, g.constG = vars, glob, konst; g.funcs = append(g.funcs, f) }()
	g.noGlob, g.constG = f.pure && !f.reads, f.pure
	var ps []string
	if g.opts.Pointers && g.opts.Arrays && g.p(30) {
		f.array = g.typ()
		f.pure, f.reads = true, false // but for what its parameter points to
		g.noGlob, g.constG = true, true
		a := variable{name: "a", obj: "a", t: f.array, len: 4, local: true}
		g.vars = append(g.vars[:len(g.vars):len(g.vars)], a)
		ps = append(ps, fmt.Sprintf(pick(g, []string{"volatile %s *a", "volatile %s a[4]", "volatile %s a[]"}), g.write(f.array)))
	}
	for i := range g.rng.IntN(4) {
		t := g.typ()
		f.params = append(f.params, t)
		name := fmt.Sprintf("x%d", i)
		g.vars = append(g.vars[:len(g.vars):len(g.vars)], variable{name: name, obj: name, t: t, local: true})
		ps = append(ps, g.write(t)+" "+name)
	}
	if len(ps) == 0 {
		ps = []string{"void"}
	}
	result := "void"
	if f.result != nil {
		result = g.write(f.result)
	}
	g.line("static %s %s(%s) {", result, f.name, strings.Join(ps, ", "))
	g.noCalls = g.p(50)
	g.body(1+g.rng.IntN(2), func() {
		if f.result == nil {
			return
		}
		if g.p(30) {
			g.line("if (%s) return %s;", g.expr(g.free(2)).s, g.expr(g.free(2)).s)
		}
		g.line("return %s;", g.expr(g.free(3)).s)
	})
	g.noCalls = false
	g.line("}")
}
