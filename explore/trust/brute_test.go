package trust

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// name is different for different graphs, whatever the order in which they were built.
func name(g *graph) string {
	var b strings.Builder
	id := func(e int32) string { return fmt.Sprint(g.events[e].thread, ".", g.events[e].index) }
	for _, es := range g.threads {
		for _, e := range es {
			ev := &g.events[e]
			fmt.Fprint(&b, ev.kind, ev.half, ev.cell, " ", ev.value)
			if ev.rf != none {
				fmt.Fprint(&b, "<", id(ev.rf))
			}
			b.WriteByte(' ')
		}
		b.WriteByte('|')
	}
	for _, ws := range g.co {
		for _, w := range ws[1:] {
			b.WriteString(id(w) + " ")
		}
		b.WriteByte('/')
	}
	return b.String()
}

// brute builds graphs in every order that there is, each once, and notes those to which
// nothing can be added.
type brute struct {
	*explorer
	seen   map[string]bool
	leaves map[string]bool
	limit  int
}

func (b *brute) visit() {
	n := name(b.g)
	if b.seen[n] || len(b.seen) > b.limit {
		return
	}
	b.seen[n] = true
	leaf := true
	unfinished := b.unfinished()
	for t := range b.threads {
		t := int32(t)
		if unfinished >= 0 && t != unfinished {
			continue
		}
		p := b.at(t)
		stop := p.stop
		if stop.Kind.Stands() || p.late && len(b.g.co[stop.Cell]) == 1 {
			continue
		}
		leaf = false
		g := b.g
		try := func(ok bool) {
			if ok {
				b.visit()
			}
		}
		switch stop.Kind {
		case threads.Load:
			for k, w := range slices.Clone(g.co[stop.Cell]) {
				if p.late && k == 0 {
					continue
				}
				e := b.add(t, read, &stop)
				g.readFrom(e, w)
				b.settle(e)
				try(b.check.holds(g, e, none))
				g.unread(e)
				g.drop()
			}
		case threads.Store:
			for k := len(g.co[stop.Cell]); k > 0; k-- {
				e := b.add(t, write, &stop)
				g.insert(e, k)
				b.settle(e)
				try(b.check.holds(g, e, none))
				g.remove(e)
				g.drop()
			}
		case threads.Fence, threads.Lock, threads.Unlock:
			e := b.add(t, fence, &stop)
			b.settle(e)
			try(b.check.holds(g, e, none))
			g.drop()
		case threads.Choice:
			for way := range stop.Ways {
				e := b.add(t, choice, &stop)
				g.events[e].value = way
				b.settle(e)
				b.visit()
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

// againstBrute compares the graphs of one program, and returns how many there are, or 0 where
// it would have to build more than most.
func againstBrute(t *testing.T, of string, p *program.Program, def *memory.Definition, most int) int {
	t.Helper()
	opts := Options{Model: def.Model, Definition: def, Evaluate: true}
	b := &brute{newTestExplorer(t, p, opts), map[string]bool{}, map[string]bool{}, most}
	b.visit()
	if len(b.seen) > b.limit {
		return 0
	}
	for _, how := range []Options{{WritesFirst: true, Evaluate: true}, {Evaluate: true}, {}, {WritesFirst: true}} {
		how.Model, how.Definition, how.Hopeless = opts.Model, opts.Definition, true
		x := newTestExplorer(t, p, how)
		if _, evaluates := x.check.(*evaluated); evaluates && !how.Evaluate {
			continue // there is nothing but the definition
		}
		got := map[string]int{}
		x.leafed = func() { got[name(x.g)]++ }
		x.visit()
		if x.stopped != "" { // in the middle of a section
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
