package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// arrays are programs over arrays of 65,000 cells: of which few are in use, or all, or all
// with many values.
var arrays = map[string]string{
	"few": `program Few
const N = 65000
variables a[N], x, y
process P0
  local r, i
begin i := x; a[i & 1023] := 1; r := a[(i*7) & 32767]; assert r < 2 end
process P1
  local r
begin y := 1; x := 5; r := a[3] end`,
	"all": `program All
const N = 65000
variables a[N], x
process P0
  local r, i
begin i := any(0..N-1); a[i] := 1; r := a[(i*7) % N]; assert r < 2 end
process P1
  local r, i
begin i := any(0..N-1); r := x; a[i] := r; a[(i*3) % N] := 1 - r end`,
	"values": `program Values
const N = 65000
variables a[N]
process P0
  local r, i
begin
  while true do
    choose i := i + 1 [] i := i + 7 [] i := a[i % N] end;
    assume i >= 0; assume i < N;
    a[i] := a[(i*3) & 65535 % N] & 7; r := a[3]
  od
end
process P1
  local r
begin r := a[r % N]; assume r >= 0; a[r % N] := 5; r := a[3]; assert r < 100 end`,
}

// TestArrays: engines that make tables of the cells keep to their time where there are
// many, and what is easy about them they decide.
func TestArrays(t *testing.T) {
	for name, text := range arrays {
		p, err := imp.Parse(&program.Source{Name: name + ".imp", Text: text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []Name{Saturation, IC3, KInduction, BMC} {
			for _, limit := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond} {
				t.Run(fmt.Sprintf("%s/%s/%v", name, e, limit), func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), limit)
					defer cancel()
					start := time.Now()
					r, err := Check(ctx, p, Options{Engine: e, MemoryLimit: 1 << 28})
					if err != nil {
						t.Fatal(err)
					}
					d := time.Since(start)
					t.Logf("%v %s, %v", r.Verdict(), r.Reason(), d)
					// Half a second is what it should take; the machine may be busy.
					if d > limit+3*time.Second {
						t.Errorf("%v", d)
					}
				})
			}
		}
		if name != "few" {
			continue
		}
		start := time.Now()
		r, err := Check(t.Context(), p, Options{Engine: Saturation, MemoryLimit: 1 << 28})
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); r.Verdict() != verdict.IsSafe || d > 10*time.Second {
			t.Errorf("%s: %v %s after %v", name, r.Verdict(), r.Reason(), d)
		}
	}
}
