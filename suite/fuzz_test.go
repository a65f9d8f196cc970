package suite

import (
	"errors"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// FuzzExpected reads lists of expectations: there is a list, or a diagnostic.
func FuzzExpected(f *testing.F) {
	f.Add(`{"file": "SB.litmus", "name": "SB", "kind": "exists", "condition": "x=1", "tso": {"states": ["0:rax=0;"], "observation": "Sometimes", "verdict": "Ok"}}`)
	f.Add("{\"file\": \"a\"}\n\n{\"file\": \"b\", \"sc\": {}}")
	f.Add(`{"file": "a", "sc": {"states": null}}`)
	f.Add(`{"file": 1}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, text string) {
		x, err := readExpected(strings.NewReader(text), "x.json")
		var d *program.Diagnostic
		switch {
		case err != nil && !errors.As(err, &d):
			t.Errorf("%T: %v", err, err)
		case err == nil && len(x.tests) > strings.Count(text, "file"):
			t.Errorf("%d tests", len(x.tests))
		}
	})
}
