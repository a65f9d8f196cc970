package certify_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
)

// accept checks a certificate, without its first lines, for a program.
func accept(t *testing.T, text, model, cert string) error {
	t.Helper()
	name := "p.imp"
	if strings.HasPrefix(text, "thread") {
		name = "p.txt"
	}
	p := enginetest.Parse(t, name, text)
	head := certify.Magic + "\nprogram " + program.Fingerprint(p) + "\nmodel " + model + "\n"
	_, err := certify.Check(context.Background(), strings.NewReader(head+cert), p)
	return err
}

// TestByHand: certificates, written by hand, that use every way there may be to say that a program that is not safe
// is safe.
func TestByHand(t *testing.T) {
	// Q sees x = 1 while y = 0.
	const between = `program P variables x = 0, y = 0
process P begin x := 1; y := 1 end
process Q local r, s begin r := x; s := y end
forbid Q.r = 1 & Q.s = 0`
	const moments = `program P variables x = 0, y = 0
process P local r begin x := 1; r := 1; y := 1 end
process Q local s begin s := 1 end
`
	const counting = `program P variables x = 0
process P local r begin r := 0; while true do r := 1 - r od end
process Q begin x := 1; assert 0 end
forbid x = 2`
	for what, c := range map[string]struct{ text, model, cert, err string }{
		"a store that others see, in the middle of a step": {
			"program P variables x = 0, y = 0\nprocess P begin x := 1; y := 1 end\nprocess Q local r, s begin r := x; s := y end\nexists Q.r = 1 & Q.s = 0", "sc",
			"buffer none\nsteps late\ncell 0 of 0 1\ncell 1 of 0 1\nreg 1 0 of 0 1\nreg 1 1 of 0 1\ncut 0 0 2\nmiddle 0 1\ncut 1 0 1 2\nmiddle 1\n" +
				"clause !t1.r0=1 [0]=1\nclause !t0@2 [0]=1\nclause t0@2 ![0]=1\nclause !t0@2 [1]=1\nclause t0@2 ![1]=1\nclause !t1@2 !t1.r0=1 t1.r1=1\nend 6\n", "minds"},
		"two loads in one step": {
			"program P variables x = 0, y = 0\nprocess P begin x := 1; y := 1 end\nprocess Q local r, s begin r := x; s := y end\nexists Q.r = 0 & Q.s = 1", "sc",
			"buffer none\nsteps late\ncell 0 of 0 1\ncell 1 of 0 1\nreg 1 0 of 0 1\nreg 1 1 of 0 1\ncut 0 0 1 2\ncut 1 0 2\nmiddle 1 1\n" +
				"clause ![1]=1 [0]=1\nclause !t1.r1=1 t1.r0=1\nclause !t0@1 [0]=1\nend 3\n", "minds"},
		"steps that begin in the middle": {between[:strings.Index(between, "forbid")] + "forbid x = 1", "sc",
			"buffer none\nsteps late\ncell 1 of 0 1\ncut 0 2\nmiddle 0 0 1\ncut 1 0 1 2\nend 0\n", "initial state"},
		"a moment that a property sees": {moments + "forbid P.r = 1 & x = 1 & y = 0", "sc",
			"buffer none\nsteps late\ncell 0 of 0 1\ncell 1 of 0 1\nreg 0 0 of 0 1\nreg 1 0 of 0 1\ncut 0 0 2 3\nmiddle 0 1\ncut 1 0 1\nend 0\n", "need not see"},
		"a step without an end":                       {counting, "sc", "buffer none\nsteps late\ncell 0 of 0\nreg 0 0 of 0 1\ncut 0 0\nmiddle 0 1 2\ncut 1 0\nend 0\n", ""},
		"a state less":                                {counting, "sc", "buffer none\nsafe 1\n", "more than 1 states"},
		"no buffers under tso":                        {between, "tso", "buffer none\nsafe 9\n", "enclose"},
		"robust where memory is looked at in mid-run": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nforbid x = 1", "tso", "buffer robust\nsafe 2\n", "says nothing"},
		"robust where a thread may hold the lock":     {"program P variables x = 0\nprocess P begin lock; x := 1 end\nprocess Q begin x := 2 end\nexists x = 3", "tso", "buffer robust\nsafe 2\n", "locks"},
		"a deadlock behind a fence": {"program P variables x = 0\nprocess P begin x := 1; fence; lock end\nprocess Q begin lock end\nforbid deadlock", "tso",
			"buffer set\nsteps large\nend 0\n", "deadlock"},
		"a cell with one value": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\nsteps single\ncell 0 of 0\ncut 0 0 1\ncut 1 0\nend 0\n", "no bits"},
		"a store that no buffer has": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "tso",
			"buffer set\nsteps single\ncell 0 of 0 1\ncut 0 0 1\ncut 1 0\nclause ![0]=1\nend 1\n", "no bits"},
		"a store to a cell that is not listed": {"thread P\ninitial q0\ntransition q0 q1 write 1 5\nend\ngoal P q1\n", "sc",
			"buffer none\nsteps single\ncut 0 0\nend 0\n", "no bits"},
		"a load from a cell that is not listed": {"thread P\ninitial q0\ntransition q0 q1 read r 5\nend\ngoal P q1\n", "tso",
			"buffer set\nsteps single\ncut 0 0\nend 0\n", "no bits"},
		"a control state that is not there": {"program P variables x = 0\nprocess P begin assert 0 end\nprocess Q begin skip end", "sc",
			"buffer none\nsteps single\ncut 0 1\ncut 1 0\nend 0\n", "initial state"},
		"a lemma that does not follow": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\nsteps single\ncell 0 of 0 1\ncut 0 0 1\ncut 1 0\nclause [0]=1 ![0]=1\nlemma\nend 1\n", "does not follow"},
		"clauses that contradict each other": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\nsteps single\ncell 0 of 0 1\ncut 0 0 1\ncut 1 0\nclause [0]=1\nclause ![0]=1\nend 2\n", "initially"},
		"a diagram without a step": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\ndiagram single\ncut 0 0 1\ncut 1 0\ncell 0 0 1\nthread 0 2\nlocal 0\nlocal 1\nthread 1 1\nlocal 0\nnode 1 0 1\nnode 2 0 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram with a step to what is not listed": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\ndiagram single\ncut 0 0 1\ncut 1 0\nthread 0 2\nlocal 0\nlocal 1\nthread 1 1\nlocal 0\nnode 1 0 1 1 1\nnode 2 0 2\nend 3\n", "leads out"},
		"a diagram of other states": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\ndiagram single\ncut 0 0 1\ncut 1 0\ncell 0 0 1\nthread 0 2\nlocal 0\nlocal 1\nthread 1 1\nlocal 0\nnode 1 0 1\nnode 2 1 2\nnode 3 0 3\nend 4\n", "initial state"},
		"a diagram with a violation": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "sc",
			"buffer none\ndiagram single\ncut 0 0 1\ncut 1 0\ncell 0 0 1\nthread 0 2\nlocal 0\nlocal 1\nthread 1 1\nlocal 0\nnode 1 0 1\nnode 1 1 1\nnode 2 0 2 1 3\nnode 3 0 4\nend 5\n", "violates"},
		"a local state with a pair that is not there": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1", "tso",
			"buffer fifo\ndiagram single\nqueue 0 1\ncut 0 0 1\ncut 1 0\ncell 0 0 1\nthread 0 1\nlocal 0 7\nend 1\n", "want a local state"},
	} {
		err := accept(t, c.text, c.model, c.cert)
		if err == nil {
			t.Errorf("%s: accepted", what)
		} else if !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", what, err, c.err)
		}
	}
}

