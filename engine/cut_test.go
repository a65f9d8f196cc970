package engine

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// bounded makes the assertions inside the atomic blocks of p bounds.
func bounded(p *program.Program) *program.Program {
	for _, t := range p.Threads {
		for i := range t.Edges {
			for k := range t.Edges[i].Cmd.Body {
				if c := &t.Edges[i].Cmd.Body[k]; c.Op == program.Assert {
					c.Kind = program.Bound
				}
			}
		}
	}
	return p
}

// TestBoundInBlock: who has come to a bound inside an atomic block does not stand there for
// good, so that those who wait for what comes behind it are in no deadlock.
func TestBoundInBlock(t *testing.T) {
	const text = `program P variables x, y
		process P local r begin atomic begin r := x; assert r = 1 end; y := 1 end
		process Q begin atomic begin assume y = 1 end end forbid deadlock`
	for _, e := range Engines() {
		if e.Answers(verdict.Safety, "tso") {
			r, err := Check(t.Context(), bounded(enginetest.Parse(t, "p.imp", text)), Options{Engine: e.Name})
			if err == nil && r.Verdict() != verdict.IsUnknown {
				t.Errorf("%s: %s", e.Name, r.Verdict())
			}
		}
	}
}

// TestDeadlockInBlock: an assertion that is false in a block that cannot be executed anyway has
// not failed, and its thread stands.
func TestDeadlockInBlock(t *testing.T) {
	const text = `program P variables x, y
		process P local r begin atomic begin r := x; assert r = 1; assume y = 1 end end process Q begin y := 2 end`
	r, err := Deadlocks(t.Context(), enginetest.Parse(t, "p.imp", text), Options{})
	if err != nil || !r.Unsafe() {
		t.Errorf("%v, %v", r, err)
	}
}

// TestBoundAdvice: what is said of a bound that is met is about the bound, not about the run that meets it.
func TestBoundAdvice(t *testing.T) {
	const text = `program P variables x
		process P local r begin atomic begin r := x; assert r = 1 end end process Q begin x := 2 end`
	r, err := Check(t.Context(), bounded(enginetest.Parse(t, "p.imp", text)), Options{Engine: Auto})
	if err != nil || r.Verdict() != verdict.IsUnknown || r.Next() != "a higher bound, by --unroll" {
		t.Errorf("%v, %v: next %q", r, err, r.Next())
	}
}
