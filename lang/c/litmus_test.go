package c_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var litmusStride = flag.Int("litmusstride", 40, "every so many tests of the litmus corpus are compared with their C form")

// classic are litmus tests of loads, stores and fences, as rows of threads.
var classic = map[string]string{
	"SB":      "movq $1,(x) | movq $1,(y) ; movq (y),%rax | movq (x),%rax",
	"SB+F":    "movq $1,(x) | movq $1,(y) ; mfence | mfence ; movq (y),%rax | movq (x),%rax",
	"SB+F+po": "movq $1,(x) | movq $1,(y) ; mfence | ; movq (y),%rax | movq (x),%rax",
	"MP":      "movq $1,(x) | movq (y),%rax ; movq $1,(y) | movq (x),%rbx",
	"LB":      "movq (x),%rax | movq (y),%rax ; movq $1,(y) | movq $1,(x)",
	"2+2W":    "movq $1,(x) | movq $1,(y) ; movq $2,(y) | movq $2,(x)",
	"R":       "movq $1,(x) | movq $2,(y) ; movq $1,(y) | movq (x),%rax",
	"S":       "movq $2,(x) | movq (y),%rax ; movq $1,(y) | movq $1,(x)",
	"SB+rfi":  "movq $1,(x) | movq $1,(y) ; movq (x),%rax | movq (y),%rax ; movq (y),%rbx | movq (x),%rbx",
	"IRIW":    "movq $1,(x) | movq (x),%rax | movq $1,(y) | movq (y),%rax ; | movq (y),%rbx | | movq (x),%rbx",
	"WRC":     "movq $1,(x) | movq (x),%rax | movq (y),%rax ; | movq $1,(y) | movq (x),%rbx",
}

// litmusText is a litmus test with these rows.
func litmusText(name, rows string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "X86_64 %s\n{\nuint64_t x; uint64_t y;\n}\n", name)
	for i, row := range strings.Split(rows, ";") {
		if n := strings.Count(row, "|") + 1; i == 0 {
			var head []string
			for t := range n {
				head = append(head, fmt.Sprintf("P%d", t))
			}
			fmt.Fprintf(&b, " %s ;\n", strings.Join(head, " | "))
		}
		fmt.Fprintf(&b, " %s ;\n", row)
	}
	b.WriteString("exists (x=0)\n")
	return b.String()
}

// inC writes a litmus test of loads, stores and fences as a C program whose stores have the
// order given. What a thread has read is in globals in the end. It is false of other tests.
func inC(p *program.Program, store string) (string, bool) {
	var vars, funcs, creates, joins strings.Builder
	cell := map[int64]string{}
	for _, m := range p.Memory {
		cell[m.Addr] = m.Name
		fmt.Fprintf(&vars, "_Atomic uint64_t %s = %d;\n", m.Name, m.Init)
	}
	for ti, th := range p.Threads {
		for r, reg := range th.Regs {
			fmt.Fprintf(&vars, "uint64_t r%d_%d = %d;\n", ti, r, reg.Init)
		}
		fmt.Fprintf(&funcs, "static void *p%d(void *arg) {\n", ti)
		out := th.Out()
		for q := th.Initial; len(out[q]) > 0; {
			if len(out[q]) > 1 {
				return "", false
			}
			e := &th.Edges[out[q][0]]
			q = e.To
			addr, _ := e.Cmd.Addr.(program.Const)
			name := cell[int64(addr)]
			switch k, constant := e.Cmd.Value.(program.Const); e.Cmd.Op {
			case program.Load:
				fmt.Fprintf(&funcs, "\tr%d_%d = atomic_load_explicit(&%s, memory_order_relaxed);\n", ti, e.Cmd.Reg, name)
			case program.Store:
				if !constant {
					return "", false
				}
				fmt.Fprintf(&funcs, "\tatomic_store_explicit(&%s, %d, memory_order_%s);\n", name, k, store)
			case program.Fence:
				funcs.WriteString("\tatomic_thread_fence(memory_order_seq_cst);\n")
			default:
				return "", false
			}
			if name == "" && e.Cmd.Op != program.Fence {
				return "", false
			}
		}
		funcs.WriteString("\treturn 0;\n}\n")
		fmt.Fprintf(&creates, "\tpthread_create(&t[%d], 0, p%d, 0);\n", ti, ti)
		fmt.Fprintf(&joins, "\tpthread_join(t[%d], 0);\n", ti)
	}
	return fmt.Sprintf("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n%s%sint main(void) {\n\tpthread_t t[%d];\n%s%s\treturn 0;\n}\n",
		&vars, &funcs, len(p.Threads), &creates, &joins), true
}

