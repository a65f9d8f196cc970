package main

import (
	"strings"
	"testing"
)

// Under several models there is a row for each test.
func TestLitmusModels(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"litmus --models sc,tso,armv8 " + litmusTests + "/SB.litmus", 0, `sc          tso         armv8       test
Never       Sometimes   -           testdata/litmus/SB.litmus

1 test, 1 on which models differ
  sc          1 Never
  tso         1 Sometimes
  armv8       1 not about these
`},
		{"litmus -o csv --models sc --models pso " + litmusTests + "/MP.litmus", 0, "file,name,kind,sc,pso\ntestdata/litmus/MP.litmus,MP,Forbidden,Never,Sometimes\n"},
		{"litmus -q --models sc " + litmusTests + "/MP.litmus", 0, "sc          test\n\n1 test, 0 on which models differ\n  sc          1 Never\n"},
		{"litmus --models sc -m tso " + litmusTests + "/MP.litmus", 2, ""},
		{"litmus --models sc,tsu " + litmusTests + "/MP.litmus", 2, ""},
		{"litmus -o csv --models sc " + litmusTests + "/more/syntax.litmus", 2, "file,name,kind,sc\ntestdata/litmus/more/syntax.litmus,,,error\n"},
		{"litmus -o json --models tso,ra " + litmusTests + "/SB.litmus", 0, `"models":{"ra":"Sometimes","tso":"Sometimes"},"verdicts":{"ra":"Ok","tso":"Ok"},"differ":false}`},
	} {
		status, got, _ := runReal(t, tt.args)
		if status != tt.status || got != tt.want && !(strings.Contains(tt.args, "json") && strings.Contains(got, tt.want)) {
			t.Errorf("%s: status %d,\n%s\nwant %d,\n%s", tt.args, status, got, tt.status, tt.want)
		}
	}
}
