package engine

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// corners are programs at the edges of what the engines' arguments cover: an
// assertion that fails in the middle of an atomic block, which goes on; a store
// that the lock of another thread keeps in its buffer for ever; a block with an
// assertion that is itself the way round a loop.
var corners = []struct {
	name, text string
	unsafe     []memory.Model // SAFE under the others
	fault      bool           // under all models, instead
}{
	{"assertion in a block, certain to fail", `program A variables x = 0
		process P local r = 5 begin atomic begin assert r < 2; x := 1 end end`,
		encode.Direct, false},
	{"a branch that the assertion seems to exclude", `program A variables x = 0
		process P local r begin r := x; atomic begin assert r = 0; if r = 1 then x := 2 fi end end
		process Q begin x := 1 end`,
		encode.Direct, false},
	{"index outside in a block", `program A variables a[2], x
		process P local r = 9 begin atomic begin a[r] := 1; x := 1 end end`,
		nil, true},
	{"index outside of a store at once", `program A variables a[2]
		process P local r = 9 begin atomic begin a[r] := 1 end end`,
		nil, true},
	{"index outside of an update", `program A variables a[2]
		process P local r = 9, s begin atomic begin s := a[r]; a[r] := s + 1 end end`,
		nil, true},
	{"index outside in a block, as read", `program A variables a[2], x = 5, y
		process P local r begin atomic begin r := x; a[r] := 1; y := 1 end end
		process Q begin x := 1 end`,
		nil, true},
	{"store that the lock holds back", `program A variables x, y
		process Q begin x := 1; a: skip; y := 2 end
		process P local r begin lock; r := x; cs: skip; unlock end
		forbid P@cs & P.r = 0 & Q@a`,
		[]memory.Model{memory.TSO, memory.PSO}, false},
	{"reordered by the lock", `program A variables x, y
		process Q begin x := 1; y := 1 end
		process P local r, s begin lock; r := y; s := x; assert not (r = 1 and s = 0); unlock end`,
		[]memory.Model{memory.PSO}, false},
	{"memory that a stuck store has not reached", `program A variables x
		process Q begin x := 1; a: skip end
		process P begin lock; cs: skip; unlock end
		forbid P@cs & Q@a & x = 0`,
		[]memory.Model{memory.TSO, memory.PSO}, false},
	{"stores of a block that failed", `program A variables x, z, y
		process P local r begin z := 1; r := x; assert r != 2 end
		process Q begin atomic begin assume z = 0; assert y = 1; x := 2 end end
		process R begin await z = 1; y := 1 end`,
		encode.Direct, false},
	{"block that is the way round a loop", `program A variables x
		process P begin while true do atomic begin assert x = 0 end od end
		process Q begin x := 1 end`,
		encode.Direct, false},
	{"lock, unlock and a failing block", `program A variables x, y
		process Q begin lock; y := 1; unlock end
		process P begin y := 1; atomic begin assert y != 1 or x != 0 end end`,
		encode.Direct, false},
}

func TestCorners(t *testing.T) {
	for _, c := range corners {
		p, err := imp.Parse(&program.Source{Name: c.name, Text: c.text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range encode.Direct {
			want := verdict.IsSafe
			for _, u := range c.unsafe {
				if u == m {
					want = verdict.IsUnsafe
				}
			}
			for _, e := range []Name{Explicit, BMC, Graphs, Auto, IC3, CEGAR, Lazy} {
				decides := e == Explicit || e == BMC || e == Auto
				if !decides && m == memory.PSO {
					continue
				}
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				r, err := Check(ctx, p, Options{Model: m, Engine: e, Unroll: 4})
				cancel()
				switch {
				case err == nil && !decides && !r.Conclusive():
				case err != nil:
					t.Errorf("%s, %s, %s: %v", c.name, m, e, err)
				case c.fault != r.Fault() || !c.fault && r.Verdict() != want:
					t.Errorf("%s, %s, %s: %s (fault: %v), want %s (fault: %v)", c.name, m, e, r.Verdict(), r.Fault(), want, c.fault)
				}
			}
		}
	}
}

// TestFaultBesideProperty: listing final states, a fault counts and a property
// does not.
func TestFaultBesideProperty(t *testing.T) {
	p, err := imp.Parse(&program.Source{Text: `program S variables a[2]
		process P local r = 5 begin l: skip; a[r] := 0 end
		forbid P@l`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Name{Explicit, BMC} {
		_, r, err := FinalStates(context.Background(), p, Options{Engine: e})
		if err != nil || !r.Fault() {
			t.Errorf("%s: %v, %v; want a fault", e, r, err)
		}
	}
}
