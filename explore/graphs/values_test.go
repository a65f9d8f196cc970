package graphs

import (
	"math"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestAccessGuess has a cell that is accessed on the strength of a guess only: that a command reads what it writes.
func TestAccessGuess(t *testing.T) {
	b := progtest.New(2)
	th := b.Thread()
	th.Atomic(program.Command{Op: program.Load, Reg: int(th.Reg("r")), Addr: progtest.X},
		program.Command{Op: program.Store, Addr: progtest.X, Value: program.Binary{Op: program.Add, X: th.Reg("r"), Y: program.Const(1)}})
	th.Load("r", program.Binary{Op: program.BitAnd, X: th.Reg("r"), Y: program.Const(1)})
	p := b.Build(t)
	p.Arch = program.C11
	for _, th := range p.Threads {
		for i := range th.Edges {
			th.Edges[i].Cmd.Accesses(func(c *program.Command) { c.Tags = program.NewTags("RLX") })
		}
	}
	def := load(t, memory.IMM, p.Arch)
	n := 0
	err := Enumerate(t.Context(), p, def, Options{way: oneByOne}, func(*memory.Graph, verdict.FinalState) bool { n++; return true })
	if n != 1 || err != nil {
		t.Errorf("%d executions, %v", n, err)
	}
}

// TestChoice has choices with few values, and with more than are gone through.
func TestChoice(t *testing.T) {
	for _, test := range []struct {
		hi   int64
		want string
	}{
		{999, ""},
		{math.MaxInt32, "there are too many values to choose from for an enumeration of executions: r <- any 0..2147483647, line 7"},
	} {
		b := progtest.New(1)
		th := b.Thread()
		th.Emit(program.Command{Op: program.Havoc, Reg: int(th.Reg("r")), Hi: test.hi, Pos: program.Position{Line: 7}}).Store(progtest.X, th.Reg("r"))
		p := b.Build(t)
		p.Arch = program.AArch64
		r, err := Check(t.Context(), p, load(t, memory.ARMv8, p.Arch), Options{MemoryLimit: 1 << 25})
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason() != test.want || test.want == "" && r.Stat("executions") != test.hi+1 {
			t.Errorf("%d values: %d executions, %s", test.hi+1, r.Stat("executions"), r.Reason())
		}
	}
}

// TestAccessWait has a loop that only waits, whose rounds access a cell that nothing else does, under a model that
// asks for some program order.
func TestAccessWait(t *testing.T) {
	b := progtest.New(2)
	b.Thread().Store(progtest.X, program.Const(1))
	th := b.Thread()
	head := th.Cur
	th.Load("r", progtest.X)
	test := th.Cur
	th.Check(progtest.Eq(th.Reg("r"), 0))
	th.Edge(th.Cur, head, program.Command{Op: program.Load, Reg: int(th.Reg("r")), Addr: progtest.Y})
	th.Cur = test
	th.Check(progtest.Eq(th.Reg("r"), 1))
	p := b.Build(t)
	def, err := memory.Define("test.cat", "acyclic po-loc | rf | co | fr as a\n~empty po as b", nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = Enumerate(t.Context(), p, def, Options{BackEdges: 1, way: oneByOne}, func(*memory.Graph, verdict.FinalState) bool { n++; return true })
	if n != 1 || err != ErrCut {
		t.Errorf("%d executions, %v; want the one with a round", n, err)
	}
}
