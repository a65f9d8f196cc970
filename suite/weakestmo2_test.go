package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestWeakestmo2 has litmus tests under a model whose axioms alone allow too much.
func TestWeakestmo2(t *testing.T) {
	test := func(p, q string) string {
		return fmt.Sprintf(`C test
{}
P0 (atomic_int* x, atomic_int* y) {
  int r = atomic_load_explicit(x, memory_order_relaxed);
  %s
}
P1 (atomic_int* x, atomic_int* y) {
  int r = atomic_load_explicit(y, memory_order_relaxed);
  %s
}
exists (0:r=1 /\ 1:r=1)`, p, q)
	}
	const rlx = ", memory_order_relaxed);"
	for text, want := range map[string]string{
		test("atomic_store_explicit(y, 1"+rlx, "atomic_store_explicit(x, 1"+rlx):                                            "Sometimes",
		test("atomic_store_explicit(y, 1"+rlx, "atomic_store_explicit(x, r"+rlx):                                            "Sometimes",
		test("atomic_store_explicit(y, r"+rlx, "atomic_store_explicit(x, r"+rlx):                                            "Never",
		test("if (r) atomic_store_explicit(y, 1"+rlx, "if (r) atomic_store_explicit(x, 1"+rlx):                              "Never",
		test("atomic_store_explicit(y, 1, memory_order_release);", "atomic_store_explicit(x, r"+rlx):                        "Never",
		test("atomic_thread_fence(memory_order_acquire); atomic_store_explicit(y, 1"+rlx, "atomic_store_explicit(x, r"+rlx): "Never",
	} {
		files := slices.Values([]File{{Path: "test.litmus", Source: &program.Source{Name: "test.litmus", Text: text}}})
		for _, witnesses := range []bool{false, true} {
			err := Run(context.Background(), files, Options{Model: memory.Weakestmo2, Witnesses: witnesses}, func(_ File, l *verdict.Litmus) error {
				var refused *program.Diagnostic
				switch {
				case witnesses != errors.As(l.Err, &refused):
					t.Errorf("witnesses %v: %v", witnesses, l.Err)
				case !witnesses && l.Observation != want:
					t.Errorf("%s, want %s\n%s", l.Observation, want, text)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
