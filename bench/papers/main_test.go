package main

import (
	"io"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/rvf"
)

// TestPrograms has the programs of the tables, with small parameters.
func TestPrograms(t *testing.T) {
	o := &output{w: io.Discard, limit: time.Minute}
	for _, r := range table4() {
		for _, n := range []int{2, 4} {
			res := o.weakly(o.parse(r.name+".litmus", r.text(n)), false)
			if res == nil || o.err != nil {
				t.Fatalf("%s: %v", r.name, o.err)
			}
			if got := res.Stat("executions"); got != r.executions(n) {
				t.Errorf("%s(%d): %d executions, want %d", r.name, n, got, r.executions(n))
			}
		}
	}
	for _, p := range rvfPrograms() {
		o.parse(p.name+".imp", p.text)
	}
	r, err := rvf.Explore(t.Context(), o.parse("l.imp", linuxrwlocks("W", "RW")), rvf.Options{})
	if err != nil || r.Stat("executions") != 56 {
		t.Errorf("linuxrwlocks(1): %v %v, want 56 executions", r, err)
	}
	if got := number(1234567); got != "1 234 567" {
		t.Errorf("%q", got)
	}
}
