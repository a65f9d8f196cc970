package trust

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// lbRing is n threads, of which the first and the others read the cell @ of a ring and write the
// next one, #.
func lbRing(n int, first, rest string) string {
	const cells = "xyzwuvabcdefghijklmn"
	var all []string
	for i := range n {
		th := rest
		if i == 0 {
			th = first
		}
		th = strings.ReplaceAll(th, "@", cells[i:i+1])
		all = append(all, strings.ReplaceAll(th, "#", cells[(i+1)%n:(i+1)%n+1]))
	}
	return strings.Join(all, "|")
}

func nodep(n int) string { return lbRing(n, "R@ W#1", "R@ W#1") }

func pairs(k int) string {
	const cells = "xyzwuvabcdefghijklmn"
	var all []string
	for i := range k {
		x, y := cells[2*i:2*i+1], cells[2*i+1:2*i+2]
		all = append(all, "R"+x+" W"+y+"1|R"+y+" W"+x+"1")
	}
	return strings.Join(all, "|")
}

// figures are those of an exploration: executions and cyclic ones, all that were explored to
// their ends, certified graphs that were known, certifications that failed.
type figures struct{ executions, cyclic, explored, known, failed int64 }

func weakly(t testing.TB, text string, off bool) figures {
	t.Helper()
	x := newWeakExplorer(t, text)
	x.opts.Again = off
	x.tour()
	if x.err != nil || x.weak.unsure != "" {
		t.Errorf("%s: %v %s", text, x.err, x.weak.unsure)
	}
	w := x.weak
	return figures{x.executions, w.cycles, x.executions + w.duplicates, w.known, w.failed}
}

func newWeakExplorer(t testing.TB, text string) *explorer {
	t.Helper()
	x := newTestExplorer(t, parse(t, text, program.C11), Options{Model: memory.Weakestmo2})
	x.lb = newLBWatch(false)
	return x
}

// Programs of the paper, and one for each correction of its algorithm.
const (
	thenOthers = "Wz1|Rz Rx {0=0,1=1 Wy1 }|Ry Wxr"                      // 4.2.3
	cex        = "Wz1|Rz {0=1 Rx {1=1 Wy1 } }else{ Wy1 }|Ry Wxr"        // LBF-CEX
	swapped    = "Wz1|Rx Rz {1=r0 Wy1 }|Ry Wxr"                         // with its loads exchanged
	afterOther = "Rx {0=1 Wy1 }|Ry {0=1 Wx1 }|Wx1"                      // the racy read reads from a third thread
	bait       = "Rx Rz {0=1 {1=0 Wy1 } }else{ {1=1 Wy1 } }|Ry Wxr|Wz1" // promises by what it does not read again
	behind     = "Rx Wy1 F.acq Wz1|Ry Rz.acq Wx1"                       // a promise behind a fence
	observed   = "Ry Wy2|Ry Wx1|Rx.acq Wy1"                             // who comes first reads what the cycle writes
	shared     = "Ry Wx1|Rx.acq Rz.acq Wy1|Ry Wz1"                      // two cycles by one write, neither of which can begin with it
	beside     = "Rz|Ry.acq Wxr|Rx Wzr Wy2"                             // who comes first reads what the certifying run writes
	forgotten  = "Wy1.rel Ry.acq Wx1|Ry Rx {0=1,1=1 Wy1 }"              // promises by what the run reads that keeps it, and a third one does not
)

