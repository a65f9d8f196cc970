package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// alike makes a program of n threads that are alike out of one with one thread:
// every thread has a cell of its own for the last cell, or, of two threads, each
// has x for the other's y; or they have all cells in common.
// With names, constants are numbers of the threads here and there.
func alike(rng *rand.Rand, p *program.Program, n int, names bool) {
	one := p.Threads[0]
	last := p.Memory[len(p.Memory)-1]
	kind := rng.IntN(3)
	if kind == 1 && (n > 2 || p.Memory[0].Type != p.Memory[1].Type || p.Memory[0].Init != p.Memory[1].Init) {
		kind = 0
	}
	mine := func(t int, addr program.Expr) program.Expr {
		k, ok := addr.(program.Const)
		switch {
		case !ok || t == 0:
		case kind == 0 && int64(k) == last.Addr:
			return k + program.Const(t)
		case kind == 1 && int64(k) == p.Memory[0].Addr:
			return program.Const(p.Memory[1].Addr)
		case kind == 1 && int64(k) == p.Memory[1].Addr:
			return program.Const(p.Memory[0].Addr)
		}
		return addr
	}
	// Here and there a constant is the thread's own.
	own := map[string]bool{}
	numbered := func(t int, c program.Command, at string) program.Command {
		if _, ok := own[at]; !ok {
			own[at] = names && rng.IntN(3) > 0
		}
		if own[at] {
			switch v := c.Value.(type) {
			case program.Const:
				if c.Op == program.Store || c.Op == program.Assign {
					c.Value = program.Const(5 + t)
				}
			case program.Binary:
				if _, ok := v.Y.(program.Const); ok && (v.Op == program.Eq || v.Op == program.Ne) {
					v.Y = program.Const(5 + t)
					c.Value = v
				}
			}
		}
		return c
	}
	again := func(t int) []program.Edge {
		var edges []program.Edge
		for i, e := range one.Edges {
			e.Cmd = numbered(t, e.Cmd, fmt.Sprint(i))
			e.Cmd.Addr = mine(t, e.Cmd.Addr)
			body := e.Cmd.Body
			e.Cmd.Body = nil
			for k, c := range body {
				c = numbered(t, c, fmt.Sprint(i, " ", k))
				c.Addr = mine(t, c.Addr)
				e.Cmd.Body = append(e.Cmd.Body, c)
			}
			edges = append(edges, e)
		}
		return edges
	}
	zero := again(0)
	for t := 1; t < n; t++ {
		th := *one
		th.Name = fmt.Sprintf("P%d", t)
		th.Edges = again(t)
		p.Threads = append(p.Threads, &th)
		if kind == 0 {
			c := last
			c.Addr += int64(t)
			c.Name += fmt.Sprint(t)
			p.Memory = append(p.Memory, c)
		}
	}
	one.Edges = zero
	// Properties that are the same for all, and now and then one that is not.
	p.Properties = nil
	at := func(t int, label string) program.Expr {
		return program.At{Thread: t, States: p.Threads[t].At(label)}
	}
	some := func(f func(t int) program.Expr) program.Expr {
		e := f(0)
		for t := 1; t < n; t++ {
			e = progtest.Or(f(t), e)
		}
		return e
	}
	reg, value := rng.IntN(2), int64(rng.IntN(3))
	isValue := func(t int) program.Expr { return progtest.Eq(program.ThreadReg{Thread: t, Reg: reg}, value) }
	switch rng.IntN(6) {
	case 0:
		for t := range n {
			for u := range t {
				p.Properties = append(p.Properties, program.Property{Kind: program.Forbid, Cond: progtest.And(at(t, "a"), at(u, "a"))})
			}
		}
	case 1:
		p.Properties = append(p.Properties, program.Property{Kind: program.Forbid, Cond: some(func(t int) program.Expr {
			return progtest.And(at(t, "b"), isValue(t), at((t+1)%n, "a"))
		})})
	case 2:
		p.Properties = append(p.Properties, program.Property{Kind: program.Exists, Cond: some(isValue)})
	case 3:
		p.Properties = append(p.Properties, program.Property{Kind: program.Forall, Cond: some(isValue)})
	case 4:
		p.Properties = append(p.Properties, program.Property{Kind: program.Forbid, Cond: progtest.And(at(0, "b"), isValue(0))})
	}
	if rng.IntN(2) == 0 {
		p.Properties = append(p.Properties, program.Property{Kind: program.Deadlock})
	}
	if rng.IntN(4) == 0 {
		p.Filter = some(func(t int) program.Expr { return program.NotExpr(isValue(t)) })
	}
}

