package trust

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestEndless: the clock is looked at between the steps of a visit, too, of which one takes seconds in a graph of
// tens of thousands of events, where nothing bounds the rounds of loops.
func TestEndless(t *testing.T) {
	p, err := imp.Parse(&program.Source{Name: "endless.imp", Text: `program P variables x; process P local r begin while true do r := fetch_add(x, 1); r := fetch_add(x, -1) od end
		process Q local r begin while true do r := fetch_add(x, 1); r := fetch_add(x, -1) od end
		process R local r begin while true do r := fetch_add(x, -1); r := fetch_add(x, 1) od end`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Model{memory.SC, memory.RA} {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		start := time.Now()
		res, err := Explore(ctx, p, Options{Model: m})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 2*time.Minute { // it was five minutes and more on an idle machine
			t.Errorf("%v: %v, after %v", m, res.Verdict(), took)
		}
	}
}