// TestWeakestmo2 has the numbers of executions that were known before there was this engine, and,
// without the table, how many are explored: those of table 4 of the paper.
func TestWeakestmo2(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       figures
	}{
		{"LB-nodep(2)", nodep(2), figures{4, 1, 5, 1, 0}},
		{"LB-nodep(3)", nodep(3), figures{8, 1, 10, 2, 0}},
		{"LB-nodep(4)", nodep(4), figures{16, 1, 19, 3, 0}},
		{"LB-nodep(5)", nodep(5), figures{32, 1, 36, 4, 0}},
		{"LB-pairs(2)", pairs(1), figures{4, 1, 5, 1, 0}},
		{"LB-pairs(4)", pairs(2), figures{16, 7, 25, 5, 0}},
		{"LB-pairs(6)", pairs(3), figures{64, 37, 125, 21, 0}},
		{"LB+data(2)", lbRing(2, "R@ W#1", "R@ W#r"), figures{4, 1, 4, 0, 1}},
		{"LB+data(3)", lbRing(3, "R@ W#1", "R@ W#r"), figures{8, 1, 8, 0, 2}},
		{"LB+data(4)", lbRing(4, "R@ W#1", "R@ W#r"), figures{16, 1, 16, 0, 3}},
		{"LB+data(5)", lbRing(5, "R@ W#1", "R@ W#r"), figures{32, 1, 32, 0, 4}},
		{"LB+ctrl(2)", lbRing(2, "R@ {0=0 W#1 }", "R@ {0=0 W#1 }"), figures{3, 0, 3, 0, 0}},
		{"LB+ctrl(3)", lbRing(3, "R@ {0=0 W#1 }", "R@ {0=0 W#1 }"), figures{4, 0, 4, 0, 0}},
		{"LB+ctrl(4)", lbRing(4, "R@ {0=0 W#1 }", "R@ {0=0 W#1 }"), figures{7, 0, 7, 0, 0}},
		{"LB+ctrl(5)", lbRing(5, "R@ {0=0 W#1 }", "R@ {0=0 W#1 }"), figures{11, 0, 11, 0, 0}},
		{"LB+if(2)", lbRing(2, "R@ W#1", "R@ {0=1 W#1 }"), figures{3, 1, 3, 0, 0}},
		{"LB+if(3)", lbRing(3, "R@ W#1", "R@ {0=1 W#1 }"), figures{4, 1, 4, 0, 0}},
		{"LB+if(4)", lbRing(4, "R@ W#1", "R@ {0=1 W#1 }"), figures{5, 1, 5, 0, 0}},
		{"LB+if(5)", lbRing(5, "R@ W#1", "R@ {0=1 W#1 }"), figures{6, 1, 6, 0, 0}},
		{"LB+ifs(2)", lbRing(2, "R@ {0=1 W#1 }", "R@ {0=1 W#1 }") + "|Wx1", figures{4, 0, 4, 0, 0}},
		{"LB+ifs(3)", lbRing(3, "R@ {0=1 W#1 }", "R@ {0=1 W#1 }") + "|Wx1", figures{5, 0, 5, 0, 0}},
		{"LB+ifs(4)", lbRing(4, "R@ {0=1 W#1 }", "R@ {0=1 W#1 }") + "|Wx1", figures{6, 0, 6, 0, 0}},
		{"LB", "Rx Wy1|Ry Wxr", figures{4, 1, 4, 0, 1}},
		{"RLB+W", "Rx Wy1|Rz Ry Wx1|Wz2", figures{8, 2, 10, 2, 0}},
		{"promises and reads of others", thenOthers, figures{7, 2, 7, 0, 2}},
		{"LBF-CEX", cex, figures{4, 0, 4, 0, 0}},
		{"LBF-CEX swapped", swapped, figures{5, 0, 5, 0, 2}},
	} {
		off, on := weakly(t, test.text, true), weakly(t, test.text, false)
		got := figures{on.executions, on.cyclic, off.explored, on.known, on.failed}
		if got != test.want || off.executions != on.executions {
			t.Errorf("%s: %v, want %v (%v)", test.name, got, test.want, fmt.Sprint(off, on))
		}
	}
}

// TestWeakMutants breaks each rule of the exploration under Weakestmo2, and shows that counts tell.
func TestWeakMutants(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules mutant
		text  string
		want  int64 // executions, as it should be
	}{
		{"reads that change are not changed after a certification", noMore, thenOthers, 7},
		{"others that race with what closes a cycle are not changed", noOthers, shared, 16},
		{"reads of what is not known stay what they are", noForgets, forgotten, 8},
		{"the cycle is not kept", noCycle, thenOthers, 7},
		{"a certifying run reads anything", anyCertified, swapped, 5},
		{"a certifying run reads less", baited, bait, 5},
		{"the racy read is not local", anyRacy, afterOther, 4},
		{"the table knows cycles", byCycle, pairs(2), 16},
		{"stores come back last in coherence", lastPlace, "Rx Wy1|Ry Wx1|Wx2", 12},
		{"promises behind fences", unsynchronised, behind, 6},
	} {
		if got := weakly(t, test.text, false); got.executions != test.want {
			t.Errorf("%s: %d executions, want %d", test.text, got.executions, test.want)
		}
		x := newWeakExplorer(t, test.text)
		x.rules, x.opts.MaxGraphs = test.rules, 1000
		x.tour()
		if x.executions == test.want && x.weak.unsure == "" && x.stopped == "" {
			t.Errorf("%s: %s has its %d executions", test.name, test.text, test.want)
		}
	}
}

