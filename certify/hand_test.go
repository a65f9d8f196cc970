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
	const counting = `program P variables x = 0
process P local r begin r := 0; while true do r := 1 - r od end
process Q begin x := 1; assert 0 end
forbid x = 2`
	const one = "program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nexists x = 1"
	const locked = "program P variables x = 0\nprocess P begin lock; x := 1; unlock end\nprocess Q begin lock; x := 1; unlock end\n"
	const stuck = "program P variables x = 0\nprocess P begin lock end\nprocess Q begin lock end\nforbid deadlock"
	const both = "thread 0\nlocal 0\nlocal 1\nthread 1\nlocal 0\n"
	for what, c := range map[string]struct{ text, model, cert, err string }{
		"a state less":         {counting, "sc", "buffer none\nsafe 1\n", "more than 1 states"},
		"no buffers under tso": {between, "tso", "buffer none\nsafe 9\n", "enclose"},
		"robust where memory is looked at in mid-run": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nforbid x = 1", "tso", "buffer robust\nsafe 2\n", "says nothing"},
		"robust where a thread may hold the lock":     {"program P variables x = 0\nprocess P begin lock; x := 1 end\nprocess Q begin x := 2 end\nexists x = 3", "tso", "buffer robust\nsafe 2\n", "locks"},
		"a form that there was":                       {one, "sc", "buffer none\nsteps single\ncell 0 of 0 1\ncut 0 0 1\ncut 1 0\nclause ![0]=1\nend 1\n", "begins no certificate"},
		"a diagram without a step": {one, "sc",
			"buffer none\ndiagram\ncell 0 0 1\n" + both + "node 1 0 1\nnode 2 0 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram with a step to what is not listed": {one, "sc",
			"buffer none\ndiagram\ncell 0 0 2\n" + both + "node 1 0 1 1 1\nnode 2 0 2 1 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram with a cell that has no level": {one, "sc",
			"buffer none\ndiagram\n" + both + "node 1 0 1 1 1\nnode 2 0 2\nend 3\n", "leads out"},
		"a diagram with a store that no buffer has": {one, "tso",
			"buffer fifo\ndiagram\ncell 0 0 1\n" + both + "node 1 0 1\nnode 2 0 2 1 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram with a store that is never flushed": {one, "tso",
			"buffer fifo\ndiagram\ncell 0 0 1\nthread 0\nlocal 0\nlocal 1 0 1 0 0\nthread 1\nlocal 0\nnode 1 0 1\nnode 2 0 2 1 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram with a store that is in the buffer for good": {one, "tso",
			"buffer set\ndiagram\ncell 0 0 1\nthread 0\nlocal 0\nlocal 1 0 1 1 1\nthread 1\nlocal 0\nnode 1 0 1 1 1\nnode 2 0 2 1 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram of the buffer of another kind": {one, "tso",
			"buffer set\ndiagram\ncell 0 0 1\nthread 0\nlocal 0\nlocal 1 0 1 0 0\nthread 1\nlocal 0\nnode 1 0 1\nnode 2 0 2 1 2\nnode 3 0 3\nend 4\n", "leads out"},
		"a diagram with a set in a queue": {one, "tso",
			"buffer fifo\ndiagram\nthread 0\nlocal 0 0 1 1 1\nthread 1\nlocal 0\nnode 1 0 1\nnode 2 0 2\nend 3\n", "leads out"},
		"a diagram of other states": {one, "sc",
			"buffer none\ndiagram\ncell 0 0 1\n" + both + "node 1 0 1\nnode 2 1 2\nnode 3 0 3\nend 4\n", "initial state"},
		"a diagram with a violation": {one, "sc",
			"buffer none\ndiagram\ncell 0 0 1\n" + both + "node 1 0 1\nnode 1 1 1\nnode 2 0 2 1 3\nnode 3 0 4\nend 5\n", "violates"},
		"a diagram with a violation in one of two local states that look alike": {"program P variables x = 0\nprocess P begin x := 1 end\nprocess Q begin skip end\nforbid x = 1", "sc",
			"buffer none\ndiagram\ncell 0 0 1\n" + both + "node 1 0 1\nnode 1 1 1\nnode 2 0 2 1 3\nnode 3 0 4\nend 5\n", "violates"},
		"a diagram with an assertion that fails": {"program P variables x = 0\nprocess P begin assert 0 end\nprocess Q begin skip end", "sc",
			"buffer none\ndiagram\n" + both + "node 1 0 1 1 1\nnode 2 0 2\nend 3\n", "leads out"},
		"a diagram that knows nothing of the lock": {locked, "sc",
			"buffer none\ndiagram\nthread 0\nlocal 0\nthread 1\nlocal 0\nnode 1 0 1\nnode 2 0 2\nend 3\n", "leads out"},
		"a diagram in which the lock has a value more": {locked, "sc",
			"buffer none\ndiagram\nlock 1\nthread 0\nlocal 0\nthread 1\nlocal 0\nnode 1 0 1\nnode 2 0 2\nnode 3 0 3\nend 4\n", "initial state"},
		"a diagram with a deadlock": {stuck, "sc",
			"buffer none\ndiagram\nlock 0 1 2\nthread 0\nlocal 0\nlocal 1\nthread 1\nlocal 0\nlocal 1\nnode 1 0 1 1 1 2 1\nnode 2 0 2 1 2\nnode 3 0 3 1 3\nend 4\n", "deadlock"},
		"a diagram without a thread": {one, "sc",
			"buffer none\ndiagram\nthread 1\nlocal 0\nnode 1 0 1\nend 2\n", "no level for thread P"},
		"a level that is there twice": {one, "sc",
			"buffer none\ndiagram\nthread 0\nlocal 0\nthread 0\nlocal 0\nend 1\n", "no part"},
		"a level that no node has":    {one, "sc", "buffer none\ndiagram\n" + both + "cell 0\nnode 1 0 1\nnode 2 0 2\nend 3\n", "no part"},
		"a value that is there twice": {one, "sc", "buffer none\ndiagram\ncell 0 0 0\n", "no part"},
		"half a store":                {one, "tso", "buffer fifo\ndiagram\nthread 0\nlocal 0 0 1 0\n", "no part"},
		"no such control state":       {one, "sc", "buffer none\ndiagram\nthread 0\nlocal 7\n", "no part"},
		"a local state of nobody":     {one, "sc", "buffer none\ndiagram\ncell 0 0 1\nlocal 0\n", "no part"},
		"a node that leads to itself": {one, "sc", "buffer none\ndiagram\nthread 0\nlocal 0\nnode 1 0 2\n", "no part"},
		"a node that leads nowhere":   {one, "sc", "buffer none\ndiagram\nthread 0\nlocal 0\nnode 1 0 0\n", "no part"},
		"a node that skips a level":   {one, "sc", "buffer none\ndiagram\n" + both + "node 2 0 1\n", "no part"},
		"a node with a value twice":   {one, "sc", "buffer none\ndiagram\n" + both + "node 1 0 1 0 1\n", "no part"},
		"a node of values not listed": {one, "sc", "buffer none\ndiagram\n" + both + "node 1 5 1\n", "no part"},
		"an end below the highest":    {one, "sc", "buffer none\ndiagram\n" + both + "node 1 0 1\nend 2\n", "no part"},
		"a queue shorter than empty":  {one, "tso", "buffer coherence:-1\nsafe 2\n", "enclose"},
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

// TestBuffers: what is in a set may be flushed again, unless its counts are exact; and a thread reads what it stored last.
func TestBuffers(t *testing.T) {
	const again = `program P variables x = 0
process P begin x := 1 end
process Q local r, s begin r := x; x := 0; fence; s := x end
exists Q.r = 1 & Q.s = 1`
	const last = "program P variables x = 0\nprocess P local r begin x := 2; x := 1; r := x end\nforbid P.r = 2"
	for buffer, twice := range map[string]bool{"fifo": false, "set": true, "multiset:1": true, "multiset": false, "coherence:0": true, "coherence:2": false} {
		for text, refused := range map[string]bool{again: twice, last: false} {
			p := enginetest.Parse(t, "p.imp", text)
			if err := certify.Search(t.Context(), &strings.Builder{}, p, "tso", buffer, certify.Safe, 0); (err != nil) != refused {
				t.Errorf("%s: %v\n%s", buffer, err, text)
			}
		}
	}
}
