package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestNoEnd: where a thread never comes to its end there are no final states, and nothing
// is searched, unless there may be a fault.
func TestNoEnd(t *testing.T) {
	for name, test := range map[string]struct {
		text     string
		searched bool
	}{
		"a loop":         {"process P begin while true do x := x + 1 od end process Q begin y := 1 end", false},
		"both":           {"process P begin while true do x := x + 1 od end process Q begin while true do y := 1 od end", false},
		"a way out":      {"process P local r; begin r := 0; while r = 0 do r := y od end process Q begin y := 1 end", true},
		"never taken":    {"process P local r; begin r := 0; while r = 0 do x := r od end process Q begin y := 1 end", false},
		"with an assert": {"process P local r; begin while true do r := x; assert r = 0 od end", false},
		"with a fault":   {"process P local r; begin while true do r := x; a[r] := 1 od end", true},
	} {
		p, err := lang.Read("test.imp", strings.NewReader("program Test\nvariables x, y, a[1]\n"+test.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		finals, res, err := FinalStates(t.Context(), p, Options{Engine: Explicit, Buffer: 1})
		if err != nil {
			t.Fatal(err)
		}
		if searched := res.Stat("states") > 0; searched != test.searched || (res.Argument() == verdict.NoEnd) == searched {
			t.Errorf("%s: %v (%s), %d states", name, res.Verdict(), res.Argument(), res.Stat("states"))
		}
		if !test.searched && (len(finals) > 0 || len(reference.Search(p, memory.TSO, 0, 1000).Finals) > 0) {
			t.Errorf("%s: there are final states", name)
		}
	}
}

// TestCircles: threads that go in circles for ever, without an access or waiting, are followed to the bound on
// steps, and not to ever more rounds.
func TestCircles(t *testing.T) {
	for name, text := range map[string]string{
		"registers": "process P local r; begin while true do r := r + 1 od end process Q local r; begin while true do r := r + 1 od; x := r end",
		"accesses":  "process P local r; begin while true do r := r + z od end process Q begin y := 1 end",
	} {
		p, err := lang.Read("test.imp", strings.NewReader("program Test\nvariables x, y, z = 1\n"+text), nil)
		if err != nil {
			t.Fatal(err)
		}
		p.NoHang = true
		r, err := Hangs(t.Context(), p, Options{Engine: Graphs, Model: memory.RA})
		if err != nil || r.Conclusive() || r.About() != verdict.Liveness || !strings.Contains(r.Reason(), "more than 10,000 steps") || r.Bound > 1<<14 {
			t.Errorf("%s: %s, %s, up to %d rounds, %v", name, r.Verdict(), r.Reason(), r.Bound, err)
		}
	}
}

// TestQuietCircles: who goes round for ever and changes nothing has no way out, and waits for nobody.
func TestQuietCircles(t *testing.T) {
	p, err := lang.Read("test.imp", strings.NewReader("program Test\nvariables x, y\nprocess P local r; begin while true do r := r + x od end process Q begin y := 1 end"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.NoHang = true
	for _, o := range []Options{{Engine: Graphs, Model: memory.RA}, {Engine: Graphs, Model: memory.SC}, {Engine: Explicit, Model: memory.SC}} {
		if r, err := Hangs(t.Context(), p, o); err != nil || !r.Safe() {
			t.Errorf("%s under %s: %v, %v", o.Engine, o.Model, r, err)
		}
	}
}

// TestHangsEarly: a hang that is there in the first round of loops is found, although the properties are asked for in ever more rounds.
func TestHangsEarly(t *testing.T) {
	const loop = "local r; begin while y = 0 do r := z; z := r + 1 od end "
	p, err := lang.Read("test.imp", strings.NewReader("program Test\nvariables x, y, z\nprocess P begin await x = 1 end process R begin y := 1 end process Q "+loop+"process S "+loop), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.NoHang = true
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if r, err := Check(ctx, p, Options{Engine: Graphs, Model: memory.SC}); err != nil || !r.Unsafe() || r.About() != verdict.Liveness {
		t.Errorf("%v, %v", r, err)
	}
}
