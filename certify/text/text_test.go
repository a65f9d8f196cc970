package text_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify/text"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
)

// TestReader: words and numbers, and what is refused.
func TestReader(t *testing.T) {
	read := func(ctx context.Context, in string) (sum int64, err error) {
		defer text.Recover(&err)
		r := text.NewReader(ctx, "sum", strings.NewReader(in))
		for words := r.Next(); words != nil; words = r.Next() {
			for _, n := range r.Numbers(words) {
				sum += n
			}
		}
		return sum, nil
	}
	if sum, err := read(t.Context(), "1 -2\n\n40\n9223372036854775807 -9223372036854775808"); err != nil || sum != 38 {
		t.Error(sum, err)
	}
	for _, word := range []string{"+1", "01", "-0", "00", "x", "1.", "9223372036854775808"} {
		if _, err := read(t.Context(), "1\n"+word); err == nil || !strings.Contains(err.Error(), "sum, line 2: ") {
			t.Errorf("%s: %v", word, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(ended, "1"); err != context.Canceled {
		t.Error(err)
	}
}

// TestImports: it uses nothing of ours.
func TestImports(t *testing.T) {
	if got := enginetest.Imports(t); len(got) > 0 {
		t.Errorf("it imports %v", got)
	}
}