// TestRobustByHand: programs in which a store that is late is noticed only since something else is late, too, or was not.
func TestRobustByHand(t *testing.T) {
	for what, c := range map[string]struct {
		text   string
		robust bool
	}{
		"store buffering":         {"process P local r begin x := 1; r := y end process Q local r begin y := 1; fence; r := x end", false},
		"with fences":             {"process P local r begin x := 1; fence; r := y end process Q local r begin y := 1; fence; r := x end", true},
		"a load of what it wrote": {"process P local r begin x := 1; r := x end process Q local r begin y := 1; r := x end", true},
		"one of two stores":       {"process P local r begin x := 1; z := 1; r := y end process Q local r begin y := 1; fence; r := z; if r = 0 then r := x fi end", false},
		"memory is as it was":     {"process P local r begin x := 1; r := y end process Q local r begin atomic begin r := x; if r = 1 then y := 1 fi end end", true},
		"and not as it will be":   {"process P local r begin x := 1; r := y end process Q local r begin atomic begin r := x; if r = 0 then y := 1 fi end end", false},
		"by way of a third":       {"process P local r begin x := 1; r := y end process Q begin y := 1; z := 1 end process R local r begin r := z; if r = 1 then r := x fi end", false},
		"a third without a link":  {"process P local r begin x := 1; r := y end process Q begin z := 1 end process R local r begin r := z; if r = 1 then r := x fi end", true},
		"an exchange is a fence":  {"process P local r begin x := 1; r := cas(z, 0, 1); r := y end process Q local r begin y := 1; fence; r := x end", true},
	} {
		p := enginetest.Parse(t, "p.imp", "program P variables x = 0, y = 0, z = 0 "+c.text)
		err := certify.Search(context.Background(), &strings.Builder{}, p, "tso", "robust", certify.Robust, 0)
		if (err == nil) != c.robust {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestLocked: the lock keeps others out, and flushes as well.
func TestLocked(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", `program P variables x = 0, y = 0
process P local r begin lock; r := x; x := r + 1; unlock end
process Q local r begin lock; r := x; x := r + 1; unlock end
process R begin y := 1 end
exists x = 1`)
	for _, b := range []string{"fifo", "set", "coherence:1"} {
		if err := certify.Search(context.Background(), &strings.Builder{}, p, "tso", b, certify.Safe, 0); err != nil {
			t.Errorf("%s: %v", b, err)
		}
	}
}
