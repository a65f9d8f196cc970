package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/explore/rvf"
	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

const head = "program P variables x, y, s, r, a, b; "

// An imp is a program of the paper for a parameter.
type imp struct {
	name string
	n    int
	text string
	// What the paper has: executions up to values, reads-from classes, traces; -1: nothing.
	rvf, rf, traces int64
	why             string // a difference
}

func monabsex(u int) string {
	return head + rep(u, "process P# local l begin s := 4; l := s; assert l = 4 end ")
}

func reorder(u int) string {
	return head + rep(u, "process S# begin a := 1; b := -1 end ") + `process C local i, j begin
		i := a; if i = 0 then j := b; if j != 0 then i := a; if i != 1 then goto bad fi; j := b; if j != -1 then goto bad fi fi
		else if i = 1 then j := b; if j != -1 then goto bad fi else goto bad fi fi; goto out; bad: skip; out: skip end `
}

func singleton(u int) string {
	return head + rep(u-1, "process P# begin x := 1 end ") + "process Q begin x := 2 end exists x = 3"
}

func pgsql(u int) string {
	return fmt.Sprintf(`program P const U = %d; variables latch[2] = {1, 0}, flag[2] = {1, 0}
		process W[i in 0..1] local n, k, l begin
			for n := 1 to U do
				k := 0; l := 0;
				while k < U + 2 && l = 0 do l := latch[i]; k := k + 1 od;
				if l = 0 then goto out fi;
				latch[i] := 0;
				l := flag[i];
				if l = 1 then flag[i] := 0; flag[1 - i] := 1; latch[1 - i] := 1 fi
			od;
			out: skip
		end`, u)
}

func unverif(u int) string {
	return head + rep(u, "process P# local l, m begin l := fetch_add(r, 1); m := fetch_add(s, 1) end ")
}

// linuxrwlocks has threads that read (R) and write (W) what a lock of the kernel guards.
func linuxrwlocks(ts ...string) string {
	const (
		reader = "l := fetch_add(k, -1); while l <= 0 do l := fetch_add(k, 1); l := k; assume l > 0; l := fetch_add(k, -1) od; d0 := d; l := fetch_add(k, 1); "
		writer = "l := fetch_add(k, -B); while l != B do l := fetch_add(k, B); l := k; assume l = B; l := fetch_add(k, -B) od; d := 1; l := fetch_add(k, B); "
	)
	text := "program P const B = 1048576; variables k = B, d "
	for i, t := range ts {
		text += fmt.Sprintf("process P%d local l, d0 begin %s skip end ", i, strings.NewReplacer("R", reader, "W", writer).Replace(t))
	}
	return text
}

const (
	fig1 = head + "process A begin x := 1; y := 1 end process B local l begin x := 1; y := 1; l := x end process C local l begin x := 1; y := 1; l := y end"
	fig6 = head + "process A local l begin x := 1; l := x; y := 1 end process B local l begin x := 1; y := 1; l := y; x := 2 end"
)

func rvfPrograms() []imp {
	return []imp{
		{"figure 1", 0, fig1, 1, 9, 98, ""},
		{"figure 6", 0, fig6, 2, 5, 12, ""},
		{"45_monabsex1", 7, monabsex(7), 1, 262144, 25401600, ""},
		{"45_monabsex1", 8, monabsex(8), 1, 4782969, -1, ""},
		{"reorder_5", 9, reorder(9), 4, 1540, -1, ""},
		{"reorder_5", 30, reorder(30), 4, 54901, -1, ""},
		{"singleton", 20, singleton(20), 2, 20, -1, ""},
		{"singleton", 30, singleton(30), 2, 30, -1, ""},
		{"13_unverif", 5, unverif(5), 14400, 14400, 14400, ""},
		{"13_unverif", 6, unverif(6), 518400, 518400, 518400, ""},
		{"linuxrwlocks", 1, linuxrwlocks("W", "RW"), 56, 59, 59, ""},
		{"linuxrwlocks", 2, linuxrwlocks("W", "R", "RW"), 62018, 70026, 70026, ""},
		{"pgsql", 3, pgsql(3), 3906, 3906, 3906, ""},
		{"pgsql", 4, pgsql(4), 335923, 335923, 335923, ""},
	}
}

// rvfTables prints tables 1 and 2 of the first paper.
func rvfTables(o *output) {
	o.print(`## Reads-value-from: tables 1 and 2

Executions that are explored. *rvf* is RVF-SMC, which is ours of that name; *reads-from* is Nidhugg/rfsc, against the
execution graphs under SC without the order of stores; *traces* is Nidhugg/source, against optimal.

| program | N | rvf, paper | ours | reads-from, paper | ours | traces, paper | ours |
| --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for _, p := range rvfPrograms() {
		prog := o.parse(p.name+".imp", p.text)
		values := o.count(func(ctx context.Context) (int64, bool) {
			r, err := rvf.Explore(ctx, prog, rvf.Options{})
			o.check(err)
			return r.Stat("executions"), r.Safe()
		})
		graphs := o.unless(p.rf > 100_000 || p.n > 7 && p.rf < 100_000, func(ctx context.Context) (int64, bool) {
			return readsFrom(ctx, o, prog)
		})
		traced := o.unless(p.traces < 0 || p.traces > 1_000_000, func(ctx context.Context) (int64, bool) {
			r, err := traces.Explore(ctx, prog, traces.Options{Model: memory.SC, Algorithm: traces.Optimal})
			o.check(err)
			return r.Stat("executions"), r.Safe()
		})
		o.print("| %s | %s | %s | %s | %s | %s | %s | %s |\n", p.name, parameter(p.n), number(p.rvf), values, number(p.rf), graphs, number(p.traces), traced)
	}
	o.print(`
Where ours is —, there are as many graphs as orders of the stores, or more traces than fit into a minute of processor time. The other programs of the tables
(27_Boop4, scull_loop, approxds_append, chase-lev-dq) are named in the paper, but neither printed nor described.
13_unverif is here what its numbers say: two counters that each thread increments. So is linuxrwlocks, a lock of the kernel for
readers and writers: one thread writes, another reads and then writes, and at 2 a third one reads. How many executions rvf explores depends on
the order in which reads are tried; that may be the two more at 2.
`)
}

// readsFrom is how many execution graphs there are under SC without the order of stores; those in
// which an assumption fails count, as in the paper.
func readsFrom(ctx context.Context, o *output, p *program.Program) (int64, bool) {
	seen := map[string]bool{}
	r, err := trust.Explore(ctx, p, trust.Options{Model: memory.SC, Graph: func(g *memory.Graph) {
		var b strings.Builder
		for i := range g.Events {
			if e := &g.Events[i]; e.Kind == memory.Read {
				w := &g.Events[g.Source(i)]
				fmt.Fprint(&b, e.Thread, e.Index, w.Thread, w.Index, w.Addr, " ")
			}
		}
		seen[b.String()] = true
	}})
	o.check(err)
	return int64(len(seen)) + r.Stat("blocked"), r.Safe()
}
