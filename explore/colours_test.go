package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// named is three threads that are alike but for their names, which stand for # in the text, or the next number, for %, or
// an operator, for ? and ±, and whatever else there is.
func named(head, thread, rest string) string {
	text := "program N " + head + "\n"
	for i := 1; i <= 3; i++ {
		own := strings.NewReplacer("#", fmt.Sprint(i), "%", fmt.Sprint(i+1), "?", "+-*"[i-1:i], "±", "-~-"[i-1:i])
		text += own.Replace(fmt.Sprintf("process P%d local r, s, r1, r2, r3 begin %s end\n", i, thread))
	}
	return text + rest
}

// once lets one thread pass. A search that takes threads for alike that are not asks no more than one of them what it will do then.
const once = "atomic begin assume g = 0; g := 1 end; "

// TestColours holds searches in which names of threads are exchanged against those in which they are not. What only one
// of the threads may do is asked of each.
func TestColours(t *testing.T) {
	for name, test := range map[string]struct {
		text   func(k int) string
		unsafe bool
		orders int64
	}{
		"mutex": {func(int) string {
			return named("variables m, x", "atomic begin assume m = 0; m := # end; x := #; r := x; assert r = #; fence; s := m; assert s = #; m := 0", "")
		}, false, 6},
		"buffered": {func(int) string {
			return named("variables m, x", "atomic begin assume m = 0; m := # end; x := #; r := x; assert r = #; m := 0", "")
		}, false, 6},
		"lost": {func(int) string { return named("variables x", "x := #; r := x; assert r = #", "") }, true, 6},
		"computed": {func(k int) string {
			return named("variables x, y", "x := #; r := x; y := r * 2", fmt.Sprintf("process Q local r begin r := y; assert r != %d end", 2*k))
		}, true, 0},
		"known to another": {func(k int) string {
			return named("variables x", "x := #", fmt.Sprintf("process Q local r begin r := x; assert r != %d end", k))
		}, true, 2},
		"known to all": {func(k int) string { return named("variables x", fmt.Sprintf("x := #; r := x; assert r != %d", k), "") }, true, 2},
		"property":     {func(k int) string { return named("variables x", "x := #", fmt.Sprintf("exists x = %d", k)) }, true, 0},
		"moment":       {func(k int) string { return named("variables x", "x := #; r := x", fmt.Sprintf("forbid x = %d", k)) }, true, 0},
		"place":        {func(k int) string { return named("variables g", once+"l: skip", fmt.Sprintf("forbid P%d@l", k)) }, true, 2},
		"at first": {func(k int) string {
			return named(fmt.Sprintf("variables x = %d", k), "r := x; assert r != #; x := #", "")
		}, true, 2},
		"other types": {func(k int) string {
			return named("variables int8 x", "r := # + 254; x := r", fmt.Sprintf("process Q local r begin r := x; assert r != %d end", k-2))
		}, true, 0},
		"chosen": {func(k int) string {
			return named("variables x", "s := any(1 .. 2); x := s; r := x; assert r != #", "")
		}, true, 0},
		"of another name": {func(int) string {
			return named("variables x, z = 1", "x := #; z := 1; r := z; assert r = 1; s := x; assert s != 0", "")
		}, false, 6},
		"own cells": {func(int) string { return named("variables f1, f2, f3", "f# := #; r := f#; assert r = #", "") }, false, 6},
		"own cells of other types": {func(k int) string {
			types := []string{"int32", "int32", "int32"}
			types[k-1] = "int8"
			return named(fmt.Sprintf("variables g, %s f1, %s f2, %s f3", types[0], types[1], types[2]), once+"r := 300; f# := r; r := f#; assert r = 300", "")
		}, true, 2},
		"another begins with one": {func(k int) string {
			return named("variables g, x", once+"x := #", fmt.Sprintf("process Q local r, s = %d begin r := x; assert r != s end", k))
		}, true, 2},
		"another looks for one": {func(k int) string {
			return named("variables g, x", once+"x := #", fmt.Sprintf("process Q local r, s begin r := x; if r = %d then s := 1 fi; assert s = 0 end", k))
		}, true, 2},
		"index": {func(k int) string {
			return named("variables g, x, a[4]", once+"x := #; r := x; a[r & 3] := 7", fmt.Sprintf("process Q local r begin r := a[%d]; assert r != 7 end", k))
		}, true, 0},
		"another register": {func(k int) string {
			return named("variables g, x", once+"r1 := 1; r2 := 2; r3 := 3; x := r#", fmt.Sprintf("process Q local r begin r := x; assert r != %d end", k))
		}, true, 0},
		"another register is computed of": {func(k int) string {
			return named("variables g", fmt.Sprintf("%s r%d := 1; assert r# + s != 1", once, k), "")
		}, true, 0},
		"another register is compared": {func(k int) string {
			return named("variables g", fmt.Sprintf("%s r%d := 1; assert r# != 1", once, k), "")
		}, true, 0},
		"computed into": {func(k int) string {
			return named("variables g, y", fmt.Sprintf("%s y := s + %d; r := y; assert r != #", once, k), "")
		}, true, 0},
		"another operator": {func(k int) string {
			return named("variables g", fmt.Sprintf("%s s := r ? 1; assert s != %d", once, []int{1, -1, 0}[k-1]), "")
		}, true, 0},
		"the other sign": {func(k int) string { return named("variables g", once+"s := ±r; assert s = 0", "") }, true, 2},
		"bits": {func(k int) string {
			return named("variables g, x", fmt.Sprintf("%s x := #; r := x; assert (r & 3) != %d", once, k), "")
		}, true, 0},
		"other constants": {func(k int) string {
			return named("variables g, x", fmt.Sprintf("%s x := r + #; r := x; assert r != %d", once, k), "")
		}, true, 0},
		"greater than another": {func(int) string {
			return named("variables g, x, y", "choose "+once+"x := # [] atomic begin assume g = 1; g := 2 end; y := # end", "process Q local r, s begin r := x; s := y; assert s = 0 or r <= s end")
		}, true, 0},
		"less than another": {func(int) string {
			return named("variables g, x, y", "choose "+once+"x := # [] atomic begin assume g = 1; g := 2 end; y := # end", "process Q local r, s begin r := x; s := y; assert s = 0 or r >= s end")
		}, true, 0},
		"added to": {func(k int) string {
			return named("variables g, x, y", once+"x := #; r := x; y := r + 7", fmt.Sprintf("process Q local r begin r := y; assert r != %d end", 7+k))
		}, true, 0},
		// 256 more than a name, and no name itself, it is one in y.
		"wrapped around": {func(k int) string {
			return named("variables g, int8 y", once+"atomic begin assume y != 0 end; r := y; assert r != #",
				fmt.Sprintf("process Q local r begin atomic begin assume g = 1; g := 2 end; r := %d; y := r end", 256+k))
		}, true, 0},
		"registers in a property": {func(k int) string {
			return named("variables g", once+"r := #", fmt.Sprintf("forbid P1.r = %[1]d | P2.r = %[1]d | P3.r = %[1]d", k))
		}, true, 0},
		// P1 would have two names where P2 has one, and only P2 waits for itself.
		"names are values of each other": {func(int) string {
			text := "program N variables x, y\n"
			for i, own := range [][2]int{{1, 3}, {2, 2}} {
				text += fmt.Sprintf("process P%d local r begin y := %d; r := y; assume r != %d; x := %[3]d end\n", i, own[1], own[0])
			}
			return text + "process Q local r, s begin r := x; s := y; assert r = 0 or r != s end"
		}, false, 0},
		"two names": {func(int) string {
			return named("variables g, x, y", "choose "+once+"x := # [] atomic begin assume g = 1; g := 2 end; y := % end", "process Q local r, s begin r := x; s := y; assert s = 0 or r != s end")
		}, true, 0},
	} {
		for k := 1; k <= 3; k++ {
			p, err := lang.Parse(&program.Source{Name: "n.imp", Text: test.text(k)}, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				for _, opts := range modes {
					if opts.Reduction == LocalFirst {
						continue
					}
					opts.Model, opts.NoLive = m, k == 2 // what is dead tells threads apart as well
					plain := check(t, p, opts)
					opts.Symmetry = Symmetry
					res := check(t, p, opts)
					if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() || res.Stat("symmetric orders") != test.orders {
						t.Errorf("%s of %d, %s: %v with symmetry of %d, %v without", name, k, modeName(opts), res.Verdict(), res.Stat("symmetric orders"), plain.Verdict())
					}
				}
			}
		}
	}
}