// created makes p a program in which one more thread starts all others, and waits for them to end, some of them or all.
func created(rng *rand.Rand, p *program.Program) {
	cell := func(name string) program.Const {
		c := program.Cell{Name: name, Addr: 100 + int64(len(p.Memory)), Type: program.BoolType}
		p.Memory = append(p.Memory, c)
		return program.Const(c.Addr)
	}
	main := &program.Thread{Name: "main", States: []program.State{{Name: "q0"}}}
	step := func(c program.Command) {
		q := program.StateID(len(main.States))
		main.States = append(main.States, program.State{Name: fmt.Sprint("q", q)})
		main.Edges = append(main.Edges, program.Edge{From: q - 1, To: q, Cmd: c})
	}
	some := func() {
		if rng.IntN(6) == 0 {
			step(program.Command{Op: program.Store, Addr: program.Const(p.Memory[0].Addr), Value: program.Const(1)})
		}
	}
	block := func(text string, body ...program.Command) program.Command {
		return program.Command{Op: program.Atomic, Text: text, Body: body}
	}
	var joins []program.Command
	for i, t := range p.Threads {
		start, end := cell(fmt.Sprint("start", i)), cell(fmt.Sprint("end", i))
		th := *t
		th.Regs = append(slices.Clip(t.Regs), program.Register{Name: "started", Type: program.BoolType})
		th.States, th.Edges = slices.Clone(t.States), slices.Clone(t.Edges)
		ends := program.StateID(len(th.States))
		for q, out := range t.Out() {
			if len(out) == 0 && t.States[q].Kind == program.Plain {
				th.Edges = append(th.Edges, program.Edge{From: program.StateID(q), To: ends,
					Cmd: block("end", program.Command{Op: program.Store, Addr: end, Value: program.Const(1)})})
			}
		}
		th.States = append(th.States, program.State{Name: "ended"}, program.State{Name: "unstarted", Kind: program.Unstarted})
		th.Edges = append(th.Edges, program.Edge{From: ends + 1, To: t.Initial, Cmd: program.Start(len(t.Regs), int64(start), program.Tags{})})
		th.Initial = ends + 1
		p.Threads[i] = &th
		some()
		step(block("create", program.Command{Op: program.Store, Addr: start, Value: program.Const(1)}))
		main.Regs = append(main.Regs, program.Register{Name: fmt.Sprint("r", i), Type: program.BoolType})
		joins = append(joins, block("join", program.Command{Op: program.Load, Reg: i, Addr: end},
			program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: program.Reg(i), Y: program.Const(0)}}))
	}
	for _, join := range joins {
		if rng.IntN(10) > 0 {
			some()
			step(join)
		}
	}
	if rng.IntN(2) == 0 { // what the threads have left behind
		r := len(main.Regs)
		main.Regs = append(main.Regs, program.Register{Name: "x", Type: p.Memory[0].Type})
		step(program.Command{Op: program.Load, Reg: r, Addr: program.Const(p.Memory[0].Addr)})
		step(program.Command{Op: program.Assert, Value: program.Binary{Op: program.Ne, X: program.Reg(r), Y: program.Const(rng.IntN(3))}})
	}
	p.Threads = append(p.Threads, main)
}

