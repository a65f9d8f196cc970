package trust

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var manyAdditions = flag.Int("many.additions", 60, "how many random programs with additions TestAdditions compares")

// adding is a random program in which threads add to two cells that they do nothing else with, and a thread that reads
// these when it has joined the others, or some of them.
func adding(seed uint64) *program.Program {
	rng := rand.New(rand.NewPCG(seed, 9))
	p := random(seed, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2},
		Values: 1, Fence: -1 + 3*int(seed%2), RMW: 1, Atomic: int(seed/6%4)/3*2 - 1, Lock: int(seed/6%4)/3*2 - 1, Havoc: -1, AddrDep: -1, WaitLoop: int(seed / 3 % 2), Plain: true})
	c11 := p.Arch == program.C11
	tags := func(names ...string) program.Tags {
		if !c11 {
			return program.Tags{}
		}
		return program.NewTags(names[rng.IntN(len(names))])
	}
	last := p.Memory[len(p.Memory)-1].Addr
	types := []program.Type{program.Int32Type, program.Int8Type, {Bits: 3, Signed: false}}
	cell := func(name string, typ program.Type, init int64) program.Const {
		last++
		p.Memory = append(p.Memory, program.Cell{Addr: last, Name: name, Type: typ, Init: init})
		return program.Const(last)
	}
	var sums []program.Const
	var ops []program.BinaryOp
	for _, name := range []string{"a", "b"} {
		sums = append(sums, cell(name, types[rng.IntN(3)], int64(rng.IntN(4))))
		ops = append(ops, []program.BinaryOp{program.Add, program.Add, program.BitOr, program.BitXor, program.BitAnd}[rng.IntN(5)])
	}
	stored := rng.IntN(4) == 0
	ended := []program.Const{}
	for t, th := range p.Threads {
		for range 1 + rng.IntN(2) {
			k := rng.IntN(2)
			old := len(th.Regs)
			th.Regs = append(th.Regs, program.Register{Name: fmt.Sprintf("old%d", old), Type: program.Int32Type, Temp: rng.IntN(20) > 0})
			op := ops[k]
			if op == program.Add && rng.IntN(3) == 0 {
				op = program.Sub
			}
			var by program.Expr = program.Const(rng.IntN(256))
			if rng.IntN(4) == 0 {
				by = program.Reg(0)
			}
			c := program.FetchOp("fetch", op, old, sums[k], by, program.Position{})
			order := tags("RLX", "RLX", "RLX", "RLX", "RLX", "ACQ_REL")
			c.Body[0].Tags, c.Body[1].Tags = order, order
			if len(th.Edges) == 0 {
				th.States = append(th.States, program.State{Name: "more"})
				th.Edges = append(th.Edges, program.Edge{From: th.Initial, To: program.StateID(len(th.States) - 1), Cmd: c})
				continue
			}
			e := rng.IntN(len(th.Edges))
			at := program.StateID(len(th.States))
			th.States = append(th.States, program.State{Name: fmt.Sprintf("add%d", at)})
			th.Edges = append(th.Edges, program.Edge{From: at, To: th.Edges[e].To, Cmd: c})
			th.Edges[e].To = at
		}
		end := cell(fmt.Sprintf("ended%d", t), program.BoolType, 0)
		out := th.Out()
		done := program.StateID(len(th.States))
		th.States = append(th.States, program.State{Name: "done"})
		for q := range out {
			if len(out[q]) == 0 && th.States[q].Kind == program.Plain {
				th.Edges = append(th.Edges, program.Edge{From: program.StateID(q), To: done, Cmd: program.Command{Op: program.Store, Addr: end, Value: program.Const(1), Tags: tags("REL", "REL", "REL", "RLX")}})
			}
		}
		ended = append(ended, end)
	}
	j := &program.Thread{Name: "J", States: []program.State{{Name: "q0"}}, Regs: []program.Register{{Name: "j", Type: program.Int32Type, Temp: true}, {Name: "s", Type: program.Int32Type}}}
	emit := func(c program.Command) {
		j.States = append(j.States, program.State{Name: fmt.Sprintf("q%d", len(j.States))})
		n := program.StateID(len(j.States) - 1)
		j.Edges = append(j.Edges, program.Edge{From: n - 1, To: n, Cmd: c})
	}
	if stored {
		emit(program.Command{Op: program.Store, Addr: sums[0], Value: program.Const(2), Tags: tags("RLX", "", "SC")})
		start := cell("start", program.BoolType, 0)
		emit(program.Command{Op: program.Store, Addr: start, Value: program.Const(1), Tags: tags("REL", "REL", "REL", "RLX")})
		for _, th := range p.Threads {
			if rng.IntN(8) > 0 {
				th.States = append(th.States, program.State{Name: "begin"})
				begin := program.StateID(len(th.States) - 1)
				th.Regs = append(th.Regs, program.Register{Name: "go", Type: program.BoolType, Temp: true})
				th.Edges = append(th.Edges, program.Edge{From: begin, To: th.Initial, Cmd: program.Start(len(th.Regs)-1, int64(start), tags("ACQ", "ACQ", "ACQ", "RLX"))})
				th.Initial = begin
			}
		}
	}
	for _, end := range ended {
		if rng.IntN(10) > 0 {
			emit(program.Start(0, int64(end), tags("ACQ", "ACQ", "ACQ", "ACQ", "ACQ", "RLX")))
		}
	}
	if rng.IntN(4) > 0 {
		emit(program.Command{Op: program.Load, Reg: 1, Addr: sums[rng.IntN(2)], Tags: tags("RLX", "ACQ", "")})
		if rng.IntN(2) == 0 {
			emit(program.Command{Op: program.Assert, Value: program.Binary{Op: program.Ne, X: program.Reg(1), Y: program.Const(rng.IntN(4))}})
		}
	}
	p.Threads = append(p.Threads, j)
	if rng.IntN(2) == 0 {
		p.Properties = []program.Property{{Kind: program.Exists, Cond: program.Binary{Op: program.LogicalAnd,
			X: program.Binary{Op: program.Eq, X: program.Mem{Addr: int64(sums[0])}, Y: program.Const(rng.IntN(4))},
			Y: program.Binary{Op: program.Ne, X: program.Mem{Addr: int64(sums[1])}, Y: program.Mem{Addr: p.Memory[0].Addr}}}}}
	}
	return p
}

