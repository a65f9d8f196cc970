package fencepost_test

import (
	"os"
	"strings"
	"testing"
)

// TestAPIPage: the code in docs/api.md is code of examples, which are run.
func TestAPIPage(t *testing.T) {
	lines := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
		return b.String()
	}
	examples := lines("example_test.go") + lines("fencetest/fencetest_test.go")
	for i, part := range strings.Split(lines("docs/api.md"), "```go\n") {
		if code, _, _ := strings.Cut(part, "```"); i > 0 && !strings.Contains(examples, code) {
			t.Errorf("no example has\n%s", code)
		}
	}
}
