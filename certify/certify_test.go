package certify_test

import (
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
)

// TestImports: the checker uses nothing of ours but what programs are. Package evidence has
// the tests of what it accepts.
func TestImports(t *testing.T) {
	if got := enginetest.Imports(t); !slices.Equal(got, []string{"certify/text", "program"}) {
		t.Errorf("it imports %v", got)
	}
}
