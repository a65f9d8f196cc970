package keys_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestState: states of the same shape have the same text exactly where they are equal.
func TestState(t *testing.T) {
	var states []*abstract.State
	for _, pc := range []program.StateID{0, 1, 300} {
		for _, v := range []int64{-1, 0, 1, 1 << 40} {
			for _, lock := range []int{-1, 0} {
				for _, pairs := range [][]abstract.Pair{nil, {{Cell: 1, Value: 2}}, {{Cell: 1, Value: 2, Part: true}}, {{Cell: 2, Value: 1}}, {{Cell: 1, Value: 2}, {}}, {{Cell: -1}}} {
					for _, other := range [][]abstract.Pair{nil, {{Cell: 1, Value: 2}}} {
						s := &abstract.State{PC: []program.StateID{pc, 0}, Vals: []int64{v, 0}, Lock: lock, Buf: []abstract.Contents{{Pairs: pairs}, {Pairs: other}}}
						states = append(states, s)
					}
				}
			}
		}
	}
	for _, x := range states {
		for _, y := range states {
			if same := keys.State(x) == keys.State(y); same != x.Equal(y) {
				t.Fatalf("%+v and %+v: %v", x, y, same)
			}
		}
	}
}