// TestChanged is for what the language does not say of names: it changes programs.
func TestChanged(t *testing.T) {
	eachCommand := func(p *program.Program, f func(c *program.Command)) {
		for _, th := range p.Threads {
			for i := range th.Edges {
				f(&th.Edges[i].Cmd)
				for j := range th.Edges[i].Cmd.Body {
					f(&th.Edges[i].Cmd.Body[j])
				}
			}
		}
	}
	moved := func(addr program.Expr) program.Expr {
		return program.Binary{Op: program.Add, X: program.Reg(0), Y: addr}
	}
	for name, test := range map[string]struct {
		text   func(k int) string
		change func(p *program.Program, k int)
		unsafe bool
	}{
		// Not inside any array: nothing but the address has to do with r.
		"address": {func(k int) string {
			return named("variables g, x, a[4]", once+"x := #; r := x; a[0] := 7", fmt.Sprintf("process Q local r begin r := a[%d]; assert r != 7 end", k))
		}, func(p *program.Program, _ int) {
			eachCommand(p, func(c *program.Command) {
				if c.Op == program.Store && c.Value == program.Expr(program.Const(7)) {
					c.Addr = moved(c.Addr)
				}
			})
		}, true},
		"address of one of those that are awaited": {func(int) string {
			return named("variables g, f1, f2, f3", once+"f# := 1", "process Q local z, r begin atomic begin r := f1; assume r != 0; r := f2; assume r != 0; r := f3; assume r != 0; r := 0 end; assert z = 0 end")
		}, func(p *program.Program, _ int) {
			loads := 0
			eachCommand(p, func(c *program.Command) {
				if c.Op == program.Load && c.Reg == 1 {
					if loads++; loads == 3 {
						c.Addr = moved(c.Addr)
					}
				}
			})
		}, false},
		// y is 1, 2 or 3.
		"wrapped around": {func(k int) string {
			return named("variables g, int8 y", once+"y := #", fmt.Sprintf("process Q local int8 r begin r := y; assert r != %d end", k))
		}, func(p *program.Program, _ int) {
			for _, th := range p.Threads[:3] {
				for i := range th.Edges {
					if c := &th.Edges[i].Cmd; c.Op == program.Store {
						c.Value = c.Value.(program.Const) + 256
					}
				}
			}
		}, true},
		"filter": {func(int) string { return named("variables x, z", "x := #", "exists z = 0") }, func(p *program.Program, k int) {
			p.Filter = progtest.Eq(program.Mem{Addr: p.Memory[0].Addr, Name: "x"}, int64(k))
		}, true},
		"filter of a thread": {func(int) string { return named("variables g, x", "choose "+once+"r := 1 [] skip end", "exists x = 0") }, func(p *program.Program, k int) {
			p.Filter = progtest.Eq(program.ThreadReg{Thread: k - 1}, 1)
		}, true},
	} {
		for k := 1; k <= 3; k++ {
			p, err := lang.Parse(&program.Source{Name: "n.imp", Text: test.text(k)}, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			test.change(p, k)
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				plain, res := check(t, p, Options{Model: m}), check(t, p, Options{Model: m, Symmetry: Symmetry})
				if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() || res.Stat("symmetric orders") > 2 {
					t.Errorf("%s of %d, %s: %v with symmetry of %d, %v without", name, k, m, res.Verdict(), res.Stat("symmetric orders"), plain.Verdict())
				}
			}
		}
	}
}
