package selftest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Weakestmo2 is asked about programs that are made for load buffering, since others hardly ever show any. What
// it allows has no definition that another engine evaluates; but it allows all that IMM
// does of programs without fences, read-modify-writes and sequentially consistent accesses (Moiseenko, Kokologiannakis and
// Vafeiadis 2022, theorem 3.14).

// growBuffering makes a litmus test in C in which two threads load and then store, by two cells, and a
// third may do something else.
func growBuffering(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("C LB\n{ }\n")
	cell := func() string { return "xyz"[rng.IntN(3):][:1] }
	order := func(strong string) string {
		if rng.IntN(6) == 0 {
			return strong
		}
		return "relaxed"
	}
	var terms []string
	for t := range 2 + rng.IntN(2) {
		fmt.Fprintf(&b, "P%d (atomic_int *x, atomic_int *y, atomic_int *z) {\n", t)
		reads := 0
		load := func(c string) {
			fmt.Fprintf(&b, "  int r%d = atomic_load_explicit(%s, memory_order_%s);\n", reads, c, order("acquire"))
			terms = append(terms, fmt.Sprintf("%d:r%d=%d", t, reads, rng.IntN(2)+rng.IntN(2)))
			reads++
		}
		value := func() string {
			if reads > 0 && rng.IntN(4) == 0 {
				return fmt.Sprintf("r%d", rng.IntN(reads))
			}
			return fmt.Sprint(1 + rng.IntN(4)/3)
		}
		store := func(c string) string {
			return fmt.Sprintf("atomic_store_explicit(%s, %s, memory_order_%s);", c, value(), order("release"))
		}
		other := func() {
			if rng.IntN(2) == 0 {
				load(cell())
			} else {
				fmt.Fprintf(&b, "  %s\n", store(cell()))
			}
		}
		from, to := "xy"[t%2:][:1], "yx"[t%2:][:1]
		if t == 2 || rng.IntN(5) == 0 {
			from, to = cell(), cell()
		}
		if rng.IntN(4) == 0 {
			other()
		}
		load(from)
		if rng.IntN(4) == 0 {
			other()
		}
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "  if (r%d == %d) { %s }\n", rng.IntN(reads), rng.IntN(2), store(to))
		case 1:
			fmt.Fprintf(&b, "  if (r%d == %d) { %s } else { %s }\n", rng.IntN(reads), rng.IntN(2), store(to), store(to))
		default:
			fmt.Fprintf(&b, "  %s\n", store(to))
		}
		if rng.IntN(5) == 0 {
			other()
		}
		b.WriteString("}\n")
	}
	rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	fmt.Fprintf(&b, "exists (%s)\n", strings.Join(terms[:min(len(terms), 2+rng.IntN(2))], ` /\ `))
	return b.String()
}

// buffering is a source of such a test.
func buffering(rng *rand.Rand) source {
	return &lines{subject{language: "litmus c11", file: "T.litmus", text: growBuffering(rng)}}
}

// justified is false where IMM allows what Weakestmo2 is said not to, of a program of which it should.
func justified(s *subject, said claims) bool {
	if said[memory.IMM] != verdict.ClaimsViolated || said[memory.Weakestmo2] != verdict.ClaimsSafe {
		return true
	}
	p, err := s.parse()
	if err != nil {
		return true
	}
	for _, t := range p.Threads {
		for i := range t.Edges {
			switch c := &t.Edges[i].Cmd; c.Op {
			case program.Fence, program.Atomic, program.Lock:
				return true
			case program.Load, program.Store:
				if c.Tags.Has("SC") || c.Tags == (program.Tags{}) {
					return true
				}
			}
		}
	}
	return false
}
