package refine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// mutate changes one thing in a certificate, which has no state too many: what
// comes out is none.
func mutate(rng *rand.Rand, lines []string) (string, []string) {
	lines = slices.Clone(lines)
	var states []int
	first := 0
	for i, l := range lines {
		if strings.HasPrefix(l, "s ") {
			states = append(states, i)
		}
		if strings.HasPrefix(l, "states ") {
			first = i
		}
	}
	at := states[rng.IntN(len(states))]
	recount := func(by int) { lines[first] = fmt.Sprintf("states %d", len(states)+by) }
	switch kind := rng.IntN(8); kind {
	case 0:
		recount(-1)
		return "a state less", slices.Delete(lines, at, at+1)
	case 1:
		return "a state less than the header says", slices.Delete(lines, at, at+1)
	case 2:
		recount(+1)
		return "a state twice", slices.Insert(lines, at, lines[at])
	case 3, 4:
		// A number in a state.
		fields := strings.Fields(lines[at])
		for {
			i := 1 + rng.IntN(len(fields)-1)
			if n, err := strconv.Atoi(fields[i]); err == nil {
				fields[i] = strconv.Itoa(n + 1 - 2*rng.IntN(2))
				break
			}
		}
		lines[at] = strings.Join(fields, " ")
		return "another number", lines
	case 5:
		// A buffer loses a pair, or the state a part.
		lines[at] = lines[at][:strings.LastIndexByte(lines[at][:len(lines[at])-3], ' ')]
		return "a shorter state", lines
	case 6:
		return "no end", lines[:at]
	default:
		i := rng.IntN(first)
		return "a header line less", slices.Delete(lines, i, i+1)
	}
}

// TestMutatedCertificates: every certificate in which something is changed is
// refused.
func TestMutatedCertificates(t *testing.T) {
	for _, test := range []struct {
		file   string
		engine Engine
	}{{"thesis/fig3.3.imp", Set}, {"peterson-fenced.imp", Coherence(2)}, {"dekker-fenced.imp", Multiset}, {"thesis/fig3.7.imp", Explicit}} {
		t.Run(test.file, func(t *testing.T) {
			r, err := Check(context.Background(), example(t, test.file), Options{Engine: test.engine, MemoryLimit: 1 << 28})
			if err != nil || !r.Safe() {
				t.Fatal(r, err)
			}
			lines := strings.SplitAfter(certified(t, r), "\n")
			lines = lines[:len(lines)-1]
			for i := range lines {
				lines[i] = strings.TrimSuffix(lines[i], "\n")
			}
			rng := rand.New(rand.NewPCG(1, 1))
			reasons := map[string]int{}
			for range 300 {
				what, mutated := mutate(rng, lines)
				if what == "a header line less" && deadLine(lines, mutated) {
					continue // more states would have to be there, or not
				}
				_, err := Certify(context.Background(), strings.NewReader(strings.Join(mutated, "\n")+"\n"), r.Program())
				if err == nil {
					t.Fatalf("%s: accepted", what)
				}
				reasons[what]++
			}
			t.Log(reasons)

			// Registers that are not dead.
			dead := 0
			for ti, th := range r.Program().Threads {
				for q := range th.States {
					for reg := range th.Regs {
						line := fmt.Sprintf("dead %d %d %d", ti, q, reg)
						i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "states ") })
						mutated := slices.Insert(slices.Clone(lines), i, line)
						if _, err := Certify(context.Background(), strings.NewReader(strings.Join(mutated, "\n")+"\n"), r.Program()); err != nil {
							dead++
						}
					}
				}
			}
			if dead == 0 && len(r.Program().Threads[0].Regs) > 0 {
				t.Error("any register may be called dead")
			}
			// Another program.
			if _, err := Certify(context.Background(), strings.NewReader(strings.Join(lines, "\n")+"\n"), example(t, "turn.imp")); err == nil {
				t.Error("accepted for another program")
			}
		})
	}
}

// deadLine is true where the line that is missing is one about dead registers.
func deadLine(lines, mutated []string) bool {
	for i := range mutated {
		if lines[i] != mutated[i] {
			return strings.HasPrefix(lines[i], "dead ")
		}
	}
	return false
}

// TestUnsafeHasNoCertificate: nothing is written for results that are not a
// proof, and the set of states of an unsafe program is refused.
func TestUnsafeHasNoCertificate(t *testing.T) {
	p := example(t, "peterson.imp")
	r, err := Check(context.Background(), p, Options{})
	if err != nil || !r.Unsafe() {
		t.Fatalf("%v, %v", r, err)
	}
	if err := WriteCertificate(context.Background(), &strings.Builder{}, r, Options{}); err == nil {
		t.Error("a certificate for an unsafe program")
	}
	r = verdict.Safe(p, "tso", verdict.Closed, nil)
	r.Abstraction = "coherence:3"
	if err := WriteCertificate(context.Background(), &strings.Builder{}, r, Options{}); err == nil {
		t.Error("a certificate for an unsafe program that was said to be safe")
	}
}

// TestCertifyRefuses looks at headers that promise what is not so.
func TestCertifyRefuses(t *testing.T) {
	p := example(t, "turn.imp")
	head := certificateMagic + "\nprogram " + fingerprint(p) + "\nmodel tso\n"
	for _, text := range []string{"", "x", head, head + "buffer none\n", head + "buffer multiset<=3\n", head + "buffer pso\n", head + "buffer set\ncells 1 2 3 4 5\n",
		strings.Replace(head, "tso", "pso", 1) + "buffer set\n"} {
		if _, err := Certify(context.Background(), strings.NewReader(text), p); err == nil {
			t.Errorf("accepted: %q", text)
		} else {
			t.Log(err)
		}
	}
}
