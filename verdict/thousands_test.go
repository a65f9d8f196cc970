package verdict_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/verdict"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := verdict.Thousands(n); got != want {
			t.Errorf("thousands(%d) = %s", n, got)
		}
	}
}
