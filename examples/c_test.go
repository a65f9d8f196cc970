package examples_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// The C programs and their verdicts, each argued in the comment of the file. Rows without
// defines are what that comment promises.
var cRows = []struct {
	file          string
	defines       defines
	sc, tso, pso  string
	mended, wider defines // what is safe under all models
}{
	// Waiting for the other one to be out, with a store that is still buffered.
	{"c/bakery.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/bakery.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/burns.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/burns.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/dekker.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/dekker.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/dijkstra.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/dijkstra.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/lamport-fast.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/lamport-fast.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/peterson.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/peterson.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/szymanski.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/szymanski.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/peterson-n.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/peterson-n.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/szymanski-n.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/szymanski-n.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/sb-ring.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/sb-ring.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/parker.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "UNPARKERS", 2)},
	{"c/parker.c", defines{"UNPARKERS": 2}, safe, unsafe, unsafe, nil, nil},
	{"c/nbw.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/nbw.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/cilk-the.c", nil, safe, unsafe, unsafe, fixed, with(with(fixed, "THIEVES", 2), "TRIES", 1)},
	{"c/cilk-the.c", defines{"THIEVES": 2, "TRIES": 1}, safe, unsafe, unsafe, nil, nil},
	{"c/hazard-pointer.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "READERS", 2)},
	{"c/hazard-pointer.c", defines{"READERS": 2}, safe, unsafe, unsafe, nil, nil},
	{"c/chase-lev.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "THIEVES", 2)},
	{"c/chase-lev.c", defines{"THIEVES": 2}, safe, unsafe, unsafe, nil, nil},
	{"c/chase-lev.c", defines{"EARLY": 1}, safe, unsafe, unsafe, with(fixed, "EARLY", 1), nil},
	// A plain store that must not overtake another one.
	{"c/spinlock.c", nil, safe, safe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/spinlock.c", defines{"N": 3}, safe, safe, unsafe, nil, nil},
	{"c/ticket-lock.c", nil, safe, safe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/ticket-lock.c", defines{"N": 3}, safe, safe, unsafe, nil, nil},
	{"c/mcs-lock.c", nil, safe, safe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/mcs-lock.c", defines{"N": 3}, safe, safe, unsafe, nil, nil},
	{"c/clh-lock.c", nil, safe, safe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/clh-lock.c", defines{"N": 3}, safe, safe, unsafe, nil, nil},
	{"c/mpmc-ring.c", nil, safe, safe, unsafe, fixed, with(fixed, "CONSUMERS", 2)},
	{"c/mpmc-ring.c", defines{"CONSUMERS": 2}, safe, safe, unsafe, nil, nil},
	{"c/spsc-ring.c", nil, safe, safe, unsafe, fixed, with(fixed, "SIZE", 3)},
	{"c/spsc-ring.c", defines{"SIZE": 3}, safe, safe, unsafe, nil, nil},
	{"c/spsc-ring.c", defines{"RINGS": 2, "SIZE": 1}, safe, safe, unsafe, with(with(fixed, "RINGS", 2), "SIZE", 1), nil},
	{"c/seqlock.c", nil, safe, safe, unsafe, fixed, with(fixed, "READERS", 2)},
	{"c/seqlock.c", defines{"READERS": 2}, safe, safe, unsafe, nil, nil},
	{"c/rwlock.c", nil, safe, safe, unsafe, fixed, with(fixed, "READERS", 2)},
	{"c/rwlock.c", defines{"READERS": 2}, safe, safe, unsafe, nil, nil},
	{"c/double-checked.c", nil, safe, safe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/double-checked.c", defines{"N": 3}, safe, safe, unsafe, nil, nil},
	{"c/message-passing.c", nil, safe, safe, unsafe, fixed, with(fixed, "N", 2)},
	{"c/message-passing.c", defines{"N": 2}, safe, safe, unsafe, nil, nil},
	{"c/collocation.c", nil, safe, unsafe, unsafe, fixed, with(fixed, "N", 3)},
	{"c/collocation.c", defines{"N": 3}, safe, unsafe, unsafe, nil, nil},
	{"c/lazy-flag.c", nil, safe, safe, unsafe, nil, nil},
	{"c/seqlock-plain.c", nil, safe, safe, unsafe, nil, nil},
	// Locked instructions at every place that counts.
	{"c/bounded-buffer.c", nil, safe, safe, safe, defines{"FORGET": 1}, defines{"PRODUCERS": 2}},
	{"c/philosophers.c", nil, safe, safe, safe, fixed, with(fixed, "N", 4)},
	{"c/refcount.c", nil, safe, safe, safe, fixed, with(fixed, "N", 3)},
	{"c/barrier.c", nil, safe, safe, safe, fixed, with(fixed, "N", 3)},
	{"c/barrier.c", defines{"ONCE": 1}, unsafe, unsafe, unsafe, nil, nil},
	{"c/barrier.c", defines{"ONCE": 1, "N": 3}, unsafe, unsafe, unsafe, nil, nil},
	{"c/futex-mutex.c", nil, safe, safe, safe, defines{"N": 3}, defines{"HASTY": 1}},
	{"c/futex-mutex.c", defines{"BROKEN": 1}, unsafe, unsafe, unsafe, nil, nil},
	{"c/futex-mutex.c", defines{"BROKEN": 1, "N": 3}, unsafe, unsafe, unsafe, nil, nil},
	{"c/ms-queue.c", nil, safe, safe, safe, defines{"CLIENT": 2}, nil},
	{"c/ms-queue.c", defines{"BROKEN": 1}, unsafe, unsafe, unsafe, nil, nil},
	{"c/ms-queue.c", defines{"BROKEN": 1, "CLIENT": 2}, unsafe, unsafe, unsafe, nil, nil},
	{"c/treiber-stack.c", nil, unsafe, unsafe, unsafe, defines{"COUNTED": 1}, defines{"COUNTED": 1, "CLIENT": 2}},
	{"c/treiber-stack.c", defines{"CLIENT": 2}, unsafe, unsafe, unsafe, nil, nil},
}

var fixed = defines{"FIXED": 1}

func with(d defines, name string, v int64) defines {
	all := defines{name: v}
	for k, v := range d {
		all[k] = v
	}
	return all
}

func TestVerdictsOfC(t *testing.T) {
	for _, r := range cRows {
		t.Run(r.file, func(t *testing.T) {
			t.Parallel()
			broken := load(t, r.file, r.defines)
			var mended []*program.Program
			for _, d := range []defines{r.mended, r.wider} {
				if d != nil {
					mended = append(mended, load(t, r.file, d))
				}
			}
			for model, want := range map[memory.Model]string{memory.SC: r.sc, memory.TSO: r.tso, memory.PSO: r.pso} {
				if got := checkProgram(t, broken, model, patience); got.String() != want {
					t.Errorf("%s with %v: %v, want %s", model, r.defines, got, want)
				}
				for _, p := range mended {
					if got := checkProgram(t, p, model, patience); got.String() != safe {
						t.Errorf("%s, mended: %v, want %s", model, got, safe)
					}
				}
			}
		})
	}
}

// TestLivenessOfC checks what hangs.
func TestLivenessOfC(t *testing.T) {
	for model, want := range map[memory.Model]string{memory.SC: safe, memory.TSO: unsafe, memory.PSO: unsafe} {
		for _, d := range []defines{nil, fixed} {
			if d != nil {
				want = safe
			}
			p, err := lang.Load("c/lock-with-waiters.c", d)
			if err != nil {
				t.Fatal(err)
			}
			r, err := engine.Hangs(t.Context(), p, engine.Options{Model: model})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Verdict().String(); got != want {
				t.Errorf("%s with %v: %s, want %s", model, d, got, want)
			}
			if r.Unsafe() && r.Run() == nil {
				t.Errorf("%s: no run", model)
			}
		}
	}
}

// TestCommentsOfC compares what the files say with what the table expects.
func TestCommentsOfC(t *testing.T) {
	promise := regexp.MustCompile(`(?m)^// (SC|TSO|PSO): +(SAFE|UNSAFE)\b`)
	for _, r := range cRows {
		if r.defines != nil {
			continue
		}
		text, err := os.ReadFile(r.file)
		if err != nil {
			t.Error(err)
			continue
		}
		said := map[string]string{}
		for _, m := range promise.FindAllStringSubmatch(string(text), -1) {
			said[m[1]] = m[2]
		}
		for model, want := range map[string]string{"SC": r.sc, "TSO": r.tso, "PSO": r.pso} {
			if said[model] != want {
				t.Errorf("%s: the comment says %q for %s, the table %q", r.file, said[model], model, want)
			}
		}
	}
}