// TestRandomSymmetry compares searches that make use of symmetry with the
// reference.
func TestRandomSymmetry(t *testing.T) {
	for _, shape := range []struct {
		name    string
		opts    randprog.Options
		threads int
		names   bool // threads have numbers
		created bool // by another thread
	}{
		{"two", randprog.Options{Commands: randprog.Range{Min: 2, Max: 5}, Assert: 2}, 2, false, false},
		{"three", randprog.Options{Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1, Assert: 1}, 3, false, false},
		{"locks", randprog.Options{Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: 5, AddrDep: -1}, 2, false, false},
		{"three with locks", randprog.Options{Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Lock: 5, AddrDep: -1, Havoc: -1}, 3, false, false},
		{"loops", randprog.Options{Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, CountLoop: 2, WaitLoop: 4, AddrDep: -1}, 2, false, false},
		{"names", randprog.Options{Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: 5, AddrDep: -1, Havoc: -1, Assert: 2}, 2, true, false},
		{"three with names", randprog.Options{Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1, Assert: 2}, 3, true, false},
		{"created", randprog.Options{Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1, Assert: 2}, 2, false, true},
		{"three created", randprog.Options{Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Havoc: -1, Assert: 1}, 3, true, true},
	} {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			shape.opts.Threads = randprog.Range{Min: 1, Max: 1}
			compared, symmetric, unsafe := 0, 0, 0
			var states, all int64
			for seed := range *programs {
				rng := rand.New(rand.NewPCG(seed, 17))
				p := randprog.New(rng, shape.opts)
				alike(rng, p, shape.threads, shape.names)
				if shape.created {
					created(rng, p)
				}
				if err := program.Sanity(p); err != nil {
					t.Fatal(err)
				}
				for _, m := range models {
					ref := reference.Search(p, m, 0, 3000)
					if ref.Unfinished {
						continue
					}
					compared++
					if len(ref.Violations) > 0 {
						unsafe++
					}
					for i, opts := range modes {
						opts.Model, opts.Symmetry, opts.MemoryLimit = m, Symmetry, 1<<28
						opts.NoLive = (seed+uint64(i/2))%4 == 0
						compare(t, fmt.Sprintf("seed %d, %s", seed, modeName(opts)), p, ref, opts)
						if t.Failed() {
							t.Fatalf("program:\n%v", reference.Dump(p))
						}
						res, err := Check(context.Background(), p, opts)
						if err != nil {
							continue
						}
						if opts.Reduction == NoReduction && res.Stat("symmetric orders") > 1 && len(ref.Violations) == 0 {
							symmetric++
							states += res.Stat("states")
							all += int64(ref.States)
						}
						if i != int(seed%8) {
							continue
						}
						for name, set := range stores(t) {
							o := opts
							set(&o)
							sameResult(t, fmt.Sprintf("seed %d, %s, %s", seed, modeName(o), name), res, check(t, p, o), o)
						}
					}
				}
			}
			t.Logf("%d comparisons, %d with violations; %d safe searches with symmetry: %d states of %d", compared, unsafe, symmetric, states, all)
			if symmetric == 0 {
				t.Error("no program is symmetric")
			}
		})
	}
}

// TestSymmetry says of which examples threads are exchanged, and of the others
// why not.
func TestSymmetry(t *testing.T) {
	for _, test := range []struct {
		file   string
		n      int64 // N, or 0
		orders int64
		note   string // what it contains
	}{
		{"spinlock", 3, 6, "symmetry of P[0], P[1], P[2]"},
		{"ticket-lock", 2, 2, "symmetry of P[0], P[1]"},
		{"dekker-simple", 0, 2, "symmetry of P0, P1"},
		{"sb-ring", 2, 2, "symmetry of P[0], P[1]"},
		{"peterson", 0, 0, "no symmetry: P1 is not like P0: it has 0 where that has 1 (line 26)"},
		{"sb-ring", 3, 0, "no symmetry: P[1] is not like P[0]: "},
		{"thesis/fig5.12", 2, 0, "it has "},
	} {
		var defines map[string]int64
		if test.n > 0 {
			defines = map[string]int64{"N": test.n}
		}
		p, err := lang.Load("../examples/"+test.file+".imp", defines)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			for _, opts := range modes {
				if opts.Reduction == LocalFirst {
					continue
				}
				opts.Model, opts.Buffer = m, 2 // depth-first, Peterson stores for ever
				plain, err := Check(context.Background(), p, opts)
				if err != nil {
					t.Fatal(err)
				}
				opts.Symmetry = Symmetry
				res, err := Check(context.Background(), p, opts)
				if err != nil || res.Verdict() != plain.Verdict() {
					t.Fatalf("%s, %s: %+v, %v, want %v", test.file, modeName(opts), res, err, plain.Verdict())
				}
				if n := res.Stat("symmetric orders"); n != test.orders || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], test.note) {
					t.Errorf("%s, %s: %d orders, notes %q", test.file, modeName(opts), n, res.Notes)
				}
			}
		}
	}
}

// TestNoSymmetry has what symmetry is not for.
func TestNoSymmetry(t *testing.T) {
	p := progtest.Figure42(t)
	for _, opts := range []Options{{Reduction: LocalFirst}, {Model: memory.PSO}} {
		opts.Symmetry = Symmetry
		res, err := Check(context.Background(), p, opts)
		if err != nil || len(res.Notes) != 1 || !strings.HasPrefix(res.Notes[0], "no symmetry: ") {
			t.Errorf("%s: %+v, %v", modeName(opts), res, err)
		}
	}
	_, res, err := FinalStates(context.Background(), p, Options{Symmetry: Symmetry})
	if err != nil || len(res.Notes) != 1 || !strings.HasPrefix(res.Notes[0], "no symmetry: ") {
		t.Errorf("final states: %+v, %v", res, err)
	}
}

