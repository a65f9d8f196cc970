package trust

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// name is different for different graphs, whatever the order in which they were built.
func name(g *graph) string {
	var b []byte
	number := func(n int64, end byte) { b = append(strconv.AppendInt(b, n, 10), end) }
	id := func(e int32) {
		number(int64(g.events[e].thread), '.')
		b = strconv.AppendInt(b, int64(g.events[e].index), 10)
	}
	for _, es := range g.threads {
		for _, e := range es {
			ev := &g.events[e]
			number(int64(ev.kind), ' ')
			b = append(strconv.AppendBool(b, ev.half), ' ')
			number(int64(ev.cell), ' ')
			b = strconv.AppendInt(b, ev.value, 10)
			if ev.rf != none {
				b = append(b, '<')
				id(ev.rf)
			}
			b = append(b, ' ')
		}
		b = append(b, '|')
	}
	for _, ws := range g.co {
		for _, w := range ws[1:] {
			id(w)
			b = append(b, ' ')
		}
		b = append(b, '/')
	}
	return string(b)
}

// brute builds graphs in every order that there is, each once, and notes those to which
// nothing can be added.
type brute struct {
	*explorer
	seen   map[string]bool // all that was built, whether the model allows it or not
	leaves map[string]bool
	built  int // graphs that the model allows
	limit  int
}

// grown visits the graph, to which e has been added, unless it was there before.
func (b *brute) grown(e int32) {
	n := name(b.g)
	if b.seen[n] || b.built > b.limit {
		return
	}
	b.seen[n] = true
	if b.g.events[e].kind == choice || b.check.holds(b.g, e, none) {
		b.visit(n)
	}
}

// visit adds an event to the graph of that name in every way.
func (b *brute) visit(n string) {
	b.built++
	leaf := true
	amid := b.amid()
	for t := range b.threads {
		t := int32(t)
		if amid != none && t != amid {
			continue
		}
		p := b.at(t)
		stop := p.stop
		if stop.Kind.Stands() || p.late && len(b.g.co[stop.Cell]) == 1 {
			continue
		}
		if b.locks(t, &stop) && !b.g.free(stop.Cell) {
			continue
		}
		leaf = false
		g := b.g
		switch stop.Kind {
		case threads.Load:
			for k, w := range slices.Clone(g.co[stop.Cell]) {
				if p.late && k == 0 || b.locks(t, &stop) && g.events[w].value != 0 {
					continue
				}
				e := b.add(t, read, &stop)
				g.readFrom(e, w)
				b.settle(e)
				b.grown(e)
				g.unread(e)
				g.drop()
			}
		case threads.Store:
			for k := len(g.co[stop.Cell]); k > 0; k-- {
				e := b.add(t, write, &stop)
				g.insert(e, k)
				b.settle(e)
				b.grown(e)
				g.remove(e)
				g.drop()
			}
		case threads.Fence, threads.Lock, threads.Unlock:
			e := b.add(t, fence, &stop)
			b.settle(e)
			b.grown(e)
			g.drop()
		case threads.Choice:
			for way := range stop.Ways {
				e := b.add(t, choice, &stop)
				g.events[e].value = way
				b.settle(e)
				b.grown(e)
				g.drop()
			}
		}
	}
	if leaf {
		b.leaves[n] = true
	}
}

func newTestExplorer(t testing.TB, p *program.Program, opts Options) *explorer {
	t.Helper()
	def, err := definition(p, opts)
	if err != nil {
		t.Fatal(err)
	}
	if why := refusal(p, def, verdict.Safety); why != "" {
		t.Fatal(why)
	}
	x, err := newExplorer(context.Background(), p, def, opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestBrute compares all graphs, those with threads that wait among them, with what is
// built in any order and judged by the definition of the model.
func TestBrute(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			compared, found := 0, 0
			for seed := range programs(shape.programs) {
				p := random(seed, shape.opts)
				for model, def := range modelsOf(t, p) {
					n := againstBrute(t, fmt.Sprintf("seed %d, %s", seed, model), p, def, 2000)
					compared += int(program.Bool(n > 0))
					found += n
				}
			}
			t.Logf("%d comparisons, %d graphs", compared, found)
		})
	}
}

// everyHow is how graphs are explored: in both orders, by the definition and by what is made for the model.
var everyHow = []Options{{WritesFirst: true, Evaluate: true}, {Evaluate: true}, {}, {WritesFirst: true}}

// againstBrute compares the graphs of one program, and returns how many there are, or 0 where
// it would have to build more than most. hows are those of everyHow that are to be compared; none: all.
func againstBrute(t *testing.T, of string, p *program.Program, def *memory.Definition, most int, hows ...Options) int {
	t.Helper()
	opts := Options{Model: def.Model, Definition: def, Evaluate: true, MemoryLimit: 1 << 30}
	b := &brute{explorer: newTestExplorer(t, p, opts), seen: map[string]bool{}, leaves: map[string]bool{}, limit: most}
	b.visit(name(b.g))
	if b.built > b.limit {
		return 0
	}
	if len(hows) == 0 {
		hows = everyHow
	}
	for _, how := range hows {
		how.Model, how.Definition, how.MemoryLimit, how.Hopeless = opts.Model, opts.Definition, opts.MemoryLimit, true
		x := newTestExplorer(t, p, how)
		if _, evaluates := x.check.(*evaluated); evaluates && !how.Evaluate {
			continue // there is nothing but the definition
		}
		got := map[string]int{}
		x.leafed = func() { got[name(x.g)]++ }
		x.visit()
		if x.midway { // in the middle of a section
			continue
		}
		if x.inextensible != "" {
			t.Errorf("%s, %+v: %s", of, how, x.inextensible)
		}
		for n, times := range got {
			if !b.leaves[n] || times != 1 {
				t.Errorf("%s, %+v: found %d times: %s (one: %v)", of, how, times, n, b.leaves[n])
			}
		}
		for n := range b.leaves {
			if got[n] == 0 {
				t.Errorf("%s, %+v: not found: %s", of, how, n)
			}
		}
		if t.Failed() {
			t.Fatal(reference.Dump(p))
		}
	}
	return len(b.leaves)
}
