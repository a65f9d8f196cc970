package traces

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A graphCounter runs a program in all ways and tells its complete executions
// apart as graphs: the edges that each thread has taken, what every load has
// read from, and the order of the writes of each cell. It knows neither processes
// nor happens-before, so that it judges whether traces are counted as such.
type graphCounter struct {
	x      *abstract.System
	graphs map[string]bool
	steps  int
}

type graphRun struct {
	s      *abstract.State
	done   []string         // by thread
	stores []int            // by thread
	queue  [][]pendingWrite // by thread
	order  []string         // by cell; the last write is at its end
	last   []string
}

type pendingWrite struct {
	cell int
	id   string
}

func (r *graphRun) clone(x *abstract.System) *graphRun {
	c := &graphRun{s: x.NewState(), done: slices.Clone(r.done), stores: slices.Clone(r.stores),
		order: slices.Clone(r.order), last: slices.Clone(r.last)}
	c.s.Copy(r.s)
	for _, q := range r.queue {
		c.queue = append(c.queue, slices.Clone(q))
	}
	return c
}

const maxGraphSteps = 60_000

func (g *graphCounter) run(r *graphRun) {
	if g.steps++; g.steps > maxGraphSteps {
		return
	}
	if g.x.Final(r.s) {
		g.graphs[strings.Join(r.done, "|")+"#"+strings.Join(r.order, "|")] = true
		return
	}
	for t := range r.s.PC {
		for i := range g.x.Flushes(r.s, t) {
			n := r.clone(g.x)
			c := g.x.Buffer.Flushed(&n.s.Buf[t], i).Cell
			g.x.Step(n.s, abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(i)})
			k := slices.IndexFunc(n.queue[t], func(w pendingWrite) bool { return w.cell == c })
			n.write(c, n.queue[t][k].id)
			n.queue[t] = slices.Delete(n.queue[t], k, k+1)
			g.run(n)
		}
		for _, e := range g.x.Out(t, r.s.PC[t]) {
			for c := range g.x.Choices(t, e) {
				n := r.clone(g.x)
				ev := abstract.Event{Thread: t, Edge: e, Choice: c}
				if g.x.Step(n.s, ev) != abstract.Done {
					continue
				}
				accesses, _ := g.x.Accesses(nil, r.s, ev)
				n.done[t] += fmt.Sprintf(" %d.%d", e, c)
				buffered := !g.x.Buffer.Immediate() && g.x.Program.Threads[t].Edges[e].Cmd.Op == program.Store
				for _, a := range accesses {
					switch {
					case !a.Store:
						n.done[t] += "<" + n.reads(t, a.Cell)
					case buffered:
						n.stores[t]++
						n.queue[t] = append(n.queue[t], pendingWrite{a.Cell, fmt.Sprintf("%d-%d", t, n.stores[t])})
					default:
						n.stores[t]++
						n.write(a.Cell, fmt.Sprintf("%d-%d", t, n.stores[t]))
					}
				}
				g.run(n)
			}
		}
	}
}

func (r *graphRun) reads(t, c int) string {
	for i := len(r.queue[t]) - 1; i >= 0; i-- {
		if r.queue[t][i].cell == c {
			return r.queue[t][i].id
		}
	}
	return r.last[c]
}

func (r *graphRun) write(c int, id string) {
	r.order[c] += " " + id
	r.last[c] = id
}

// countGraphs is how many complete executions p has, or -1 where they are too
// many to tell.
func countGraphs(t *testing.T, p *program.Program, m memory.Model) int {
	x, err := abstract.Compile(p, m, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := &graphCounter{x: x, graphs: map[string]bool{}}
	n, cells := len(p.Threads), len(x.Ranges.Cells)
	r := &graphRun{s: x.NewState(), done: make([]string, n), stores: make([]int, n), queue: make([][]pendingWrite, n),
		order: make([]string, cells), last: make([]string, cells)}
	x.Initial(r.s)
	g.run(r)
	if g.steps > maxGraphSteps {
		return -1
	}
	return len(g.graphs)
}

// TestExecutionsAreGraphs: of programs without locks and loops, the optimal
// algorithm explores as many executions as there are execution graphs.
func TestExecutionsAreGraphs(t *testing.T) {
	judged := 0
	for i := range 3 * *programs {
		rng := rand.New(rand.NewPCG(i, 78))
		opts := randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: -1, Atomic: 1, RMW: 2, Havoc: 1}
		if i%3 == 0 {
			opts.Threads, opts.Commands, opts.Addresses = randprog.Three, randprog.Range{Min: 1, Max: 3}, randprog.Range{Min: 1, Max: 2}
		}
		p := randprog.New(rng, opts)
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			want := countGraphs(t, p, m)
			if want < 0 {
				continue
			}
			judged++
			for _, a := range []Algorithm{Optimal, Source} {
				n := 0
				res, err := Explore(t.Context(), p, Options{Model: m, Algorithm: a, Found: func(*abstract.State) { n++ }})
				if err != nil || !res.Safe() || n != want {
					t.Fatalf("program %d, %s, %v: %d complete executions, want %d; %v %v\n%s", i, m, a, n, want, res, err, reference.Dump(p))
				}
			}
		}
	}
	t.Logf("%d judged", judged)
}