// TestSymmetricEnds: threads of which one ends where the other gives up are not alike,
// though their edges are.
func TestSymmetricEnds(t *testing.T) {
	b := progtest.New(1)
	for range 2 {
		b.Thread().Store(progtest.X, program.Const(1))
	}
	p := b.Property(program.Exists, progtest.Eq(program.Mem{Addr: 0, Name: "x"}, 1)).Build(t)
	if res := check(t, p, Options{Symmetry: Symmetry}); !res.Unsafe() || res.Stat("symmetric orders") != 2 {
		t.Errorf("%v, %v", res.Verdict(), res.Notes)
	}
	p.Threads[1].States[len(p.Threads[1].States)-1].Kind = program.GivenUp
	if res := check(t, p, Options{Symmetry: Symmetry}); !res.Safe() || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "its automaton is another") {
		t.Errorf("%v, %v", res.Verdict(), res.Notes)
	}
}

// TestOthers: a thread that has to do with cells that are exchanged tells threads apart, unless it treats all of these
// alike at the same time. It comes to its end, or to a mistake, after one thread has passed, and not after another.
func TestOthers(t *testing.T) {
	const cells = "variables g, x, y, f1 = 0, f2 = 0, f3 = 0"
	const waits = "r := f1; assume r != 0; r := f2; assume r != 0; r := f3; assume r != 0; "
	other := func(block string) string { return "process Q local r, s, t begin atomic begin " + block }
	// What has been chosen three times is in the cells.
	const chosen = "choose f# := 1 [] f# := 2; x := # end"
	for name, test := range map[string]struct {
		head, thread, rest string
		unsafe             bool
		orders             int64
	}{
		"one":         {cells, once + "f# := 1", "process Q local r begin r := f1; assert r = 0 end", true, 2},
		"all":         {cells, once + "f# := 1", other(waits + "r := 0 end; assert false end"), false, 6},
		"all, stored": {cells, "atomic begin assume f# != 0 and g = 0; g := 1 end; r := f#; assert r = 2", other("f1 := 2; f2 := 2; f3 := 2 end end"), false, 6},
		"all, stored from a register": {cells, "atomic begin assume f# != 0 and g = 0; g := 1 end; r := f#; assert r = 3",
			"process Q local r begin r := any(2..3); atomic begin f3 := r; f2 := r; f1 := r end end", true, 6},
		"others stored":                        {cells, "atomic begin assume f# != 0 and g = 0; g := 1 end; r := f#; assert r != 1", other("f1 := 1; f2 := 2; f3 := 3 end end"), true, 0},
		"not all":                              {cells, once + "f# := 1", other("r := f1; assume r != 0; r := f2; assume r != 0; r := 0 end; assert false end"), false, 2},
		"the last is known":                    {cells, chosen, other(waits + "y := 5 end; s := x; assert not (r = 1 and s = 1) end"), true, 0},
		"the last is known, another forgotten": {cells, chosen, other(waits + "s := 0 end; s := x; assert not (r = 1 and s = 1) end"), true, 0},
		"the last is computed of":              {cells, chosen, other(waits + "r := -r end; s := x; assert not (r = -1 and s = 1) end"), true, 0},
		"stored in between": {cells, "choose " + once + "f# := 1 [] atomic begin s := f#; assume s = 7 end; assert false end",
			other("r := f1; assume r != 0; f2 := 7; assume r != 0; r := 0 end end"), true, 0},
		"another register":     {cells, once + "f# := 1", other("r := f1; assume r != 0; s := f2; assume r != 0; s := f3; assume r != 0; r := 0 end; assert false end"), true, 0},
		"not waited for":       {cells, once + "f# := 1", other("r := f1; assume r != 0; r := f2; s := r != 0; r := f3; t := r != 0; r := 0 end; assert false end"), true, 0},
		"waited for otherwise": {cells, once + "f# := 1", other("r := f1; assume r != 0; r := f2; assume r = 0; r := f3; assume r = 0; r := 0 end; assert false end"), true, 0},
		"any":                  {"variables g, a[4]", once + "a[#] := 1", other("r := a[1]; assume r != 0; s := 2; r := a[s & 3]; assume r != 0; r := 0 end; assert false end"), false, 0},
	} {
		p, err := lang.Parse(&program.Source{Name: "n.imp", Text: named(test.head, test.thread, test.rest)}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			for _, opts := range modes {
				if opts.Reduction == LocalFirst {
					continue
				}
				for range 2 {
					opts.Model, opts.NoLive = m, !opts.NoLive
					plain := check(t, p, opts)
					opts.Symmetry = Symmetry
					res := check(t, p, opts)
					if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() || res.Stat("symmetric orders") != test.orders {
						t.Errorf("%s, %s: %v with symmetry of %d, %v without", name, modeName(opts), res.Verdict(), res.Stat("symmetric orders"), plain.Verdict())
					}
					opts.Symmetry = NoSymmetry
				}
			}
		}
	}
}

