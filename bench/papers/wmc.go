package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A thread reads the cell From, and then writes the cell To.
type thread struct {
	from, to int
	value    string // that it writes; "r" is what it has read
	cond     string // of the write
}

// litmus is a test in C of such threads, over cells x0, x1, ...
func litmus(name string, cells int, threads []thread) string {
	var b strings.Builder
	fmt.Fprintf(&b, "C %s\n{}\n", name)
	var params []string
	for i := range cells {
		params = append(params, fmt.Sprintf("atomic_int* x%d", i))
	}
	for i, t := range threads {
		fmt.Fprintf(&b, "P%d (%s) {\n  int r = atomic_load_explicit(x%d, memory_order_relaxed);\n", i, strings.Join(params, ", "), t.from)
		store := fmt.Sprintf("atomic_store_explicit(x%d, %s, memory_order_relaxed);", t.to, t.value)
		if t.cond != "" {
			store = fmt.Sprintf("if (%s) { %s }", t.cond, store)
		}
		fmt.Fprintf(&b, "  %s\n}\n", store)
	}
	b.WriteString("exists (0:r=9)\n") // never
	return b.String()
}

// ring is n threads, each of which writes what the next one reads.
func ring(name string, n int, first, others thread) string {
	var ts []thread
	for i := range n {
		t := others
		if i == 0 {
			t = first
		}
		t.from, t.to = i, (i+1)%n
		ts = append(ts, t)
	}
	return litmus(name, n, ts)
}

// couples is n threads, two and two in a ring.
func couples(n int) string {
	var ts []thread
	for i := 0; i+1 < n; i += 2 {
		ts = append(ts, thread{from: i, to: i + 1, value: "1"}, thread{from: i + 1, to: i, value: "1"})
	}
	return litmus("LB-pairs", n, ts)
}

// A row of table 4: executions, and how many more are explored without the table and blocked
// with it, in percent.
type row struct {
	name               string
	text               func(n int) string
	executions         func(n int) int64
	duplicates, blocks []string // for 10, 12, 14
}

func table4() []row {
	zero := []string{"0", "0", "0"}
	one := thread{value: "1"}
	power := func(n int) int64 { return 1 << n }
	return []row{
		{"LB+ctrl", func(n int) string { return ring("LB+ctrl", n, one, thread{value: "1", cond: "r == 1"}) }, func(n int) int64 { return int64(n) + 1 }, zero, zero},
		{"LB+data", func(n int) string { return ring("LB+data", n, one, thread{value: "r"}) }, power, zero, zero},
		{"LB-nodep", func(n int) string { return ring("LB-nodep", n, one, one) }, power, []string{"0.9", "0.3", "0.1"}, []string{"0.9", "0.3", "0.1"}},
		{"LB-pairs", couples, power, []string{"205.2", "281.5", "376.8"}, []string{"33.3", "33.3", "33.3"}},
	}
}

// wmcTables prints table 4 of the second paper.
func wmcTables(o *output) {
	o.print(`## Weakestmo2: table 4

Executions, how many are explored more than once without a table of certified graphs (duplicates, in percent), and how many
certified graphs the table keeps from being explored again (blocked, in percent). Beside that the executions under IMM, the model of HMC
and HMC_LBRF, which are all that these have to explore.

| program | N | executions, paper | ours | with cycles | duplicates, paper | ours | blocked, paper | ours | under IMM, ours |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for _, r := range table4() {
		for i, n := range []int{10, 12, 14} {
			p := o.parse(r.name+".litmus", r.text(n))
			with, without := o.weakly(p, false), o.weakly(p, true)
			executions, cyclic, blocked, duplicates := none, none, none, none
			if with != nil {
				all := with.Stat("executions")
				executions, cyclic = number(all), number(with.Stat("cyclic"))
				blocked = percent(with.Stat("known"), all)
			}
			if without != nil {
				duplicates = percent(without.Stat("duplicates"), without.Stat("executions"))
			}
			o.print("| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, n, number(r.executions(n)), executions, cyclic,
				r.duplicates[i], duplicates, r.blocks[i], blocked, o.imm(p))
		}
	}
	o.print(`
LB+ctrl is named in the paper, but not printed. Here its first thread writes 1 whatever it reads, and each of the others if it reads 1. That
gives N + 1 executions as in the paper, one of them with a cycle, which the paper says control dependencies preclude; with a condition in each
thread and another that writes to the first cell there is no cycle and there are N + 2.

The columns of HMC and HMC_LBRF in the paper's tables 1 to 3 are seconds, as all columns there are, for programs that it does not print (those of SV-COMP "rewrote them
to utilize weakly-ordered atomic accesses", and structures by others): it counts executions in table 4 alone, and there none of IMM's. So the last column
has nothing to be compared with but ours: Weakestmo2 has all that IMM has, as theorem 3.14 says, and no more for these programs. In what takes seconds, times
of another machine are not repeated; table 1 is about programs of GenMC's.
`)
}

// imm is how many executions there are under IMM.
func (o *output) imm(p *program.Program) string {
	def, err := memory.LoadFor("imm", p.Arch)
	if o.check(err); err != nil {
		return none
	}
	return o.count(func(ctx context.Context) (n int64, all bool) {
		err := graphs.Enumerate(ctx, p, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { n++; return true })
		return n, err == nil
	})
}

// weakly explores under Weakestmo2; nil where that takes too long.
func (o *output) weakly(p *program.Program, again bool) *verdict.Result {
	if o.err != nil {
		return nil
	}
	ctx, cancel := o.bounded()
	defer cancel()
	r, err := trust.Explore(ctx, p, trust.Options{Model: memory.Weakestmo2, Again: again})
	if o.check(err); err != nil || !r.Safe() {
		return nil
	}
	return r
}

// percent is a part of all, with a digit behind the point if it is not 0.
func percent(part, all int64) string {
	if part == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*float64(part)/float64(all))
}
