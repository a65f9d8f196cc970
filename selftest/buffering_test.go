package selftest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestBuffering: programs for load buffering are read, IMM and Weakestmo2 decide them, some have load
// buffering, and what IMM allows Weakestmo2 does.
func TestBuffering(t *testing.T) {
	counts := verdict.NewSelfTestCounts()
	j := &judge{row: 1e9, counts: &counts}
	for n := range uint64(40) {
		if bad := j.judge(t.Context(), buffering(rand.New(rand.NewPCG(3, n))), scope{models: []memory.Model{memory.RC11, memory.IMM, memory.Weakestmo2}}); bad != nil {
			t.Fatalf("%s\n%s", bad.text, bad.subjects[0].text)
		}
	}
	if w, i := counts.Models[string(memory.Weakestmo2)], counts.Models[string(memory.IMM)]; w == nil || w.Answered < 30 || i == nil || i.Answered < 30 {
		t.Errorf("%+v %+v", w, i)
	}
}

// TestJustified: a lie about Weakestmo2 is found out where the theorem says something.
func TestJustified(t *testing.T) {
	lie := claims{memory.IMM: verdict.ClaimsViolated, memory.Weakestmo2: verdict.ClaimsSafe}
	text := `C LB
{ }
P0 (atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1 (atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
exists (0:r0=1 /\ 1:r0=1)
`
	for _, tt := range []struct {
		change []string
		want   bool
	}{
		{nil, false},
		{[]string{"(x, memory_order_relaxed)", "(x, memory_order_seq_cst)"}, true},
		{[]string{"(x, memory_order_relaxed);", "(x, memory_order_relaxed); atomic_thread_fence(memory_order_release);"}, true},
		{[]string{"atomic_store_explicit(y", "int r1 = atomic_fetch_add_explicit(y"}, true},
	} {
		s := &subject{language: "litmus c11", file: "T.litmus", text: text}
		if tt.change != nil {
			s.text = strings.NewReplacer(tt.change...).Replace(text)
		}
		if got := justified(s, lie); got != tt.want {
			t.Errorf("%v: %v", tt.change, got)
		}
		if !justified(s, claims{memory.IMM: verdict.ClaimsSafe, memory.Weakestmo2: verdict.ClaimsSafe}) {
			t.Errorf("%v: nothing is allowed, and that is wrong", tt.change)
		}
	}
}
