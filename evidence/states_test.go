package evidence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
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

// buffers are abstractions that prove examples.
var buffers = map[string]abstract.Buffer{
	"thesis/fig3.3.imp":   abstract.Set{},
	"peterson-fenced.imp": abstract.Coherence{K: 2},
	"dekker-fenced.imp":   abstract.Multiset{Max: 2, Saturate: true},
	"thesis/fig3.7.imp":   abstract.FIFO{},
}

// proved is what an engine says that has searched the states of p with the buffers b.
func proved(p *program.Program, b abstract.Buffer) *verdict.Result {
	r := verdict.Safe(p, memory.TSO, verdict.Closed, nil)
	r.Abstraction = abstract.Name(b)
	return r
}

// closed is the search that [Write] asks for.
func closed(ctx context.Context, p *program.Program, b abstract.Buffer, start func(*abstract.System, int64) error,
	state func(*abstract.System, *abstract.State) error) (*verdict.Result, error) {
	return explore.Closed(ctx, p, explore.Options{Abstraction: b, MemoryLimit: 1 << 28}, start, state)
}

// certificate is the certificate of a result, which is accepted.
func certificate(t testing.TB, r *verdict.Result) string {
	t.Helper()
	var b strings.Builder
	if err := Certificate(context.Background(), &b, r, closed); err != nil {
		t.Fatal(err)
	}
	if _, err := Certify(context.Background(), strings.NewReader(b.String()), r.Program()); err != nil {
		t.Fatalf("the certificate is refused: %v", err)
	}
	return b.String()
}

// TestMutatedCertificates: every certificate in which something is changed is
// refused.
func TestMutatedCertificates(t *testing.T) {
	for file, b := range buffers {
		t.Run(file, func(t *testing.T) {
			r := proved(enginetest.Example(t, file, 0), b)
			lines := strings.SplitAfter(certificate(t, r), "\n")
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
				if _, err := Certify(context.Background(), strings.NewReader(strings.Join(mutated, "\n")+"\n"), r.Program()); err == nil {
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
			if _, err := Certify(context.Background(), strings.NewReader(strings.Join(lines, "\n")+"\n"), enginetest.Example(t, "turn.imp", 0)); err == nil {
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
	p := enginetest.Example(t, "peterson.imp", 0)
	r, err := explore.Check(context.Background(), p, explore.Options{})
	if err != nil || !r.Unsafe() {
		t.Fatalf("%v, %v", r, err)
	}
	if err := Certificate(context.Background(), &strings.Builder{}, r, closed); err == nil {
		t.Error("a certificate for an unsafe program")
	}
	for _, b := range []abstract.Buffer{abstract.FIFO{}, abstract.Set{}, abstract.Multiset{Max: 1, Saturate: true}, abstract.Coherence{K: 3}} {
		if err := Certificate(context.Background(), &strings.Builder{}, proved(p, b), closed); err == nil {
			t.Errorf("%s: a certificate for an unsafe program that was said to be safe", abstract.Name(b))
		}
	}
}

// TestCertifyRefuses looks at headers that promise what is not so.
func TestCertifyRefuses(t *testing.T) {
	p := enginetest.Example(t, "turn.imp", 0)
	head := certify.Magic + "\nprogram " + certify.Fingerprint(p) + "\nmodel tso\n"
	for _, text := range []string{"", "x", head, head + "buffer none\n", head + "buffer multiset<=3\n", head + "buffer pso\n", head + "buffer set\ncells 1 2 3 4 5\n",
		strings.Replace(head, "tso", "pso", 1) + "buffer set\n"} {
		if _, err := Certify(context.Background(), strings.NewReader(text), p); err == nil {
			t.Errorf("accepted: %q", text)
		} else {
			t.Log(err)
		}
	}
}

// TestCanonical: contents of buffers that no stores make are refused. The rules rely
// on the order of the pairs, and would be at a loss.
func TestCanonical(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", `program P
variables x = 0, y = 0
process P begin while true do x := 1; y := 1 od end
process Q begin while true do lock; unlock od end`)
	for _, test := range []struct {
		buffer, contents string
		canonical        bool
	}{
		{"set", "0 1 1 1", true},
		{"set", "1 1 0 1", false},
		{"set", "0 1 0 1", false},
		{"set", "-1 0", false},
		{"set", "0 2 0 3 0 1", true},
		{"set", "0 3 0 2 0 1", false},
		{"fifo", "1 1 0 1 0 1", true},
		{"fifo", "-1 0 0 1", false},
		{"multiset:2", "0 1 0 1 1 1", true},
		{"multiset:2", "0 1 1 1 0 1", false},
		{"multiset:2", "0 1 0 1 0 1", false},
		{"coherence:1", "1 1", true},
		{"coherence:1", "1 1 0 1", false},
		{"coherence:1", "1 1 -1 0 0 1 1 1", true},
		{"coherence:1", "-1 0 0 1 1 1", true},
		{"coherence:1", "-1 0 1 1 0 1", false},
		{"coherence:1", "-1 0", false},
		{"coherence:1", "-1 7 0 1", false},
		{"coherence:1", "1 1 -1 0 -1 0 0 1", false},
		{"set", "0", false},
		{"set", "2 1", false},
	} {
		text := certify.Magic + "\nprogram " + certify.Fingerprint(p) + "\nmodel tso\nbuffer " + test.buffer +
			"\ncells 0 1\nstates 2\ns 0 | 1 | 0 0 | " + test.contents + " | | 1\ns 0 | 0 | 0 0 | | | -1\nend\n"
		_, err := Certify(t.Context(), strings.NewReader(text), p)
		if err == nil {
			t.Errorf("%s, %s: accepted", test.buffer, test.contents)
		} else if read := !strings.Contains(err.Error(), "line "); read != test.canonical {
			t.Errorf("%s, %s: %v", test.buffer, test.contents, err)
		}
	}
}
