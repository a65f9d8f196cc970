package trust

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// rfName is name without coherence.
func rfName(g *graph) string {
	var b strings.Builder
	for _, part := range strings.Split(name(g), "|") {
		if !strings.Contains(part, "/") {
			b.WriteString(part + "|")
		}
	}
	return b.String()
}

// TestAnyCoherence compares graphs without coherence, each explored once, with those that there are
// with it.
func TestAnyCoherence(t *testing.T) {
	compared, found := 0, 0
	for _, shape := range shapes {
		for seed := range programs(2 * shape.programs) {
			p := random(seed, shape.opts)
			if memory.Block(p) != nil {
				continue
			}
			for model, def := range modelsOf(t, p) {
				n := againstCoherence(t, fmt.Sprintf("seed %d, %s", seed, model), p, def)
				compared += int(program.Bool(n > 0))
				found += n
			}
		}
	}
	t.Logf("%d comparisons, %d graphs", compared, found)
}

// againstCoherence compares the graphs of one program without coherence with those that there are with it, and returns
// how many there are.
func againstCoherence(t *testing.T, of string, p *program.Program, def *memory.Definition) int {
	t.Helper()
	opts := Options{Model: def.Model, Definition: def, Hopeless: true, MaxSteps: 100, MaxGraphs: 1000}
	want := map[string]bool{}
	x := newTestExplorer(t, p, opts)
	x.leafed = func() { want[rfName(x.g)] = true }
	if x.visit(); x.stopped != "" {
		return 0
	}
	for _, first := range []bool{false, true} {
		opts.AnyCoherence, opts.WritesFirst = true, first
		got := map[string]int{}
		y := newTestExplorer(t, p, opts)
		y.leafed = func() { got[rfName(y.g)]++ }
		y.visit()
		for n, times := range got {
			if times != 1 || !want[n] {
				t.Errorf("%s, %v: found %d times: %s (one: %v)", of, first, times, n, want[n])
			}
		}
		for n := range want {
			if got[n] == 0 {
				t.Errorf("%s, %v: not found: %s", of, first, n)
			}
		}
		if t.Failed() {
			t.Fatal(reference.Dump(p))
		}
	}
	return len(want)
}

// TestAnyCoherenceCounts has families of programs whose graphs without coherence can be counted.
func TestAnyCoherenceCounts(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
	}{
		{times(4, "Ux"), 24}, {times(3, "Ux Uy"), 36}, {"Cx01 Wx4|Cx01 Wx5|Cx01 Wx6", 24}, {times(3, "Rx Wx#"), 16}, {times(4, "Rx Wx#"), 125},
		{"Wx9|" + times(3, "Ux"), 24}, {"Wx2|" + times(4, "Cx23"), 33}, {"Cx01|Cx12|Cx23|Cx34|Cx45", 43},
		{times(8, "Wx#") + "|Rx", 9}, {"Wx1|Rx Wx2|Rx Wx3|Rx Wx4", 50},
	} {
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.RA} {
			res, err := Explore(t.Context(), parse(t, test.text, program.X86), Options{Model: m, AnyCoherence: true})
			if err != nil || !res.Safe() || res.Stat("executions") != test.want {
				t.Errorf("%s under %s: %v, %v, want %d", test.text, m, fmt.Sprint(res.Stats), err, test.want)
			}
		}
	}
}

// TestAnyCoherenceEnds: the search for a coherence order, which may be a long one, ends with the time.
func TestAnyCoherenceEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p := parse(t, times(9, "Wx1 Wy2")+"|Rx {0=1 Ry {1=2 Rx Ry } }", program.X86)
	if res, err := Explore(ctx, p, Options{Model: memory.SC, AnyCoherence: true}); err != nil || res.Unsafe() {
		t.Errorf("%v %v", res, err)
	}
}