// unorderedName is the same for graphs that differ in nothing but the order of additions to these cells. The thread
// that reads them does not add.
func unorderedName(x *explorer, cells []string, reader int32) string {
	var b strings.Builder
	g := x.g
	for _, es := range g.threads {
		for _, e := range es {
			ev := &g.events[e]
			sum := access(ev) && slices.Contains(cells, x.ranges.Cells[ev.cell].Name)
			if sum && ev.thread != reader {
				fmt.Fprint(&b, "+ ")
				continue
			}
			fmt.Fprint(&b, ev.kind, ev.half, ev.cell, " ", ev.value)
			if !sum && ev.kind == read {
				fmt.Fprint(&b, "<", g.events[ev.rf].thread, ".", g.events[ev.rf].index)
			} else if !sum && ev.kind == write {
				fmt.Fprint(&b, "@", ev.place)
			}
			b.WriteByte(' ')
		}
		b.WriteByte('|')
	}
	return b.String()
}

// TestAdditions compares what is explored with additions that are left unordered with what is explored otherwise.
func TestAdditions(t *testing.T) {
	compared, left, fewer, unsafe := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for seed := *manyFirst; seed < *manyFirst+uint64(*manyAdditions); seed++ {
		p := adding(seed)
		if err := program.Sanity(p); err != nil {
			t.Fatal(seed, err)
		}
		for name, def := range modelsOf(t, p) {
			if refusal(p, def, verdict.FinalStates) != "" || name == "relaxed" {
				continue
			}
			opts := Options{Model: def.Model, Definition: def, MemoryLimit: 1 << 30, MaxGraphs: 300}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			want, all, err := FinalStates(ctx, p, opts)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if !all.Safe() {
				continue
			}
			of := fmt.Sprintf("seed %d, %s", seed, name)
			opts.Commute = true
			opts.Workers = 1 + int(seed%2)
			got, some, err := FinalStates(t.Context(), p, opts)
			if err != nil {
				t.Fatalf("%s: %v\n%s", of, err, reference.Dump(p))
			}
			if !some.Safe() || len(want)+len(got) > 0 && !reflect.DeepEqual(want, got) {
				t.Fatalf("%s: final states\n%v, and with additions unordered (%s %s)\n%v\n%s", of, want, some.Reason(), some.Notes, got, reference.Dump(p))
			}
			compared[name]++
			var cells []string
			for _, n := range some.Notes {
				if _, names, ok := strings.Cut(n, "counted once: to "); ok {
					cells = strings.Split(names, ", ")
				}
			}
			if cells != nil {
				left[name]++
				// As many graphs as there are classes.
				plain := opts
				plain.Commute, plain.Workers, plain.Hopeless, opts.Hopeless = false, 1, true, true
				classes := map[string]bool{}
				x, err := newExplorer(t.Context(), p, def, plain, func(*abstract.State) {})
				if err != nil {
					t.Fatal(err)
				}
				x.leafed = func() { classes[unorderedName(x, cells, int32(len(p.Threads)-1))] = true }
				x.visit()
				_, some, err := FinalStates(t.Context(), p, opts)
				if err != nil {
					t.Fatal(err)
				}
				if n := some.Stat("executions") + some.Stat("blocked") + some.Stat("cut"); n != int64(len(classes)) {
					t.Fatalf("%s: %d graphs with additions to %v unordered, not %d\n%s", of, n, cells, len(classes), reference.Dump(p))
				}
				opts.Hopeless = false
				if some.Stat("executions") < all.Stat("executions") {
					fewer[name]++
				}
			}
			verdicts := []string{}
			for _, commute := range []bool{false, true} {
				opts.Commute = commute
				res, err := Explore(t.Context(), p, opts)
				if err != nil {
					t.Fatalf("%s, unordered %v: %v\n%s", of, commute, err, reference.Dump(p))
				}
				verdicts = append(verdicts, fmt.Sprint(res.Verdict()))
				if commute && res.Unsafe() && cells != nil {
					unsafe++
				}
			}
			if verdicts[0] != verdicts[1] {
				t.Fatalf("%s: %s\n%s", of, verdicts, reference.Dump(p))
			}
		}
	}
	t.Logf("compared %v, left unordered %v, fewer executions %v; %d unsafe", compared, left, fewer, unsafe)
}

