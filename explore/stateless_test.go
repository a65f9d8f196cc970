package explore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
)

func TestExecutionCounts(t *testing.T) {
	type defines = map[string]int64
	n := func(k int64) defines { return defines{"N": k} }
	for _, c := range []struct {
		file    string
		defines defines
		model   memory.Model
		want    int64
	}{
		{"counts/readers.imp", n(1), memory.SC, 2},
		{"counts/readers.imp", n(8), memory.SC, 256},
		{"counts/ainc.imp", n(3), memory.SC, 6},
		{"counts/ainc.imp", n(6), memory.SC, 720},
		{"counts/ainc.imp", n(8), memory.SC, 40320},
		{"counts/casrot.imp", n(2), memory.SC, 2},
		{"counts/casrot.imp", n(3), memory.SC, 5},
		{"counts/casrot.imp", n(4), memory.SC, 14},
		{"counts/casrot.imp", n(5), memory.SC, 43},
		{"counts/casrot.imp", n(6), memory.SC, 144},
		{"counts/casrot.imp", n(7), memory.SC, 523},
		{"counts/casrot.imp", n(8), memory.SC, 2048},
		{"counts/casrot.imp", n(9), memory.SC, 8597},
		{"counts/lastzero.imp", n(5), memory.SC, 64},
		{"counts/lastzero.imp", n(10), memory.SC, 3328},
		{"counts/lastzero.imp", n(15), memory.SC, 147456},
		{"thesis/fig5.12.imp", n(11), memory.SC, 1},
		{"thesis/fig5.12.imp", n(12), memory.SC, 8},
		{"thesis/fig5.12.imp", n(13), memory.SC, 64},
		{"thesis/fig5.12.imp", n(14), memory.SC, 512},
		{"thesis/fig5.12.imp", n(15), memory.SC, 4096},
	} {
		for _, a := range []Algorithm{Optimal, Source, DPOR} {
			t.Run(fmt.Sprint(c.file, c.defines, c.model, a), func(t *testing.T) {
				p, err := lang.Load("../examples/"+c.file, c.defines)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				r, err := Executions(ctx, p, ExecutionOptions{Model: c.model, Algorithm: a})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(r.Verdict, r.Reason, r.Elapsed, r.Stats)
				if got := r.Stat("executions"); got != c.want {
					t.Errorf("%d executions, want %d", got, c.want)
				}
			})
		}
	}
}