// fenced puts a fence behind every store of p.
func fenced(p *program.Program) {
	for _, th := range p.Threads {
		for i := range th.Edges {
			if th.Edges[i].Cmd.Op == program.Store {
				th.States = append(th.States, program.State{Name: fmt.Sprintf("fence%d", i)})
				mid := program.StateID(len(th.States) - 1)
				th.Edges = append(th.Edges, program.Edge{From: mid, To: th.Edges[i].To, Cmd: program.Command{Op: program.Fence}})
				th.Edges[i].To = mid
			}
		}
	}
}

// outcomes are the final states of p as a set, by the names of what is observed; in C that
// are cells, and the registers of litmus tests count by the names that they have there.
func outcomes(t *testing.T, p *program.Program, m memory.Model, registers bool, observed map[string]bool) []string {
	t.Helper()
	all, res, err := explore.FinalStates(context.Background(), p, explore.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Safe() {
		t.Fatalf("%v: %s", res.Verdict(), res.Reason())
	}
	ranges, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, s := range all {
		var values []string
		add := func(name string, v int64) {
			if observed == nil || observed[name] {
				values = append(values, fmt.Sprintf("%s=%d", name, v))
			}
		}
		for i, c := range ranges.Cells {
			add(c.Name, s.Memory[i])
		}
		if registers {
			for ti := range p.Threads {
				for r := range p.Threads[ti].Regs {
					add(fmt.Sprintf("r%d_%d", ti, r), s.Regs[ti][r])
				}
			}
		}
		slices.Sort(values)
		set[strings.Join(values, " ")] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// TestLitmus compares litmus tests with their C form: relaxed stores are those of the
// test, and behind a sequentially consistent one there is a fence, however it is compiled.
func TestLitmus(t *testing.T) {
	tests := map[string]string{}
	for name, rows := range classic {
		tests[name] = litmusText(name, rows)
	}
	if dir := os.Getenv("FENCEPOST_CORPUS"); dir != "" {
		n := 0
		filepath.WalkDir(filepath.Join(dir, "litmus-x86"), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".litmus" {
				if n++; n%*litmusStride == 0 {
					text, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					tests[path] = string(text)
				}
			}
			return nil
		})
	}
	read := func(t *testing.T, name, text string) *program.Program {
		x, err := litmus.ParseTest(&program.Source{Name: name + ".litmus", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return x.Program
	}
	compared := 0
	for name, text := range tests {
		for _, how := range []struct {
			store   string
			mapping c.Mapping
		}{{"relaxed", c.Xchg}, {"seq_cst", c.Xchg}, {"seq_cst", c.MFence}} {
			want := read(t, name, text)
			ctext, ok := inC(want, how.store)
			if !ok {
				t.Errorf("%s cannot be written in C", name)
				continue
			}
			if how.store == "seq_cst" {
				fenced(want)
			}
			got, err := c.Parse(&program.Source{Name: "litmus.c", Text: ctext}, c.Options{Mapping: how.mapping})
			if err != nil {
				t.Fatalf("%v\n%s", err, ctext)
			}
			observed := map[string]bool{}
			for _, m := range want.Memory {
				observed[m.Name] = true
			}
			for ti, th := range want.Threads {
				for r := range th.Regs {
					observed[fmt.Sprintf("r%d_%d", ti, r)] = true
				}
			}
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
				w, g := outcomes(t, want, m, true, observed), outcomes(t, got, m, false, observed)
				if !slices.Equal(w, g) {
					t.Errorf("%s, %s stores by %s, %s:\n%q\nin C\n%q\n%s", name, how.store, how.mapping, m, w, g, ctext)
				}
				compared++
			}
		}
	}
	t.Logf("%d tests, %d sets of final states", len(tests), compared)
}