// TestForgets has programs in which graphs are certified in several ways, not all of which justify what comes of
// them, with their executions, as the event structures have them.
func TestForgets(t *testing.T) {
	for _, test := range []struct {
		text string
		want figures
	}{
		{"Rz Rx.acq Wy1|Ry Ry {1=0 Wxr }else{ Wx1 } Rz|Wy2", figures{executions: 23, cyclic: 5}},
		{"Wz2 Rx Wx1 {0=1 Wyr }|Rx Ry Ry {0=1 Wx1 }else{ Wx1 }|Ry Wyr", figures{executions: 27, cyclic: 11}},
		{"Wx1 Wx1|Wy1 Rx {0=0,0=1 Wy1 }|Rx Ry Wx1", figures{executions: 72, cyclic: 6}},
		{"Ry Rx Wy2|Wy1 Ry {0=0 Wx1 }else{ Wx1 }|Wy1 Wz1", figures{executions: 52, cyclic: 8}},
	} {
		if got := weakly(t, test.text, false); got.executions != test.want.executions || got.cyclic != test.want.cyclic {
			t.Errorf("%s: %d executions, %d of them with cycles, not %d and %d", test.text, got.executions, got.cyclic, test.want.executions, test.want.cyclic)
		}
	}
}

// TestUpdates has programs with read-modify-writes that race, with their executions, as the event structures have them
// (TestEventStructures).
func TestUpdates(t *testing.T) {
	for _, test := range []struct {
		text               string
		executions, cyclic int64
	}{
		{"Ux.acqrel|Ux.acqrel", 2, 0},
		{"Ux|Ux", 2, 0},
		{"Ux|Ux|Ux", 6, 0},
		{"Ux Wy1|Ry Wxr", 4, 1},
		{"Xx2 Wy1|Ry Wx1", 4, 1},
		{"Xx2.rel Wy1|Ry Wx1", 4, 1},
		{"Rx Wy1|Uy Wx1", 4, 1},
		{"Rx Xy1|Ry Wx1", 4, 1},
		{"Ux.acq Wy1|Ry.acq Wxr", 3, 0},
		{"Cy01.rel Wx1|Rx.acq Xy2.acq", 4, 1},
		{"Ry {0=1 Wx1 }|Rx {0=0 Wy1 }else{ Xy1 }", 3, 1},
		{"Ry {0=1,0=1 Xx1 }else{ Wx1 }|Rx.sc Rx.sc Xy1", 6, 2},
	} {
		res, err := Explore(context.Background(), parse(t, test.text, program.C11), Options{Model: memory.Weakestmo2})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Stat("executions"); !res.Safe() || got != test.executions || res.Stat("cyclic") != test.cyclic {
			t.Errorf("%s: %s %s, %d executions, %d of them with cycles, not %d and %d", test.text, res.Verdict(), res.Reason(), got, res.Stat("cyclic"), test.executions, test.cyclic)
		}
	}
}

// TestReleased has an execution that is coherent only by what justifies its reads: the exchange that is read from has
// no release sequence where it is promised.
func TestReleased(t *testing.T) {
	p, err := lang.Parse(&program.Source{Name: "released.litmus", Text: `C released
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_seq_cst);
  if (r0 == 1) { atomic_store_explicit(y, 1, memory_order_seq_cst); }
}
P1 (atomic_int* x, atomic_int* y) {
  int r1 = atomic_fetch_add_explicit(y, 1, memory_order_acquire);
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
P2 (atomic_int* x, atomic_int* y) {
  int r2 = atomic_exchange_explicit(y, 2, memory_order_relaxed);
}
exists (0:r0=1 /\ 1:r1=2 /\ 2:r2=1)
`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := Explore(t.Context(), p, Options{Model: memory.Weakestmo2}); err != nil || !res.Unsafe() {
		t.Errorf("%v %v", res, err)
	}
}

// TestLBRaceFree compares with RC11 where there are no races of load buffering: there are the same
// graphs then, and nothing is certified.
func TestLBRaceFree(t *testing.T) {
	free, racy := 0, 0
	for seed := range programs(100) {
		p := random(3*seed+2, shapes[seed%3].opts)
		keys, res := explored(t, p, Options{Model: memory.RC11, LBRaces: true, MaxGraphs: 2000})
		if !res.Safe() {
			continue
		}
		weak, wres := explored(t, p, Options{Model: memory.Weakestmo2, MaxGraphs: 4000})
		if res.Stat("lb races") > 0 {
			racy++
			for _, k := range keys {
				if wres.Safe() && !slices.Contains(weak, k) {
					t.Fatalf("seed %d: an execution of RC11 is none of Weakestmo2\n%s", seed, reference.Dump(p))
				}
			}
			continue
		}
		if !wres.Safe() {
			t.Logf("seed %d: %s", seed, wres.Reason())
			continue
		}
		if free++; !slices.Equal(keys, weak) || wres.Stat("certifications") > 0 {
			t.Fatalf("seed %d: %d graphs, not %d\n%s", seed, len(weak), len(keys), reference.Dump(p))
		}
		if r, err := LBRaces(context.Background(), p, Options{}); err != nil || !r.Safe() {
			t.Fatalf("seed %d: %v, %v", seed, r, err)
		}
	}
	t.Logf("%d programs without races, %d with", free, racy)
}