// TestDifferent: three threads of which one is changed are not all alike.
func TestDifferent(t *testing.T) {
	only := func(ops ...program.Op) func(*program.Thread, func(*program.Edge)) {
		return func(th *program.Thread, f func(*program.Edge)) {
			for i := range th.Edges {
				if slices.Contains(ops, th.Edges[i].Cmd.Op) {
					f(&th.Edges[i])
				}
			}
		}
	}
	for name, test := range map[string]struct {
		text   string
		change func(th *program.Thread)
		unsafe bool
	}{
		"edges": {named("variables g", once+"if r = 0 then skip else assert false fi", ""), func(th *program.Thread) {
			var to []*program.StateID
			only(program.Check)(th, func(e *program.Edge) {
				if !e.Cmd.IsSkip() {
					to = append(to, &e.To)
				}
			})
			*to[0], *to[1] = *to[1], *to[0]
		}, true},
		"types": {named("variables g, x = 300", once+"r := x; assert r = 300", ""), func(th *program.Thread) { th.Regs[0].Type = program.Int8Type }, true},
		"begin": {named("variables g", "s := 1; "+once+"assert s = 1", ""), func(th *program.Thread) { th.Initial = th.Edges[0].To }, true},
		"registers": {named("variables g, x = 1", once+"r1 := x; assert r2 = 0", ""), func(th *program.Thread) {
			only(program.Load)(th, func(e *program.Edge) { e.Cmd.Reg++ })
		}, true},
		"choices": {named("variables g", once+"r := any(1..2); assert r != 3", ""), func(th *program.Thread) { only(program.Havoc)(th, func(e *program.Edge) { e.Cmd.Hi = 3 }) }, true},
		"low":     {named("variables g", once+"r := any(1..2); assert r != 0", ""), func(th *program.Thread) { only(program.Havoc)(th, func(e *program.Edge) { e.Cmd.Lo = 0 }) }, true},
		"assumptions": {named("variables g", once+"assume r = 1", ""), func(th *program.Thread) {
			only(program.Check)(th, func(e *program.Edge) { e.Cmd.Op = program.Assert })
		}, true},
		"blocks": {named("variables g, x", once+"atomic begin r := 1; x := 1; r := 0 end; assert r = 0", ""), func(th *program.Thread) {
			e := &th.Edges[1]
			e.Cmd.Body = e.Cmd.Body[:2]
		}, true},
		"assertions": {named("variables g", once+"assert r = 0", ""), func(th *program.Thread) {
			only(program.Assert)(th, func(e *program.Edge) { e.Cmd.Kind = program.Bound })
		}, false},
		"fences": {named("variables g, x", once+"x := 1; fence; g := 2", "process Q local r, s begin atomic begin assume g = 2 end; r := x; assert r = 1 end"), func(th *program.Thread) {
			only(program.Fence)(th, func(e *program.Edge) { e.Cmd.Tags = program.NewTags(program.TagSFence) })
		}, false},
		"wide": {named("variables g, x, y", "atomic begin x := 1; y := 1 end; r := x; assert r = 1", ""), func(th *program.Thread) {
			only(program.Atomic)(th, func(e *program.Edge) { e.Cmd.Wide = true })
		}, false},
		"cells": {named("variables g, f1, f2, f3", once+"f# := 1; r := f1; assert r = 0", ""), func(*program.Thread) {}, true},
		"addresses": {named("variables g, a[4]", once+"r1 := 1; a[0] := 7", "process Q local r begin r := a[1]; assert r != 7 end"), func(th *program.Thread) {
			only(program.Store)(th, func(e *program.Edge) { e.Cmd.Addr = program.Binary{Op: program.Add, X: program.Reg(2), Y: e.Cmd.Addr} })
		}, true},
	} {
		for k := range 3 {
			p, err := lang.Parse(&program.Source{Name: "n.imp", Text: test.text}, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			test.change(p.Threads[k])
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				for _, opts := range []Options{{Model: m}, {Model: m, Reduction: NoReduction, NoLive: true}} {
					plain := check(t, p, opts)
					opts.Symmetry = Symmetry
					res := check(t, p, opts)
					if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() || res.Stat("symmetric orders") > 2 {
						t.Errorf("%s of %d, %s: %v with symmetry of %d, %v without", name, k, m, res.Verdict(), res.Stat("symmetric orders"), plain.Verdict())
					}
				}
			}
		}
	}
}
