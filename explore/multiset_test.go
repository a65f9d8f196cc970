package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// backwardShapes are small enough for backward search.
var backwardShapes = []struct {
	name    string
	opts    randprog.Options
	forward bool // over the shapes that the set abstraction reaches
}{
	{"tiny", randprog.Options{Threads: randprog.Two, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1,
		RMW: -1, Atomic: -1, Lock: -1, Havoc: -1, Branch: -1, Assert: 2, StoreLoop: 2, NoProperty: -1, Deadlock: 1}, false},
	{"small", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1,
		Store: 10, Havoc: -1, Assert: 2, Deadlock: 1, NoProperty: -1}, true},
	{"loops", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		StoreLoop: 5, WaitLoop: 2, Havoc: -1, Assert: 2, Deadlock: 1, NoProperty: -1}, true},
	{"locks", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		Lock: 5, StoreLoop: 2, Havoc: -1, Deadlock: 2, NoProperty: -1}, true},
}

// TestBackward: backward search and expand-enlarge-check agree wherever both
// come to an end.
func TestBackward(t *testing.T) {
	for _, shape := range backwardShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var agreed, violated, large int
			for seed := range *programs {
				p := randprog.New(rand.New(rand.NewPCG(seed, 35)), shape.opts)
				back, err := backwardMultiset(context.Background(), p, shape.forward, 50_000)
				if errors.Is(err, errTooLarge) {
					large++
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				r, err := CheckMultiset(context.Background(), p, Options{MemoryLimit: 1 << 28})
				if err != nil {
					t.Fatal(err)
				}
				if back != (r.Candidate() != nil) || back == (r.Safe()) {
					t.Fatalf("seed %d: backward: %v; forward: %v by %s (%s)\n%s", seed, back, r.Verdict(), r.Abstraction, r.Reason(), reference.Dump(p))
				}
				agreed++
				if back {
					violated++
				}
			}
			t.Logf("%d agree, %d with violations; %d are too large", agreed, violated, large)
		})
	}
}

// TestBackwardExamples: programs of the thesis, with answers that are known.
func TestBackwardExamples(t *testing.T) {
	for file, want := range map[string]bool{
		"thesis/fig3.3.imp": false, "thesis/fig3.7.imp": false, "peterson-fenced.imp": true, "peterson.imp": true,
		"dekker-simple-fenced.imp": false, "dekker-simple.imp": true, "message-passing.imp": true,
	} {
		p, err := lang.Load("../examples/"+file, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := backwardMultiset(context.Background(), p, true, 200_000)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", file, got, err, want)
		}
		r, err := CheckMultiset(context.Background(), p, Options{MemoryLimit: 1 << 28})
		if err != nil || (r.Candidate() != nil) != want || (r.Safe()) == want {
			t.Errorf("%s: %v by %s, %v, want %v", file, r.Verdict(), r.Abstraction, err, want)
		}
	}
}

// TestMultisetNeedsCounts: a store that must be seen three times, among any
// number of others, so that expand-enlarge-check has to count.
func TestMultisetNeedsCounts(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4} {
		p := countingProgram(t, 3, n)
		r, err := CheckMultiset(context.Background(), p, Options{MemoryLimit: 1 << 28})
		if err != nil {
			t.Fatal(err)
		}
		if safe := n > 3; (r.Safe()) != safe || (r.Candidate() != nil) == safe {
			t.Errorf("%d stores of 3 seen: %v by %s", n, r.Verdict(), r.Abstraction)
		}
		t.Logf("%d stores of 3 seen: %v by %s", n, r.Verdict(), r.Abstraction)
		back, err := backwardMultiset(context.Background(), p, true, 100_000)
		if err != nil || back != (n <= 3) {
			t.Errorf("%d stores of 3 seen, backward: %v, %v", n, back, err)
		}
	}
}

// countingProgram has a thread that stores 1 to x, a number of times, and 1 to y
// for ever, and one that takes x back each time that it sees it, wants to see it
// that often, and asserts 0 then.
func countingProgram(t *testing.T, stores, seen int) *program.Program {
	t.Helper()
	b := "program Counting\nvariables x = y = 0\nprocess P begin\n"
	for range stores {
		b += "  x := 1;\n"
	}
	b += "  while true do y := 1 - y od\nend\nprocess Q begin\n"
	for range seen {
		b += "  await x = 1; x := 0; fence;\n"
	}
	b += "  assert 1 = 0\nend\n"
	return parse(t, b)
}

func parse(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := lang.Read("test.imp", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
