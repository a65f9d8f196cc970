package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestHwRefuses: what cannot be run on x86 is told so, on every system.
func TestHwRefuses(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"hw", exitInput, "no file given"},
		{"hw ../../examples/dekker.imp", exitInput, ""},
		{"hw ../../examples/litmus/MP+rel+acq.litmus", exitInput, "not run"},
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), strings.Fields(tt.args), nil, &out, &errs)
		if status != tt.status || !strings.Contains(out.String()+errs.String(), tt.want) {
			t.Errorf("%s: status %d\n%s%s", tt.args, status, out.String(), errs.String())
		}
	}
}
