package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func TestLookup(t *testing.T) {
	names := []Name{Coherence(0), Coherence(17), "ic3:set"}
	for _, e := range Engines() {
		names = append(names, e.Name)
	}
	for _, name := range names {
		if e, err := Lookup(name); err != nil || e.Name != name {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	for _, name := range []Name{"", "fifo", "coherence", "coherence:", "coherence:x", "multiset:2", "coherence:1 with counts"} {
		if e, err := Lookup(name); err == nil {
			t.Errorf("%q is %s", name, e.Name)
		}
	}
}

// TestOtherModels: there is nothing to abstract from but the buffers of TSO.
func TestOtherModels(t *testing.T) {
	for _, e := range []Name{Set, Multiset, Coherence(2), CEGAR} {
		r, err := Check(context.Background(), enginetest.Example(t, "turn.imp", 0), Options{Engine: e, Model: memory.SC})
		if err != nil || r.Verdict() != verdict.IsUnknown || r.Reason() == "" {
			t.Errorf("%s: %+v, %v", e, r, err)
		}
	}
}

// TestAbstractionsProve: what the thesis and its examples say about which
// abstraction proves what; the loop finds the abstraction by itself.
func TestAbstractionsProve(t *testing.T) {
	k := func(k int) Name { return Coherence(k) }
	for _, test := range []struct {
		file    string
		yes, no []Name
		loop    string // what the loop ends with
	}{
		{"thesis/fig3.3.imp", []Name{Set, Multiset, k(0), k(1), k(2)}, nil, "multiset:1"},
		{"thesis/fig3.7.imp", []Name{Multiset, k(3), k(4)}, []Name{Set, k(0), k(1), k(2)}, "multiset:2"},
		{"peterson-fenced.imp", []Name{k(2), k(3)}, []Name{Set, Multiset, k(0), k(1)}, "coherence:2"},
		{"dekker-fenced.imp", []Name{Set, Multiset, k(0), k(1)}, nil, "multiset:2"},
		{"message-passing.imp", []Name{k(1), k(2)}, []Name{Set, Multiset, k(0)}, "coherence:1"},
		{"order-and-counts.imp", []Name{k(2), k(3)}, []Name{Set, Multiset, k(0), k(1)}, "coherence:2"},
	} {
		t.Run(test.file, func(t *testing.T) {
			p := enginetest.Example(t, test.file, 0)
			for _, e := range append(test.yes, test.no...) {
				want := verdict.IsSafe
				for _, n := range test.no {
					if n == e {
						want = verdict.IsUnknown
					}
				}
				r, err := Check(context.Background(), p, Options{Engine: e, MemoryLimit: 1 << 29})
				if err != nil {
					t.Fatal(err)
				}
				if r.Verdict() != want || want == verdict.IsUnknown && r.Candidate() == nil || want == verdict.IsSafe && r.Argument() != verdict.Closed {
					t.Errorf("%s: %v (%s)", e, r.Verdict(), r.Reason())
				}
				if r.Safe() {
					certified(t, r)
				}
			}
			if r, err := Check(context.Background(), p, Options{Engine: CEGAR, MemoryLimit: 1 << 29}); err != nil || r.Abstraction != test.loop {
				t.Errorf("the loop ends with %s, want %s", r.Abstraction, test.loop)
			}
		})
	}
}

// certified writes and checks the certificate of a result.
func certified(t *testing.T, r *verdict.Result) {
	t.Helper()
	var b strings.Builder
	if err := WriteCertificate(context.Background(), &b, r, Options{MemoryLimit: 1 << 29}); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.Certify(context.Background(), strings.NewReader(b.String()), r.Program()); err != nil {
		t.Fatalf("the certificate is refused: %v", err)
	}
}