// TestWhichAdditions has two threads that change x, and store that they have ended, and one that reads x when it has seen that.
func TestWhichAdditions(t *testing.T) {
	add, and := program.Add, program.BitAnd
	for _, tt := range []struct {
		name     string
		ops      [2]program.BinaryOp
		order    string // of the operations; "": of a program for x86
		ended    [2]string
		fence    string
		m        memory.Model
		want     string // in a note
		n, final int64  // executions, and what x is in the end
	}{
		{"joined", [2]program.BinaryOp{add, program.Sub}, "", [2]string{}, "", memory.TSO, "counted once: to x", 1, 7},
		{"bits", [2]program.BinaryOp{and, and}, "", [2]string{}, "", memory.PSO, "counted once: to x", 1, 2},
		{"mixed", [2]program.BinaryOp{add, and}, "", [2]string{}, "", memory.SC, "there is no cell", 2, -1},
		{"ra", [2]program.BinaryOp{add, add}, "", [2]string{}, "", memory.RA, "synchronize under the model ra", 2, 17},
		{"relaxed", [2]program.BinaryOp{add, add}, "RLX", [2]string{"REL", "ACQ"}, "", memory.RC11, "counted once: to x", 1, 17},
		{"release", [2]program.BinaryOp{add, add}, "REL", [2]string{"REL", "ACQ"}, "", memory.RC11, "there is no cell", 2, 17},
		{"not joined", [2]program.BinaryOp{add, add}, "RLX", [2]string{"RLX", "ACQ"}, "", memory.RC11, "x is accessed in between", 6, 17},
		{"fences", [2]program.BinaryOp{add, add}, "RLX", [2]string{"REL", "ACQ"}, "REL", memory.RC11, "fences may make them synchronize", 2, 17},
	} {
		b := progtest.New(3)
		b.Program.Memory[0].Init = 7
		tags := func(o string) program.Tags {
			if o == "" {
				return program.Tags{}
			}
			b.Program.Arch = program.C11
			return program.NewTags(o)
		}
		for i, op := range tt.ops {
			tb := b.Thread()
			if tt.fence != "" {
				tb.Emit(program.Command{Op: program.Fence, Tags: tags(tt.fence)})
			}
			by := program.Const(5)
			if op == and {
				by = program.Const(3 - i)
			}
			c := program.FetchOp("fetch", op, int(tb.Reg("old")), progtest.X, by, program.Position{})
			c.Body[0].Tags, c.Body[1].Tags = tags(tt.order), tags(tt.order)
			tb.Thread.Regs[0].Temp = true
			tb.Emit(c)
			tb.Emit(program.Command{Op: program.Store, Addr: program.Const(1 + i), Value: program.Const(1), Tags: tags(tt.ended[0])})
		}
		j := b.Thread()
		for i := range tt.ops {
			j.Emit(program.Start(int(j.Reg("j")), int64(1+i), tags(tt.ended[1])))
		}
		j.Emit(program.Command{Op: program.Load, Reg: int(j.Reg("s")), Addr: progtest.X, Tags: tags(tt.order)})
		if tt.order == "REL" {
			j.Thread.Edges[2].Cmd.Tags = tags("RLX")
		}
		p := b.Build(t)
		finals, res, err := FinalStates(t.Context(), p, Options{Model: tt.m, Commute: true})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(res.Notes, "; "); !strings.Contains(notes, tt.want) || res.Stat("executions") != tt.n {
			t.Errorf("%s: %d executions, want %d; %s", tt.name, res.Stat("executions"), tt.n, notes)
		}
		for _, f := range finals {
			if tt.final >= 0 && f.Memory[0] != tt.final {
				t.Errorf("%s: x is %d, not %d", tt.name, f.Memory[0], tt.final)
			}
		}
	}
}

// TestUnlikeAdditions: threads that are alike are not where each adds to a cell of its own, and that is what is said, not what
// the program that was made has in conditions.
func TestUnlikeAdditions(t *testing.T) {
	b := progtest.New(1)
	for range 2 {
		tb := b.Thread()
		tb.Emit(program.FetchOp("fetch", program.Add, int(tb.Reg("old")), progtest.X, program.Const(5), program.Position{}))
		tb.Thread.Regs[0].Temp = true
	}
	p := b.Build(t)
	p.Properties = []program.Property{{Kind: program.Forall, Cond: program.Binary{Op: program.Eq, X: program.Mem{}, Y: program.Const(10)}}}
	for _, alike := range []bool{false, true} {
		res, err := Explore(t.Context(), p, Options{Model: memory.TSO, Commute: true, Alike: alike})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(res.Notes, "; ")
		if !res.Safe() || res.Stat("executions") != 1 || strings.Contains(notes, "a cell of its own") != alike || strings.Contains(notes, "condition") {
			t.Errorf("alike %v: %s, %d executions; %s", alike, res.Verdict(), res.Stat("executions"), notes)
		}
	}
}
